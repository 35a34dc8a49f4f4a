/**
 * The editor of the playground: CodeMirror 6 behind a small face.
 *
 * Knows: text, positions, diagnostics as plain data. Must not know: any dialect's rules, the engine, the page's state.
 * Every position that goes in or out counts UTF-16 units from the start of the text.
 *
 * Keys: Tab indents while the text has the focus. Esc and then Tab (or Shift-Tab) leaves it, so the keyboard is never
 * trapped; the accessible description says so. Ctrl-F searches, F8 goes to the next finding.
 */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { forceLinting, lintGutter, lintKeymap, setDiagnostics as lintEffect } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, Transaction } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { toLint } from "./diagnostics.js";
import { difference } from "./difference.js";
import { languageNamed } from "./language.js";
import { themeFor } from "./theme.js";

/**
 * @typedef {object} Fix a change that answers a finding
 * @property {string} [title] what the button says; default "Fix"
 * @property {number} [from] start of the text to replace; default: the finding's
 * @property {number} [to] end of the text to replace; default: the finding's
 * @property {string} insert the new text
 *
 * @typedef {object} Finding
 * @property {number} from
 * @property {number} to
 * @property {"error"|"warning"|"info"|"hint"} severity
 * @property {string} [code] like "SDK012"
 * @property {string} message
 * @property {string} [help]
 * @property {Fix} [fix]
 *
 * @typedef {object} Options
 * @property {Element} parent where the editor goes
 * @property {string} [doc] the first text
 * @property {"yaml"|"json"|"text"} [language]
 * @property {boolean} [dark]
 * @property {string} [label] accessible name
 * @property {(text: string) => void} [onChange] after the user changed the text; not after setDoc
 * @property {(offset: number, line: number, column: number) => void} [onCursor] line and column from 1
 * @property {boolean} [readOnly]
 *
 * @typedef {object} Editor
 * @property {(text: string) => void} setDoc replaces the text; keeps undo, tells nobody
 * @property {() => string} getDoc
 * @property {(findings: Finding[]) => void} setDiagnostics
 * @property {(dark: boolean) => void} setTheme
 * @property {(from: number, to?: number) => void} reveal selects and scrolls there, leaves the focus where it is
 * @property {() => void} focus
 * @property {(name: string) => void} setLanguage
 * @property {(readOnly: boolean) => void} setReadOnly
 * @property {() => void} destroy
 */

/** Marks a change that came from outside, so that it is not reported back. */
const fromOutside = Annotation.define();

/**
 * Typing over a selection, done by the editor instead of the browser. Chromium keeps the look of what it replaces by
 * means of an inline style, which the page's policy refuses with an error in the console.
 */
const overSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main, ranges } = view.state.selection;
    const plain = event.inputType === "insertText" && typeof event.data === "string" && !view.composing;
    if (!plain || !event.cancelable || main.empty || ranges.length > 1 || view.state.readOnly) {
      return false;
    }
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** How a screen reader is told to leave. */
const DESCRIPTION = "Tab indents. Press Escape and then Tab to leave the editor.";

/** Small additions to the keys of CodeMirror's packages. */
const KEYS = [
  // Mod-Enter is the page's: it runs the definition and must not insert a line.
  ...defaultKeymap.filter((binding) => binding.key !== "Mod-Enter"),
  ...searchKeymap,
  ...historyKeymap,
  ...foldKeymap,
  ...lintKeymap,
  // CodeMirror lets Tab through for two seconds after Escape; see "tab focus mode" in its documentation.
  indentWithTab,
];

/**
 * Builds an editor.
 *
 * @param {Options} options
 * @returns {Editor}
 */
export function createEditor(options) {
  const { parent, doc = "", label = "Editor", onChange, onCursor } = options;
  const language = new Compartment();
  const theme = new Compartment();
  const access = new Compartment();

  const locked = (readOnly) => [EditorState.readOnly.of(readOnly), EditorView.editable.of(true)];

  const report = EditorView.updateListener.of((update) => {
    const ours = update.transactions.some((transaction) => transaction.annotation(fromOutside));
    if (update.docChanged && !ours) {
      onChange?.(update.state.doc.toString());
    }
    if ((update.selectionSet || update.docChanged) && !ours) {
      const offset = update.state.selection.main.head;
      const line = update.state.doc.lineAt(offset);
      onCursor?.(offset, line.number, offset - line.from + 1);
    }
  });

  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        foldGutter(),
        drawSelection(),
        indentUnit.of("  "),
        EditorState.tabSize.of(2),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        lintGutter(),
        keymap.of(KEYS),
        overSelection,
        EditorView.contentAttributes.of({
          "aria-label": label,
          "aria-description": DESCRIPTION,
          // A plain tab stop, so that everything that looks for one finds it.
          tabindex: "0",
          autocapitalize: "off",
          autocorrect: "off",
          spellcheck: "false",
        }),
        language.of(languageNamed(options.language)),
        theme.of(themeFor(Boolean(options.dark))),
        access.of(locked(Boolean(options.readOnly))),
        report,
      ],
    }),
  });

  const clamp = (offset) => Math.max(0, Math.min(offset, view.state.doc.length));

  return {
    setDoc(text) {
      const { doc: now } = view.state;
      if (now.toString() === text) {
        return;
      }
      // Replace the part that differs only, so that the cursor and the scroll position stay where they can.
      const { from, to, insert } = difference(now.toString(), text);
      view.dispatch({
        changes: { from, to, insert },
        annotations: [fromOutside.of(true), Transaction.addToHistory.of(true)],
      });
    },
    getDoc: () => view.state.doc.toString(),
    setDiagnostics(findings) {
      view.dispatch(lintEffect(view.state, toLint(findings, view.state.doc.length)));
      forceLinting(view);
    },
    setTheme(dark) {
      view.dispatch({ effects: theme.reconfigure(themeFor(Boolean(dark))) });
    },
    reveal(from, to = from) {
      const selection = { anchor: clamp(from), head: clamp(to) };
      view.dispatch({
        selection,
        effects: EditorView.scrollIntoView(selection.anchor, { y: "center" }),
        annotations: fromOutside.of(true),
      });
    },
    focus: () => view.focus(),
    setLanguage(name) {
      view.dispatch({ effects: language.reconfigure(languageNamed(name)) });
    },
    setReadOnly(readOnly) {
      view.dispatch({ effects: access.reconfigure(locked(Boolean(readOnly))) });
    },
    destroy: () => view.destroy(),
  };
}

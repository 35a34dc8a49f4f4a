/**
 * Colours of the editor. All of them are the page's own tokens (`--pl-*`), so the editor follows the page's theme; the
 * values after the comma stand in where a page does not define a token.
 */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const light = {
  bg: "#ffffff", surface: "#f6f8fa", text: "#1b2430", muted: "#55606e", border: "#7a8694", accent: "#0b57e3",
  focus: "#0a5fb4", selection: "#cfe0fb", match: "#fff3dc", error: "#8a0f14", waiting: "#9a5f00",
  active: "#0b57e3", key: "#0b57e3", string: "#0b7a4b", number: "#9a5f00", atom: "#6a1f8f",
};
const dark = {
  bg: "#10151c", surface: "#19212b", text: "#e8edf3", muted: "#a3afbd", border: "#74818f", accent: "#bfe2ff",
  focus: "#9cc9ff", selection: "#274a73", match: "#3a2b0c", error: "#ff6163", waiting: "#fdb228",
  active: "#bfe2ff", key: "#bfe2ff", string: "#74edb0", number: "#fdb228", atom: "#c07ae6",
};

const token = (name, fallback) => `var(--pl-${name}, ${fallback})`;

/** A waved line under a range, drawn without a picture so that no policy on images applies. */
const wave = (colour) => ({
  backgroundImage: "none",
  textDecorationLine: "underline",
  textDecorationStyle: "wavy",
  textDecorationColor: colour,
  textDecorationSkipInk: "none",
  textUnderlineOffset: "2px",
  paddingBottom: "0",
});

/** The mark of a finding in the gutter: its own shape per severity, not colour alone. */
const mark = (colour, shape) => ({
  content: "''",
  display: "block",
  width: "0.7em",
  height: "0.7em",
  margin: "0.35em 0.1em",
  background: colour,
  clipPath: shape,
});

const TRIANGLE = "polygon(50% 0, 100% 100%, 0 100%)";
const OCTAGON = "polygon(30% 0, 70% 0, 100% 30%, 100% 70%, 70% 100%, 30% 100%, 0 70%, 0 30%)";
const DISC = "circle(50%)";

function build(colours, isDark) {
  const c = {
    bg: token("bg", colours.bg),
    surface: token("surface", colours.surface),
    text: token("text", colours.text),
    muted: token("muted", colours.muted),
    border: token("border", colours.border),
    accent: token("accent", colours.accent),
    focus: token("focus", colours.focus),
    selection: token("editor-selection", colours.selection),
    match: token("s-waiting-tint", colours.match),
    error: token("s-error", colours.error),
    waiting: token("s-waiting", colours.waiting),
    active: token("s-active", colours.active),
  };
  const chrome = EditorView.theme(
    {
      "&": { color: c.text, backgroundColor: c.bg, height: "100%", fontSize: token("editor-size", "0.8125rem") },
      "&.cm-focused": { outline: `2px solid ${c.focus}`, outlineOffset: "-2px" },
      ".cm-scroller": { fontFamily: token("mono", "ui-monospace, monospace"), lineHeight: "1.5", overflow: "auto" },
      ".cm-content": { caretColor: c.text },
      ".cm-cursor, .cm-dropCursor": { borderLeftColor: c.text },
      "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection":
        { backgroundColor: c.selection },
      ".cm-gutters": { backgroundColor: c.surface, color: c.muted, border: "none" },
      ".cm-activeLine": { backgroundColor: `color-mix(in srgb, ${c.accent} 7%, transparent)` },
      ".cm-activeLineGutter": { backgroundColor: `color-mix(in srgb, ${c.accent} 14%, transparent)`, color: c.text },
      ".cm-foldPlaceholder": { backgroundColor: c.surface, border: `1px solid ${c.border}`, color: c.muted },
      "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: `1px solid ${c.border}` },
      "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", outline: `1px solid ${c.error}` },
      ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: c.match },
      ".cm-searchMatch-selected": { outline: `2px solid ${c.accent}` },
      ".cm-panels": { backgroundColor: c.surface, color: c.text },
      ".cm-panels.cm-panels-top": { borderBottom: `1px solid ${c.border}` },
      ".cm-textfield, .cm-button": {
        backgroundColor: c.bg, backgroundImage: "none", color: c.text, border: `1px solid ${c.border}`,
        borderRadius: token("radius", "4px"), fontSize: "inherit", minHeight: "28px", margin: "2px 4px 2px 0",
      },
      ".cm-panel.cm-search": {
        padding: "6px 32px 6px 8px", fontFamily: token("font", "system-ui, sans-serif"), fontSize: "0.8125rem",
      },
      ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", gap: "4px", minHeight: "28px", color: c.muted },
      ".cm-panel.cm-search [name=close]": { width: "28px", height: "28px", color: c.muted, fontSize: "1.125rem", cursor: "pointer" },
      ".cm-button:hover, .cm-panel.cm-search [name=close]:hover": { backgroundColor: c.selection },
      ".cm-button:active": { backgroundImage: "none" },
      ".cm-textfield:focus-visible, .cm-button:focus-visible": { outline: `2px solid ${c.focus}` },
      ".cm-tooltip": {
        backgroundColor: c.surface, color: c.text, border: `1px solid ${c.border}`,
        borderRadius: token("radius", "4px"),
      },
      ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: c.selection, color: c.text },
      ".cm-lintRange-error": wave(c.error),
      ".cm-lintRange-warning": wave(c.waiting),
      ".cm-lintRange-info, .cm-lintRange-hint": wave(c.active),
      ".cm-lintRange-active": { backgroundColor: c.match },
      ".cm-lint-marker": { content: "normal", width: "auto", height: "auto" },
      ".cm-lint-marker-error::before": mark(c.error, OCTAGON),
      ".cm-lint-marker-warning::before": mark(c.waiting, TRIANGLE),
      ".cm-lint-marker-info::before, .cm-lint-marker-hint::before": mark(c.active, DISC),
      ".cm-diagnostic": { borderLeftWidth: "4px", maxWidth: "60ch", whiteSpace: "normal" },
      ".cm-diagnostic-error": { borderLeftColor: c.error },
      ".cm-diagnostic-warning": { borderLeftColor: c.waiting },
      ".cm-diagnostic-info, .cm-diagnostic-hint": { borderLeftColor: c.active },
      ".cm-diagnosticAction": {
        backgroundColor: c.bg, color: c.text, border: `1px solid ${c.border}`, borderRadius: token("radius", "4px"),
        padding: "2px 8px", marginTop: "4px",
      },
      ".cm-diagnosticSource": { color: c.muted, opacity: "1" },
      ".cm-pl-message, .cm-pl-help": { display: "block" },
      ".cm-pl-help": { color: c.muted },
      "@media (forced-colors: active)": {
        ".cm-lint-marker-error::before, .cm-lint-marker-warning::before, .cm-lint-marker-info::before": {
          backgroundColor: "CanvasText",
        },
      },
    },
    { dark: isDark },
  );
  const words = HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: token("syntax-key", colours.key) },
    { tag: [tags.string, tags.special(tags.string)], color: token("syntax-string", colours.string) },
    { tag: tags.number, color: token("syntax-number", colours.number) },
    { tag: [tags.bool, tags.null, tags.keyword, tags.labelName, tags.typeName], color: token("syntax-atom", colours.atom) },
    { tag: tags.comment, color: c.muted, fontStyle: "italic" },
    { tag: [tags.meta, tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: c.muted },
    { tag: tags.invalid, color: c.error },
  ]);
  return [chrome, syntaxHighlighting(words)];
}

const themes = { light: build(light, false), dark: build(dark, true) };

/** @param {boolean} isDark */
export function themeFor(isDark) {
  return isDark ? themes.dark : themes.light;
}

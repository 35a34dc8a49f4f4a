/** Findings of the engine as diagnostics of CodeMirror's lint package. */

const SEVERITIES = new Set(["error", "warning", "info", "hint"]);

/**
 * @param {import("./index.js").Finding[]} findings
 * @param {number} length of the text, in UTF-16 units
 * @returns {import("@codemirror/lint").Diagnostic[]}
 */
export function toLint(findings, length) {
  return findings
    .map((finding) => {
      const from = within(finding.from, length);
      const to = Math.max(from, within(finding.to, length));
      return {
        from,
        to,
        severity: SEVERITIES.has(finding.severity) ? finding.severity : "error",
        source: finding.code,
        message: [finding.message, finding.help].filter(Boolean).join("\n"),
        renderMessage: () => rendered(finding),
        actions: finding.fix ? [action(finding.fix, from)] : [],
      };
    })
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

/** A position inside the text. */
function within(offset, length) {
  return Math.max(0, Math.min(Number(offset) || 0, length));
}

/** The tooltip of a finding: message, help, code. Text only, so that a definition cannot smuggle in markup. */
function rendered(finding) {
  const box = document.createElement("span");
  const add = (className, text) => {
    if (text) {
      const part = document.createElement("span");
      part.className = className;
      part.textContent = text;
      box.append(part);
    }
  };
  add("cm-pl-message", finding.message);
  add("cm-pl-help", finding.help);
  return box;
}

/** The quick fix of a finding; the text may have moved since, and the fix moves with the marked range. */
function action(fix, marked) {
  return {
    name: fix.title || "Fix",
    apply(view, from, to) {
      const length = view.state.doc.length;
      const moved = from - marked;
      const start = fix.from === undefined || fix.from === null ? from : within(fix.from + moved, length);
      const end = fix.to === undefined || fix.to === null ? to : Math.max(start, within(fix.to + moved, length));
      view.dispatch({ changes: { from: start, to: end, insert: fix.insert ?? "" }, userEvent: "input.fix" });
    },
  };
}

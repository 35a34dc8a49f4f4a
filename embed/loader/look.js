// Styles and theme: an element looks as the document around it does, at once when that changes.
import { call } from "./calls.js";
import { NAME } from "./text.js";

/** Elements in the document. */
export const live = new Set();
const dark = matchMedia("(prefers-color-scheme: dark)");
let sheet;
let watching;

/** Styles for the document or shadow root that an element stands in, unless it has them already. */
export const style = (root) => {
  if (getComputedStyle(root.querySelector(NAME) ?? document.body).getPropertyValue("--pl-loaded")) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css.replaceAll("~", NAME));
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
};

// Whether the text around an element is light, and so its background dark: hosts say it in many ways, all end in a colour.
const isDark = (it) => {
  const [r, g, b] = getComputedStyle(it.parentElement ?? document.body).color.match(/[\d.]+/g);
  return r * 0.3 + g * 0.6 + b * 0.1 > 140;
};

export const follow = (it) => {
  const asked = it.getAttribute("theme");
  const before = it.dataset.theme;
  const now = (it.dataset.theme = /^(light|dark)$/.test(asked) ? asked : isDark(it) ? "dark" : "light");
  if (it._port && before !== now) call(it, "theme", now);
};

export const watch = () => {
  if (watching) return;
  const all = () => live.forEach(follow);
  watching = new MutationObserver(all);
  for (const node of [document.documentElement, document.body]) {
    if (node) watching.observe(node, { attributes: true });
  }
  dark.addEventListener("change", all);
};

// Small things that every part of the loader uses: names, times, nodes, and the four ways in which something is told.
export const NAME = "planarium-embed";
const warned = new Set();

/** Writes to the console, each text once. */
export const warn = (text) => {
  if (!warned.has(text)) {
    warned.add(text);
    console.warn(`${NAME}: ${text}`);
  }
};

export const clock = (ms) => {
  const seconds = (ms / 1000) | 0;
  const two = (n) => String(n).padStart(2, "0");
  const hours = (seconds / 3600) | 0;
  const minutes = ((seconds / 60) | 0) % 60;
  const tenths = ((ms % 1000) / 100) | 0;
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}${tenths ? `.${tenths}` : ""}`;
};

export const make = (tag, className, more) => Object.assign(document.createElement(tag), { className, ...more });

/** The picture in an element. */
export const figureOf = (it) => it.querySelector(".pl-figure");

/** Tells the document. */
export const tell = (it, name, detail) => it.dispatchEvent(new CustomEvent(`planarium:${name}`, { detail, bubbles: true, composed: true }));

/** Writes the line below the table; the same text is not told again. */
export const write = (it, text) => {
  if (it._line && it._line.textContent !== text) it._line.textContent = text;
};

/** Says what cannot be read, in the picture and once in the console. */
export const complain = (it, text) => {
  warn(text);
  (figureOf(it) ?? it).append(make("p", "pl-problem", { textContent: text }));
};

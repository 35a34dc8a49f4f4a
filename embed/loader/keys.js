// Keys of the bar and of the table, and what is folded there. A key that is handled here is not the host's as well: mdBook turns pages by arrows.
import { call } from "./calls.js";
import { depthOf } from "./recording.js";

// Keys of the bar, and by how many changes of a status they go on.
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
// Keys of a row that only an engine can answer: the page in the frame has the same ones.
const ENGINE_KEYS = /^(Enter|[pcfriw])$/;

export const listen = (it) => {
  it._rows.forEach((row, at) => {
    row.tabIndex = at ? -1 : 0;
    if (depthOf(it._rows[at + 1]) > depthOf(row)) row.ariaExpanded = "true";
    row.onfocus = () => {
      it._rows[it._row ?? 0].tabIndex = -1;
      row.tabIndex = 0;
      it._row = at;
    };
  });
  it.addEventListener("keydown", (event) => {
    if (!event.altKey && !event.ctrlKey && !event.metaKey && press(it, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
};

const press = (it, { key, target }) => {
  const row = target.closest(".pl-tree tbody tr");
  if (target.closest(".pl-source, .pl-link")) return false;
  if ((target === it._button || target === it._try) && (key === " " || key === "Enter")) return false;
  if (it._bare) return row ? pressRow(it, row, key) : false;
  if (key === " " || key === "k") it.playing ? it.pause() : it.play();
  else if (row) return pressRow(it, row, key);
  else if (STEPS[key]) it.step("status", STEPS[key]);
  else if (key === "Home") it.seek(0);
  else if (key === "End") it.seek("end");
  else return false;
  return true;
};

const pressRow = (it, row, key) => {
  const shown = it._rows.filter((one) => !one.hidden && !one.classList.contains("pl-folded"));
  const at = shown.indexOf(row);
  const go = (to) => to?.focus();
  const open = row.ariaExpanded;
  const right = key === "ArrowRight";
  if (key === "ArrowDown" || (right && open === "true")) go(shown[at + 1]);
  else if (key === "ArrowUp") go(shown[at - 1]);
  else if (key === "Home") go(shown[0]);
  else if (key === "End") go(shown.at(-1));
  else if (right || key === "ArrowLeft") {
    if (open === String(!right)) fold(it, row, !right);
    else if (!right) go(shown.slice(0, at).findLast((one) => depthOf(one) < depthOf(row)));
  } else if (it._try && ENGINE_KEYS.test(key)) hand(it, key);
  else return false;
  return true;
};

/** Lets the engine take over, and gives it the key. */
const hand = async (it, key) => {
  const taken = await it.takeOver();
  if (taken.ok && key !== "Enter") call(it, "press", key);
};

const fold = (it, row, folded) => {
  row.ariaExpanded = String(!folded);
  let inside;
  for (const one of it._rows.slice(it._rows.indexOf(row) + 1)) {
    const depth = depthOf(one);
    if (depth <= depthOf(row)) break;
    // What was folded below stays folded.
    if (depth <= inside) inside = undefined;
    one.classList.toggle("pl-folded", folded || inside !== undefined);
    if (inside === undefined && one.ariaExpanded === "false") inside = depth;
  }
};

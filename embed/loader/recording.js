// The recording: read, checked, and shown at an instant.
import { clock, complain, make, tell, warn, write } from "./text.js";

const VERSION = 1;
const FAMILIES = ["neutral", "active", "complete", "waiting", "error"];

const groups = (flat, size) => {
  if (flat.length % size) throw new Error();
  return Array.from({ length: flat.length / size }, (_, at) => flat.slice(at * size, at * size + size));
};

export const depthOf = (row) => Number(row?.dataset.depth);
export const rowsOf = (it) => (it._rows = [...it.querySelectorAll(".pl-tree tbody tr")]);
export const nameOf = (it, row) => it._rows[row].cells[0].lastChild.textContent;
/** The marker that counts at the instant shown. */
export const markOf = (it) => it._marks.findLast(([at]) => at <= it._now);

/** Reads the recording; answers whether it can be played. */
export const open = (it) => {
  let what = "it is incomplete or damaged";
  try {
    // The recording is in an attribute where a host runs every script of a page again (instant navigation of MkDocs Material).
    const run = JSON.parse(it.dataset.recording ?? it.querySelector("script.pl-recording").textContent);
    if (!(run.v <= VERSION)) {
      what = `its version ${run.v} is newer than this script`;
      throw new Error();
    }
    run.words = groups(run.words, 3);
    run.changes = groups(run.changes, 3);
    it._marks = groups(run.marks ?? [], 2);
    const rows = rowsOf(it).length;
    const known = (word) => word >= -1 && word < run.words.length;
    const fits = run.changes.every(([gap, row, word]) => gap >= 0 && row >= 0 && row < rows && known(word));
    if (!fits || run.first.length !== rows || !(run.end >= 0) || !run.first.every(known)) throw new Error();
    it._run = run;
  } catch {
    const reason = `This recording cannot be played: ${what}.`;
    complain(it, reason);
    tell(it, "error", { reason });
    return false;
  }
  const { first, changes, end } = it._run;
  markers(it, it.getAttribute("markers"));
  // Changes with their instants, each with what it replaces, so that going back costs what going forward costs.
  const stands = [...first];
  let at = 0;
  it._changes = changes.map(([gap, row, word]) => {
    at += gap;
    const from = stands[row];
    stands[row] = word;
    return [at, row, word, from];
  });
  it._stops = [...new Set([0, ...[...it._changes, ...it._marks].map(([ms]) => ms), end])].sort((a, b) => a - b);
  it._stands = [...first];
  it._since = first.map(() => 0);
  it._applied = 0;
  it._from = read(it, "start-at", 0);
  it._to = read(it, "stop-at", end);
  return true;
};

/** Markers of the document: `12=Pause here;40=Agent lost`, or JSON as the property has them. */
const markers = (it, given) => {
  if (!given) return;
  try {
    const marks = /^\s*\[/.test(given)
      ? JSON.parse(given).map(({ at, text }) => [at, text])
      : given.match(/[^;]+/g).map((part) => /(.*?)=(.*)/s.exec(part).slice(1));
    if (!marks.every((mark) => (mark[0] *= 1000) >= 0 && mark[0] <= it._run.end && mark[1] > "")) throw new Error();
    it._marks = marks.sort(([a], [b]) => a - b);
  } catch {
    warn(`markers="${given}" is not "12=Pause here;40=Agent lost" within this run`);
  }
};

/** The instant that is meant, in milliseconds: a number of seconds, "50%", "end", "marker:TEXT" or {marker: TEXT}. */
export const instant = (it, to) => {
  if (!it._run) return;
  const { end } = it._run;
  const name = to?.marker ?? /^marker:(.*)/s.exec(to)?.[1];
  if (name !== undefined) return it._marks.find(([, text]) => text === name)?.[0];
  if (to === "start") return 0;
  if (to === "end") return end;
  const text = String(to).replace(/^at:/, "");
  const number = parseFloat(text);
  if (isFinite(number)) return Math.min(end, Math.max(0, text.endsWith("%") ? (end * number) / 100 : number * 1000));
};

const read = (it, name, usual) => {
  const given = it.getAttribute(name);
  if (given === null) return usual;
  const ms = instant(it, given);
  if (ms === undefined) warn(`${name}="${given}" is no instant of this run`);
  return ms ?? usual;
};

/** Shows an instant; `quiet` tells nobody. */
export const show = (it, ms, quiet) => {
  const before = it._now;
  it._now = ms;
  const touched = new Set();
  const change = (row, from, to, since, at) => {
    it._stands[row] = to;
    it._since[row] = since;
    touched.add(row);
    const word = (number) => it._run.words[number]?.[0] ?? null;
    if (!quiet) tell(it, "statuschange", { path: pathOf(it, row), from: word(from), to: word(to), t: at / 1000 });
  };
  while (it._changes[it._applied]?.[0] <= ms) {
    const [at, row, word, from] = it._changes[it._applied++];
    change(row, from, word, at, at);
  }
  while (it._applied > 0 && it._changes[it._applied - 1][0] > ms) {
    const [, row, word, from] = it._changes[--it._applied];
    change(row, word, from, it._changes.slice(0, it._applied).findLast((one) => one[1] === row)?.[0] ?? 0, ms);
  }
  for (const row of touched) draw(it, row);
  if (it._range) {
    it._range.value = ms;
    it._range.ariaValueText = `${clock(ms)} of ${clock(it._run.end)}`;
  }
  if (it._clock) it._clock.textContent = clock(it.playing ? ms - (ms % 1000) : ms);
  const mark = markOf(it);
  write(it, mark?.[1] ?? "");
  if (quiet) return;
  if (mark?.[0] > before) tell(it, "marker", { at: mark[0] / 1000, text: mark[1] });
  const wall = performance.now();
  if (!it.playing || !(wall - it._told < 250)) {
    it._told = wall;
    tell(it, "timeupdate", { time: it.time });
  }
};

export const draw = (it, at) => {
  const row = it._rows[at];
  const [word, family, glyph] = it._run.words[it._stands[at]] ?? [];
  row.hidden = word === undefined;
  row.dataset.family = FAMILIES[family] ?? "neutral";
  const [, status, since] = row.cells;
  status.textContent = "";
  since.textContent = word ? clock(it._since[at]) : "";
  if (word) {
    status.append(make("span", "pl-glyph", { textContent: glyph, ariaHidden: "true" }), " ", make("span", "pl-word", { textContent: word }));
  }
};

/** Names of an element from its plan on: `deploy/world`. */
export const pathOf = (it, row) => {
  const names = [];
  let depth = Infinity;
  for (let at = row; at >= 0 && depth > 0; at -= 1) {
    const own = depthOf(it._rows[at]);
    if (own < depth) {
      names.unshift(nameOf(it, at));
      depth = own;
    }
  }
  return names.join("/");
};

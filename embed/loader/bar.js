// The bar, and the line below the table.
import { address, forget } from "./engine.js";
import { markOf, nameOf, rowsOf, show } from "./recording.js";
import { clock, make, write } from "./text.js";
import { listen } from "./keys.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** Whether this reader has runs stepped through instead of played. */
export const isCalm = (it) => calm.matches || it.getAttribute("motion") === "reduce";

const button = (node, onclick) => Object.assign(node, { type: "button", disabled: false, onclick });

export const controls = (it) => {
  const part = (name) => it.querySelector(`.pl-${name}`);
  const play = (it._button = part("play"));
  it._clock = part("clock");
  it._line = part("mark");
  const bar = part("bar");
  if (it._run && play) {
    const { end } = it._run;
    const scrub = make("span", "pl-scrub");
    const range = (it._range = make("input", "", { type: "range", min: 0, max: end, step: "any", ariaLabel: "Time" }));
    scrub.append(range);
    for (const [at, text] of it._marks) {
      const tick = make("span", "pl-tick", { title: text });
      tick.style.setProperty("--x", end ? at / end : 0);
      scrub.append(tick);
    }
    play.after(scrub);
    button(play, () => (it.playing ? it.pause() : it.play()));
    range.oninput = () => {
      it.pause();
      show(it, Number(range.value));
    };
    range.onchange = () => say(it);
  }
  if (bar && address(it) && (it._bare || part("run"))) {
    it._try = button(part("try") ?? make("button", "pl-try"), () => it.takeOver());
    forget(it);
    bar.append(it._try);
    if (it.getAttribute("editable") !== "false") it.querySelectorAll(".pl-source pre").forEach((source) => source.before(button(make("button", "pl-try", { textContent: "Edit" }), () => {
      it._edits = true;
      it.takeOver();
    })));
  }
  if (it._line) it._line.role = "status";
  const slots = [["toolbar-start", bar, "prepend"], ["toolbar-end", bar, "append"], ["caption", it._line, "after"], ["fallback", bar, "before"]];
  for (const [slot, place, put] of slots) place?.[put](...it.querySelectorAll(`[slot=${slot}]`));
  label(it);
  listen(it);
};

/** A figure for an element that has none: a bar and a line. */
export const figure = (it) => {
  const made = make("figure", "pl-figure", { part: "frame", ariaLabel: it._teaches ? "Lesson" : "Rollout" });
  made.append(make("p", "pl-bar", { part: "toolbar" }), make("p", "pl-mark", { part: "caption" }));
  it.append(made);
};

export const label = (it) => {
  const { playing } = it;
  if (it._button) it._button.textContent = playing ? "Pause" : isCalm(it) ? "Step" : "Play";
  // Screen readers: nothing is said while a run plays; the state is announced when it stops.
  if (it._line) it._line.ariaLive = playing ? "off" : "polite";
};

/** Says what is shown. */
export const say = (it) => {
  if (!it._run) return;
  const word = (row) => it._run.words[it._stands[row]]?.[0];
  const top = it._rows.findIndex((_, at) => word(at));
  write(it, [`${clock(it._now)}: ${top < 0 ? "" : `${nameOf(it, top)} ${word(top)}`}`, markOf(it)?.[1]].filter(Boolean).join(". "));
};

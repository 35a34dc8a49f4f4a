// What a document may write on the element.
import { complain } from "./text.js";

/** The page in the frame reads the last nine, and says what it does not know. */
export const ATTRIBUTES = ["autoplay", "loop", "speed", "start-at", "stop-at", "poster", "markers", "pause-on-markers", "controls", "theme", "loading", "height", "panes", "engine", "wasm-src", "lesson", "src", "scenario", "example", "state", "dialect", "seed", "nodes", "cluster", "commands", "editable", "density", "motion", "link"];

/** Complains about each that means nothing. */
export const check = (it) => {
  for (const { name, value } of it.attributes) {
    const words = { height: CSS.supports("height", value), loading: /^(lazy|click|eager|visible)$/.test(value) };
    if (!(words[name] ?? (ATTRIBUTES.includes(name) || name in it || /^(data|aria)-|^(class|tabindex)$|[^a-z-]/.test(name)))) {
      complain(it, `unknown ${name}="${value}"`);
    }
  }
};

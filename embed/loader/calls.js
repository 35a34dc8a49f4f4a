// Calls of the engine's page, and which elements have an engine.
export const LEFT = "the engine was left";

/** Elements whose engine runs, the one last acted upon at the end. */
export const engines = [];

/** Takes an element off the list. */
export const drop = (it) => {
  const at = engines.indexOf(it);
  if (at >= 0) engines.splice(at, 1);
};

/** Notes that an element was acted upon last. */
export const act = (it) => {
  drop(it);
  engines.push(it);
};

/** Methods that only an engine can answer. Each is a promise of {ok: true, value} or {ok: false, code, reason}. */
export const refused = (reason) => ({ ok: false, code: "no-engine", reason });

/** Asks the engine that runs. */
export const call = (it, name, ...args) => {
  if (!it._port) return Promise.resolve(refused(LEFT));
  if (name !== "share" && name !== "theme") act(it);
  const id = (it._calls = (it._calls ?? 0) + 1);
  return new Promise((done) => {
    (it._waiting ??= new Map()).set(id, done);
    it._port.postMessage({ id, call: name, args });
  });
};

// A reader who goes into a frame acts upon it; the document hears no more than that it lost the focus.
addEventListener("blur", () => {
  const one = engines.find((one) => one._frame === document.activeElement);
  if (one) act(one);
});

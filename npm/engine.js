/**
 * The engine without a page: worlds, commands, faults, explanations, links. Runs in Node 20, in browsers and in workers.
 *
 * A command that the real system would refuse is an answer, `{ ok: false, code, reason }`, and never an exception. Only a
 * source that cannot be read (a scenario with errors, a damaged link) throws.
 */
import load, { Simulation, check, decodeShare, encodeShare, examples, renderLesson, version } from "./planarium.js";

export { decodeShare, examples, renderLesson, version };

let started;

/** The WebAssembly file that lies beside this one, read in the way of the place it runs in. */
async function beside() {
  const url = new URL("./planarium_bg.wasm", import.meta.url);
  if (url.protocol !== "file:") return url;
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
  return readFile(url);
}

/**
 * Starts the engine, once however often it is called. `wasm` is a URL, a Response, bytes or a compiled module; without it the
 * file in this package is taken.
 */
export function init(wasm) {
  started ??= (async () => {
    await load({ module_or_path: await (wasm ?? beside()) });
  })().catch((error) => {
    started = undefined;
    throw error;
  });
  return started;
}

/** Reads a definition without running it: a text, or files with their environment. */
export function parse(definition) {
  return check(load_of(definition));
}

/** A world of its own. Free it with `dispose()` when it is not needed any more. */
export function createSession(source = {}) {
  return new Session(source);
}

/** The share string of a session's branch, or of a journal. */
export function encodeShare_(what) {
  return what instanceof Session ? what.share() : encodeShare(what);
}
export { encodeShare_ as encodeShare };

function load_of(definition) {
  const { files, ...rest } = typeof definition === "string" ? { files: definition } : definition;
  return { ...rest, files: typeof files === "string" ? { [main_file(files)]: files } : files };
}

/** Returns a name for a text without one; the content decides the kind of a file. */
function main_file(text) {
  return text.trimStart().startsWith("{") ? "definition.json" : "definition.yml";
}

const clean = (input) => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

class Session {
  #simulation;
  #title = "";

  constructor({ scenario, files, example, share, definition, machines = 3, ...genesis }) {
    if (scenario !== undefined) {
      this.#simulation = Simulation.fromScenario(scenario, files);
    } else if (example !== undefined) {
      this.#simulation = Simulation.fromExample(example);
      this.#title = examples().find(({ id }) => id === example)?.title ?? "";
    } else if (share !== undefined) {
      this.#simulation = Simulation.fromShare(share);
    } else {
      this.#simulation = new Simulation(genesis);
      if (machines > 0) this.apply({ kind: "add-agent", count: machines });
      if (definition !== undefined) this.loaded = this.apply({ kind: "load-service", ...load_of(definition) });
    }
  }

  /** Virtual time in milliseconds since the world began. */
  get time() { return this.#simulation.nowMs; }
  /** Number of the last event. */
  get seq() { return this.#simulation.seq; }
  /** Nothing is left that would change anything. */
  get idle() { return this.#simulation.idle; }
  /** Digest of all that happened: equal for equal runs, in Node, in every browser and on the command line. */
  get digest() { return this.#simulation.digest; }
  /** Where a shared run first comes out differently than it was recorded; undefined when it does not. */
  get difference() { return this.#simulation.difference; }

  /** Advances virtual time by this many milliseconds. */
  tick(ms) { this.#simulation.advanceTo(this.time + ms); return this; }
  /** Moves on to the next events or changes of a status. */
  step(by = "event", count = 1) {
    let answer;
    if (by === "event") answer = this.#simulation.advanceEvents(count);
    else for (let n = 0; n < count; n++) answer = this.#simulation.advanceStatusChange();
    return answer;
  }
  /** Moves on until a condition holds: `deploy=COMPLETE`, `idle`, `t=30s`. */
  runUntil(condition, limit_ms = 86_400_000) { return this.#simulation.runUntil(condition, limit_ms); }
  /** Goes to an instant of the past, or back to the end. */
  seek(ms) { this.#simulation.seekMs(ms); return this; }

  /** Puts any input in; in the past that opens a branch. */
  apply(input) { return this.#simulation.apply(clean(input)); }
  /** Commands a plan, phase or step: `{ op: "continue", plan: "deploy" }`. Without a service the first one is meant. */
  command({ service = this.#first(), ...command }) { return this.apply({ kind: "plan", service, ...command }); }
  /** Breaks something: `{ kind: "agent-lost", target: { agent: "*" }, for_ms: 60_000 }`; `fault` is read in place of `kind`. */
  inject({ kind, fault = kind, ...rest }) { return this.apply({ ...rest, kind: "fault", fault }); }
  /** Asks one of the simulated HTTP APIs. */
  request(method, target, body) {
    return this.#simulation.request(method, target, body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  }

  /** Why an element is not finished: `"deploy"`, `"deploy/hello"`, `"deploy/hello/hello-0:[server]"`, or its parts. */
  why(path) {
    const parts = typeof path === "string" ? path.split("/") : [path.plan, path.phase, path.step];
    const { service = this.#first(), dialect } = typeof path === "string" ? {} : path;
    const [plan, phase, ...step] = parts.filter((part) => part !== undefined);
    return this.#simulation.why(service, plan, phase, step.length ? step.join("/") : undefined, dialect);
  }
  /** Everything that a front end shows at this instant. */
  snapshot() { return this.#simulation.view(); }
  /** The events after this number. */
  events(since = 0) { return this.#simulation.events(since); }

  /** The run as a link text; `createSession({ share })` opens it again. */
  share() { return this.#simulation.share(); }
  /** The run as plain data. */
  journal() { return this.#simulation.journal(); }
  /** The plan trees as text. */
  renderText() { return this.#simulation.renderText(); }
  /** The run as a picture for a document, with its recording beside it. */
  renderHtml(options = {}) { return this.#simulation.renderHtml(clean({ title: this.#title, ...options })); }

  /** Frees the memory of this world; it cannot be used any more. */
  dispose() { this.#simulation.free(); }

  #first() { return this.snapshot().services[0]?.name ?? ""; }
}

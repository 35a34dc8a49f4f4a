// The engine beside the page: a worker, started from a module that is compiled once, and started again when it has ended.
//
// Frames of one document share a worker: the first frame holds it, the others are given a session of it over a port of their own. Where
// the holder goes, another frame becomes the holder, and every page plays its run again. Frames find each other as windows of their own
// origin below the same document; where that is refused, each has a worker of its own.
//
// It knows how to load, to share and to end the worker, and nothing of what is said. Texts that are posted before the worker is there wait for it.
import { compiled } from "./compiled.js";

/** Waits before further attempts to load. *Units*: milliseconds. */
const WAITS = [250, 1_000, 4_000];
/** Wait before a lost worker is replaced: if the whole document goes, there is nobody to do it. *Units*: milliseconds. */
const LOST_MS = 20;
/** Time in which the worker ends the session of a frame that is gone. *Units*: milliseconds. */
const END_MS = 2_000;

/** What the other frames of the document that are of this page's origin have under a name. */
function beside(name) {
  const found = [];
  const around = window.parent;
  if (around === window) return found;
  for (let at = 0; at < around.length; at += 1) {
    try {
      const other = around[at];
      if (other !== window && !other.closed && other[name]) found.push([other[name], other]);
    } catch {
      // It belongs to somebody else.
    }
  }
  return found;
}

/** The same module in this page, which outlives the other one; nothing where it cannot be had. */
const moduleOf = (module) => module.then((it) => structuredClone(it)).catch(() => undefined);

/** The module of the page itself, which frames of one document compile once: its address and a promise. */
export function pageModule(url) {
  const known = beside("planariumPage").find(([page]) => page.url === url);
  const own = async () => (known && (await moduleOf(known[0].module))) ?? compiled(url);
  const module = own();
  module.catch(() => {});
  return { url, module };
}

export class Engine {
  #names;
  #progress;
  #module;
  /** The worker, where this page holds it. */
  #worker;
  /** Where texts go: the worker, or the port of a session. */
  #line;
  /** The frame that holds the worker, where another one does: its engine, its window, and the number of the session. */
  #holder;
  /** Frames that have a session of this page's worker: number to what tells them that it has ended. */
  #members = new Map();
  #last = 0;
  /** The session that worked last. */
  #at = 0;
  /** Sessions whose end the worker has not confirmed. */
  #ending = new Set();
  #shares = false;
  #left = false;
  /** The first text of the worker: from then on it takes texts. */
  #hello;
  #held = [];
  #take;
  #tries = 0;
  #wasUp = false;
  /** The page's own file is there. */
  #mayCome = false;
  #fail;

  /**
   * @param {{ script: string, glue: string, wasm: string, texts: string, first?: object }} names addresses of the worker's files, and what
   *   the page shows first, see ahead.js
   * @param {(bytes: number) => void} progress hears how many bytes of the engine have arrived
   * @param {boolean} shares frames of the same document have one worker together
   */
  constructor(names, progress = () => {}, shares = false) {
    this.#names = names;
    this.#progress = progress;
    this.#shares = shares;
    /** Fails when the engine cannot be loaded at first. */
    this.failed = new Promise((_, fail) => (this.#fail = fail));
    this.failed.catch(() => {});
    // A page that may come back keeps what it has.
    if (shares) addEventListener("pagehide", ({ persisted }) => persisted || this.#leave());
    this.#start();
  }

  /** Sends a text. */
  post(text) {
    if (this.#hello) this.#line.postMessage(text);
    else this.#held.push(text);
  }

  /** Hands each text of the worker on, from its first one. */
  hear(take) {
    this.#take = take;
    if (this.#hello) take(this.#hello);
  }

  /** The page's own file is there: what the first world needs may come beside the rest. */
  ahead() {
    if (this.#mayCome) return;
    this.#mayCome = true;
    if (this.#worker && !this.#hello) this.#worker.postMessage({ ahead: true });
  }

  /** Ends the worker, whatever it does, and starts another one. Texts that wait are dropped. */
  restart() {
    const holder = this.#holder;
    this.#end();
    this.#held = [];
    this.#tries = 0;
    if (holder && !holder.window.closed) holder.engine.again(holder.number);
    this.#start();
  }

  /** Whether the worker is busy with another page's question. A holder that has gone is noticed here at the latest. */
  elsewhere() {
    const holder = this.#holder;
    if (!holder) return this.#at !== 0;
    if (holder.window.closed) {
      this.#lost(this.#line);
      return true;
    }
    return holder.engine.at !== holder.number;
  }

  // What follows is called by the other frames.

  /** The session that worked last. */
  get at() {
    return this.#at;
  }

  /** The compiled module. */
  get module() {
    return this.#module;
  }

  /** Whether another page with these files may have a session of this page's worker. */
  lends(names) {
    // The names of the engine's pieces stand in its glue.
    const same = ["script", "glue", "wasm", "texts"].every((file) => names[file] === this.#names[file]);
    return Boolean(this.#worker) && !this.#left && same;
  }

  /** Opens a session over a port and returns its number; `gone` is called when the worker ends. */
  lend(port, gone) {
    const join = (this.#last += 1);
    this.#members.set(join, gone);
    this.#worker.postMessage({ join }, [port]);
    return join;
  }

  /** Ends the session of a frame that goes. Where the worker does not come to it, it is at an endless question of that frame. */
  leave(end) {
    if (!this.#members.delete(end)) return;
    this.#worker.postMessage({ end });
    this.#watchEnd(end);
  }

  /** Starts another worker, since that of now has failed or does not answer. The page that says so is told nothing more. */
  again(number) {
    if (this.#left) return;
    this.#members.delete(number);
    const was = this.#hello;
    this.#end();
    if (was) this.#held = [];
    this.#tries = 0;
    this.#start();
    if (was) this.#take?.('"Gone"');
  }

  /** Waits for the end of a session. A worker that stays with it does not end by itself. */
  #watchEnd(number) {
    const worker = this.#worker;
    this.#ending.add(number);
    setTimeout(() => {
      if (worker !== this.#worker || !this.#ending.has(number)) return;
      if (this.#at === number) this.again(number);
      else this.#watchEnd(number);
    }, END_MS);
  }

  async #start() {
    try {
      if (this.#shares && this.#join()) return;
      const worker = new Worker(this.#names.script, { type: "module", name: "engine" });
      this.#worker = this.#line = worker;
      this.#at = 0;
      this.#ending.clear();
      const isOurs = () => worker === this.#worker;
      worker.onmessage = ({ data }) => isOurs() && this.#heard(data);
      worker.onerror = (event) => {
        event.preventDefault();
        if (!isOurs()) return;
        const words = event.message || "the worker's script did not load";
        if (this.#hello) this.#take?.(JSON.stringify({ Panicked: words }));
        else this.#refused(new Error(words));
      };
      const { glue, texts, first } = this.#names;
      worker.postMessage({ glue, texts, first });
      if (this.#mayCome) worker.postMessage({ ahead: true });
      this.#module ??= this.#compiled();
      // Another frame's module may not be had any more.
      const module = (await this.#module) ?? (await (this.#module = this.#compiled()));
      if (isOurs()) worker.postMessage({ module });
    } catch (error) {
      this.#refused(error);
    }
  }

  #compiled() {
    const module = compiled(this.#names.wasm, this.#progress);
    module.catch(() => (this.#module = undefined));
    return module;
  }

  /** Takes a session of the worker that another frame of the document holds, if one does. */
  #join() {
    const found = beside("planariumEngine").find(([engine]) => engine.lends?.(this.#names));
    if (!found) return false;
    const [engine, holder] = found;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => port1 === this.#line && this.#heard(data);
    this.#line = port1;
    this.#holder = { engine, window: holder, number: engine.lend(port2, () => this.#lost(port1)) };
    if (engine.module) this.#module ??= moduleOf(engine.module);
    return true;
  }

  /** The worker that this page has a session of has ended, or its frame is gone: another one takes over. */
  #lost(line) {
    if (line !== this.#line) return;
    const was = this.#hello;
    this.#end();
    setTimeout(() => {
      if (this.#line) return;
      // What was asked is asked again.
      if (was) this.#held = [];
      this.#start();
      if (was) this.#take?.('"Gone"');
    }, LOST_MS);
  }

  /** This frame goes. */
  #leave() {
    this.#left = true;
    if (this.#holder) this.#holder.engine.leave(this.#holder.number);
    this.#end();
  }

  #heard(data) {
    if (typeof data !== "string") {
      if ("piece" in data) dispatchEvent(new CustomEvent("planarium:piece", { detail: data }));
      else if ("at" in data) this.#at = data.at;
      else if ("ended" in data) {
        this.#ending.delete(data.ended);
        if (this.#at === data.ended) this.#at = 0;
      } else if ("over" in data) {
        // The page whose question it was asks for another worker. If it is gone, this one does.
        this.#at = data.over;
        this.#watchEnd(data.over);
      } else this.#refused(new Error(data.refused));
      return;
    }
    if (!this.#hello) {
      this.#hello = data;
      this.#wasUp = true;
      // Another worker shows what this one has come to.
      this.#names.first = undefined;
      for (const text of this.#held.splice(0)) this.#line.postMessage(text);
    }
    this.#take?.(data);
  }

  /** Tries again after a while. What has run once is tried for as long as it takes. */
  #refused(error) {
    this.#end();
    const wait = WAITS[this.#tries] ?? WAITS.at(-1);
    this.#tries += 1;
    const isHopeless = typeof WebAssembly !== "object" || error instanceof WebAssembly.CompileError;
    if (!this.#wasUp && (isHopeless || this.#tries === WAITS.length)) {
      this.#fail(error);
      return;
    }
    console.warn(`the engine was not loaded, trying again: ${error.message}`);
    setTimeout(() => this.#line || this.#start(), wait);
  }

  #end() {
    if (this.#line === this.#worker) this.#worker?.terminate();
    else this.#line.close();
    this.#worker = this.#line = this.#hello = this.#holder = undefined;
    const members = [...this.#members.values()];
    this.#members.clear();
    for (const gone of members) gone();
  }
}

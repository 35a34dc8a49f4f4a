// The engine beside the page: a worker, started from a module that is compiled once, and started again when it has ended.
//
// It knows how to load and how to end the worker, and nothing of what is said. Texts that are posted before the worker is there wait for it.

/** Waits before further attempts to load. *Units*: milliseconds. */
const WAITS = [250, 1_000, 4_000];

/** Compiles while the file arrives, and says how much of it is there. */
async function compiled(url, progress) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  count(response.clone(), progress);
  const type = response.headers.get("content-type") ?? "";
  return type.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

async function count(response, progress) {
  try {
    let bytes = 0;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
      progress(bytes);
    }
  } catch {
    // What became of the file is told by its compilation.
  }
}

export class Engine {
  #names;
  #progress;
  #module;
  #worker;
  /** The first text of the worker: from then on it takes texts. */
  #hello;
  #held = [];
  #take;
  #tries = 0;
  #wasUp = false;
  #fail;

  /**
   * @param {{ script: string, glue: string, wasm: string }} names addresses of the worker's files
   * @param {(bytes: number) => void} progress hears how many bytes of the engine have arrived
   */
  constructor(names, progress = () => {}) {
    this.#names = names;
    this.#progress = progress;
    /** Fails when the engine cannot be loaded at first. */
    this.failed = new Promise((_, fail) => (this.#fail = fail));
    this.failed.catch(() => {});
    this.#start();
  }

  /** Sends a text. */
  post(text) {
    if (this.#hello) this.#worker.postMessage(text);
    else this.#held.push(text);
  }

  /** Hands each text of the worker on, from its first one. */
  hear(take) {
    this.#take = take;
    if (this.#hello) take(this.#hello);
  }

  /** Ends the worker, whatever it does, and starts another one. Texts that wait are dropped. */
  restart() {
    this.#end();
    this.#held = [];
    this.#tries = 0;
    this.#start();
  }

  async #start() {
    try {
      const worker = new Worker(this.#names.script, { type: "module", name: "engine" });
      this.#worker = worker;
      const isOurs = () => worker === this.#worker;
      worker.onmessage = ({ data }) => isOurs() && this.#heard(data);
      worker.onerror = (event) => {
        event.preventDefault();
        if (!isOurs()) return;
        const words = event.message || "the worker's script did not load";
        if (this.#hello) this.#take?.(JSON.stringify({ Panicked: words }));
        else this.#refused(new Error(words));
      };
      this.#module ??= compiled(this.#names.wasm, this.#progress);
      const module = await this.#module.catch((error) => {
        this.#module = undefined;
        throw error;
      });
      if (isOurs()) worker.postMessage({ glue: this.#names.glue, module });
    } catch (error) {
      this.#refused(error);
    }
  }

  #heard(data) {
    if (typeof data !== "string") {
      this.#refused(new Error(data.refused));
      return;
    }
    if (!this.#hello) {
      this.#hello = data;
      this.#wasUp = true;
      for (const text of this.#held.splice(0)) this.#worker.postMessage(text);
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
    setTimeout(() => this.#worker || this.#start(), wait);
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#hello = undefined;
  }
}

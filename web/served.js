// A served world beside the page: a WebSocket to `planarium serve` in the place of the engine's worker, opened again when it is lost.
//
// It knows how to reach the server, and nothing of what is said. Texts that are posted before the first answer wait for it.

/** Waits before further attempts to connect. *Units*: milliseconds. */
const WAITS = [250, 1_000, 2_000, 4_000];

/** The address of the socket that `?world=` names: a whole address, or a path on the page's own server. */
function socketAddress(world) {
  const url = new URL(world, document.baseURI);
  url.hash = "";
  url.protocol = { "http:": "ws:", "https:": "wss:" }[url.protocol] ?? url.protocol;
  if (!["ws:", "wss:"].includes(url.protocol)) throw new Error(`"${world}" is no address of a served world`);
  return url;
}

export class Served {
  /** The server, as people write it. */
  address = "";
  #url;
  #say;
  #socket;
  /** The first text of the server: from then on it takes texts. */
  #hello;
  #held = [];
  #take;
  #tries = 0;
  #wasUp = false;

  /**
   * @param {string} world the value of `?world=`
   * @param {(text: string) => void} say hears how it stands before the page is there
   */
  constructor(world, say) {
    this.#say = say;
    let fail;
    /** Fails when there is nothing to connect to. */
    this.failed = new Promise((_, refused) => (fail = refused));
    this.failed.catch(() => {});
    try {
      const url = socketAddress(world);
      this.#url = url.href;
      this.address = url.host;
      this.#open();
    } catch (error) {
      fail(error);
    }
  }

  /** Sends a text. */
  post(text) {
    if (this.#hello) this.#socket.send(text);
    else if (!this.#wasUp) this.#held.push(text);
  }

  /** Hands each text of the server on, from its first one. */
  hear(take) {
    this.#take = take;
    if (this.#hello) take(this.#hello);
  }

  /** Leaves a connection that does not answer, and opens another one. */
  restart() {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#hello = undefined;
    socket?.close();
    this.#again();
  }

  #open() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.onmessage = ({ data }) => socket === this.#socket && this.#heard(data);
    socket.onclose = ({ reason }) => socket === this.#socket && this.#lost(reason);
  }

  #heard(data) {
    if (!this.#hello) {
      this.#hello = data;
      this.#wasUp = true;
      for (const text of this.#held.splice(0)) this.#socket.send(text);
    } else {
      this.#tries = 0;
    }
    this.#take?.(data);
  }

  #lost(reason) {
    const wasUp = Boolean(this.#hello);
    this.#socket = undefined;
    this.#hello = undefined;
    const why = reason || "the server closed it";
    if (wasUp) this.#take?.(JSON.stringify({ Lost: why }));
    this.#say(
      wasUp
        ? `The connection to ${this.address} is lost: ${why}. Trying again …`
        : `No world is served to this page at ${this.address}. Does planarium serve run there, and does it allow ${location.origin} (--allow-origin)? Trying again …`,
    );
    this.#again();
  }

  #again() {
    const wait = WAITS[this.#tries] ?? WAITS.at(-1);
    this.#tries += 1;
    setTimeout(() => this.#socket || this.#open(), wait);
  }
}

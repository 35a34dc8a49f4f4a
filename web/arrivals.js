// The line that tells how much of the engine has arrived: while it starts, and later while a further system is on its way.

/** A piece that comes sooner is not worth a line. *Units*: milliseconds. */
const SLOW_MS = 300;

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

export class Arrivals {
  /** Name to `{ bytes, total }`, of what is on its way; the main part is "". */
  #parts = new Map();
  #waits;

  /** @param {number} size bytes of the main part */
  constructor(size) {
    this.#parts.set("", { bytes: 0, total: size });
  }

  /** So much of the main part is there. */
  main(bytes) {
    const part = this.#parts.get("");
    if (part) part.bytes = bytes;
    this.#show();
  }

  /** A piece arrives, as `pieces.js` tells it; what several pieces share is counted with each. */
  piece({ piece, bytes, total, failed }) {
    if (failed) this.#parts.delete(piece);
    else this.#parts.set(piece, { bytes, total });
    this.#show(failed);
  }

  #sum(key) {
    return [...this.#parts.values()].reduce((all, part) => all + part[key], 0);
  }

  #show(failed) {
    // The line of a page that starts, or that says why it does not, is the page's own.
    const isStarted = document.documentElement.dataset.boot === "started";
    if (isStarted) {
      for (const [name, { bytes, total }] of this.#parts) if (bytes >= total) this.#parts.delete(name);
    }
    const place = document.getElementById("boot-bytes");
    if (place) place.textContent = failed ? "trying again" : `${megabytes(this.#sum("bytes"))} of ${megabytes(this.#sum("total"))} MB`;
    if (!isStarted) return;
    if (this.#parts.size === 0) {
      clearTimeout(this.#waits);
      this.#waits = undefined;
      document.getElementById("boot")?.remove();
    } else this.#waits ??= setTimeout(() => this.#line(), SLOW_MS);
  }

  #line() {
    const line = document.createElement("p");
    line.id = "boot";
    line.setAttribute("role", "status");
    const bytes = document.createElement("span");
    bytes.id = "boot-bytes";
    bytes.setAttribute("aria-hidden", "true");
    line.append("Loading more of the engine … ", bytes);
    document.body.append(line);
    this.#show();
  }
}

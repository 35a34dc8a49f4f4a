// Pieces of the engine: WebAssembly that is loaded when it is first needed, into the memory and the table of functions that the engine has.
//
// A piece consists of a file of its own and of those that it shares with other pieces. A file that did not come is fetched again when it is
// next asked for. None is instantiated twice: its data would be written over what the engine made of it.
import { compiled } from "./compiled.js";

/** What arrives is told as an event: `{ piece, bytes, total }`, and `{ piece, failed }` where it does not come. */
export const ARRIVES = "planarium:piece";

/**
 * Gives `load`, which makes loaders of pieces, of a name and the names of its files; and `ahead`, which fetches and compiles files before
 * the engine is there.
 *
 * @param {Record<string, { url: string, size: number }>} files
 * @param {() => Record<string, any>} engine what the engine shares with its pieces: all its exports
 * @param {(arrives: object) => void} [say]
 * @param {typeof compiled} [compile]
 */
export function loaders(
  files,
  engine,
  say = (detail) => dispatchEvent(new CustomEvent(ARRIVES, { detail })),
  compile = compiled,
) {
  /** Files that are there or on their way. */
  const known = new Map();

  /** Fetches and compiles a file, once. */
  function fetched(name) {
    if (!known.has(name)) {
      const file = { ...files[name], bytes: 0, tell: new Set() };
      known.set(name, file);
      file.module = compile(file.url, (bytes) => {
        file.bytes = Math.min(bytes, file.size);
        file.tell.forEach((tell) => tell());
      });
      file.module.catch(() => known.delete(name));
    }
    return known.get(name);
  }

  /** The same, and instantiates it. */
  function brought(name) {
    const file = fetched(name);
    if (!file.done) {
      file.done = file.module.then((module) => {
        new WebAssembly.Instance(module, { __wasm_split: engine() });
        file.bytes = file.size;
      });
      file.done.catch(() => known.delete(name));
    }
    return file;
  }

  async function arrive(piece, names) {
    const parts = names.map(brought);
    const sum = (key) => parts.reduce((all, part) => all + part[key], 0);
    const tell = () => say({ piece, bytes: sum("bytes"), total: sum("size") });
    parts.forEach((part) => part.tell.add(tell));
    // Much may pass before the first byte.
    if (parts.some((part) => part.bytes < part.size)) tell();
    const ends = await Promise.allSettled(parts.map((part) => part.done));
    parts.forEach((part) => part.tell.delete(tell));
    const failure = ends.find(({ status }) => status === "rejected");
    if (failure) throw failure.reason;
    tell();
  }

  const ahead = (names) => names.forEach(fetched);
  // The engine hands over a function of its own, which is told whether the piece is there.
  const load = (piece, names) => async (callback, data) => {
    let isThere = true;
    try {
      await arrive(piece, names);
    } catch (error) {
      isThere = false;
      say({ piece, failed: String(error?.message ?? error) });
    }
    engine().__indirect_function_table.get(callback)(data, isThere);
  };
  return { load, ahead };
}

// Pieces of the engine: WebAssembly that is loaded when it is first needed, into the memory and the table of functions that the engine has.
//
// A piece consists of a file of its own and of those that it shares with other pieces. A file that did not come is fetched again when it is
// next asked for. None is instantiated twice: its data would be written over what the engine made of it.
import { compiled } from "./compiled.js";

/** What arrives is told as an event: `{ piece, bytes, total }`, and `{ piece, failed }` where it does not come. */
export const ARRIVES = "planarium:piece";

/** Fetches, compiles and instantiates one file; `known` says how much of it is there. */
async function brought(known, engine, compile) {
  const module = await compile(known.url, (bytes) => {
    known.bytes = Math.min(bytes, known.size);
    known.tell.forEach((tell) => tell());
  });
  new WebAssembly.Instance(module, { __wasm_split: engine() });
  known.bytes = known.size;
}

/**
 * Gives what makes loaders of pieces: of a name and the names of its files.
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

  function load(name) {
    if (!known.has(name)) {
      const file = { ...files[name], bytes: 0, tell: new Set() };
      known.set(name, file);
      file.done = brought(file, engine, compile);
      file.done.catch(() => known.delete(name));
    }
    return known.get(name);
  }

  async function arrive(piece, names) {
    const parts = names.map(load);
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

  // The engine hands over a function of its own, which is told whether the piece is there.
  return (piece, names) => async (callback, data) => {
    let isThere = true;
    try {
      await arrive(piece, names);
    } catch (error) {
      isThere = false;
      say({ piece, failed: String(error?.message ?? error) });
    }
    engine().__indirect_function_table.get(callback)(data, isThere);
  };
}

// Browser functions for the page that would be clumsy to write in Rust.

/** Loads the rich editor; resolves to its module. The page's head names the file, which carries a hash. */
export function loadEditor() {
  const named = document.querySelector('meta[name="planarium-editor"]')?.content;
  return import(new URL(named ?? "editor/editor.js", document.baseURI).href);
}

/** Sends a text to the engine beside the page, which early.js has started. */
export function postToEngine(text) {
  window.planariumEngine.post(text);
}

/** Hands each text of the engine on. */
export function hearEngine(take) {
  window.planariumEngine.hear(take);
}

/** Ends the engine, whatever it does, and starts another one. */
export function restartEngine() {
  window.planariumEngine.restart();
}

/** Whether the engine is busy with the question of another frame, whose page watches over it. */
export function engineIsElsewhere() {
  return window.planariumEngine.elsewhere?.() ?? false;
}

/** The server whose world is shown; empty where the page has an engine of its own. */
export function servedAddress() {
  return window.planariumEngine.address ?? "";
}

const TEXT = /\.(ya?ml|json|mustache|env|txt|md|conf|sh)$/i;
const MOST_FILES = 200;
const MOST_BYTES = 6_000_000;

const TAR = /\.(tgz|tar\.gz|tar)$/i;
const ZIP = /\.zip$/i;
// Maximum unpacked size of an archive, which may contain pictures and programs beside the texts.
const MOST_UNPACKED = 64_000_000;

async function read(list) {
  const all = [];
  for (const [path, file] of list) {
    if (TAR.test(path)) all.push(...tarFiles(await unpacked(file, /\.tar$/i.test(path) ? null : "gzip")));
    else if (ZIP.test(path)) all.push(...(await zipFiles(await unpacked(file, null))));
    else all.push([path, file]);
  }
  const found = [];
  let bytes = 0;
  for (const [path, file] of all) {
    if (!TEXT.test(path) && all.length > 1) continue;
    bytes += file.size;
    if (bytes > MOST_BYTES || found.length >= MOST_FILES) throw new Error("too much to open at once");
    found.push([path, await file.text()]);
  }
  return found;
}

/** The bytes of a file, or what they are once inflated (`gzip`, `deflate-raw`). */
async function unpacked(file, format) {
  const stream = format ? file.stream().pipeThrough(new DecompressionStream(format)) : file.stream();
  const reader = stream.getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch {
      throw new Error("the archive is damaged");
    }
    if (part.done) break;
    length += part.value.length;
    if (length > MOST_UNPACKED) {
      await reader.cancel();
      throw new Error("too much to open at once");
    }
    parts.push(part.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const decoder = new TextDecoder();

/** Files of an archive that are worth reading, as [[path, Blob], ...]: what macOS adds is none. */
function kept(files) {
  const plain = files.map(([path, file]) => [path.replace(/^(\.?\/)+/, ""), file]);
  return plain.filter(([path]) => !/(^|\/)(\._|__MACOSX\/)/.test(path));
}

/** The files of a tar archive: ustar, with the long names of GNU and POSIX. */
function tarFiles(bytes) {
  const text = (from, length) => decoder.decode(bytes.subarray(from, from + length)).split("\0")[0];
  const found = [];
  let long = null;
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12).trim() || "0", 8);
    const end = at + 512 + size;
    if (!Number.isSafeInteger(size) || size < 0 || end > bytes.length) throw new Error("the archive is damaged");
    const [kind, prefix] = [text(at + 156, 1), text(at + 257, 5) === "ustar" ? text(at + 345, 155) : ""];
    const body = bytes.subarray(at + 512, end);
    if (kind === "L") {
      long = decoder.decode(body).split("\0")[0];
    } else if (kind === "x") {
      long = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(decoder.decode(body))?.[1] ?? long;
    } else {
      const short = prefix ? `${prefix}/${text(at, 100)}` : text(at, 100);
      if (kind === "" || kind === "0") found.push([long ?? short, new Blob([body])]);
      if (kind !== "g") long = null;
    }
    at = at + 512 + Math.ceil(size / 512) * 512;
  }
  return kept(found);
}

/** The files of a zip archive, by its directory at the end. */
async function zipFiles(bytes) {
  const view = new DataView(bytes.buffer);
  const damaged = () => new Error("the archive is damaged");
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw damaged();
  const found = [];
  let left = MOST_UNPACKED;
  try {
    let at = view.getUint32(end + 16, true);
    for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
      if (view.getUint32(at, true) !== 0x02014b50) throw damaged();
      const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
      const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
      const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
      const local = view.getUint32(at + 42, true);
      const path = decoder.decode(bytes.subarray(at + 46, at + 46 + name));
      at += 46 + name + extra + comment;
      if (path.endsWith("/") || !TEXT.test(path)) continue;
      left -= size;
      if (left < 0) throw new Error("too much to open at once");
      if (flags & 1) throw new Error("the archive is encrypted");
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const body = new Blob([bytes.subarray(from, from + packed)]);
      if (method !== 0 && method !== 8) throw new Error("the archive is packed in an unknown way");
      found.push([path, method === 0 ? body : new Blob([await unpacked(body, "deflate-raw")])]);
    }
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error;
  }
  return kept(found);
}

function entryFile(entry) {
  return new Promise((done, failed) => entry.file(done, failed));
}

async function walk(entry, into) {
  if (into.length > MOST_FILES) return;
  if (entry.isFile) {
    into.push([entry.fullPath.replace(/^\//, ""), await entryFile(entry)]);
  } else if (entry.isDirectory) {
    const reader = entry.createReader();
    for (;;) {
      const part = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (part.length === 0) break;
      for (const child of part) await walk(child, into);
    }
  }
}

/** Reads what was dropped: files, whole folders, archives (.tgz, .tar, .zip). Resolves to [[path, text], ...]. */
export async function readDrop(transfer) {
  // Entries must be taken before the first await: the transfer is emptied after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = [...transfer.files];
  if (entries.length === 0) return read(plain.map((file) => [file.name, file]));
  const list = [];
  for (const entry of entries) await walk(entry, list);
  return read(list);
}

/** Reads chosen files, archives among them. Resolves to [[path, text], ...]. */
export function readChosen(files) {
  return read([...files].map((file) => [file.webkitRelativePath || file.name, file]));
}

/** The longest wait for a server, to its last byte. */
const MOST_MS = 30_000;
/** Kinds of content that are no definition. */
const OTHER = /^(text\/html|application\/(xhtml\+xml|pdf)|(image|audio|video|font)\/)/;
/** The request that runs, if any. */
let asking = null;

/** Stops reading from an address. */
export function leaveAddress() {
  asking?.abort();
  asking = null;
}

/**
 * Reads a text or an archive from an address, as if it were dropped. Nothing of the reader goes along, and a server that sends on to
 * another address is not followed. Resolves to [[path, text], ...]; says why not in words.
 */
export async function readAddress(address) {
  leaveAddress();
  const control = new AbortController();
  asking = control;
  const late = setTimeout(() => control.abort(), MOST_MS);
  const { host, pathname } = new URL(address);
  try {
    const found = await read([[lastName(pathname), await received(address, host, control.signal)]]);
    if (found.length === 0) throw new Error("there is no text in it");
    if (found.every(([, text]) => text.trim() === "")) throw new Error("it is empty");
    if (found.some(([, text]) => text.includes("\0"))) throw new Error("it is not a text");
    return found;
  } catch (error) {
    if (control.signal.aborted) throw new Error(`${host} did not answer in full within ${MOST_MS / 1000} seconds`);
    throw error;
  } finally {
    clearTimeout(late);
    if (asking === control) asking = null;
  }
}

/** The content at an address, refused where it is not readable, no file or too large. */
async function received(address, host, signal) {
  let response;
  try {
    response = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer", redirect: "manual", signal });
  } catch {
    throw new Error(unreachable(address, host));
  }
  const drop = (reason) => {
    response.body?.cancel();
    throw new Error(reason);
  };
  if (response.type === "opaqueredirect") {
    throw new Error(`${host} sends on to another address, which was not agreed to; link to that one`);
  }
  if (!response.ok) drop(`${host} answered ${response.status}${response.statusText ? ` (${response.statusText})` : ""}`);
  const kind = (response.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();
  if (OTHER.test(kind)) drop(kind === "text/html" ? "it is a web page; link to the file itself" : `it is no text but ${kind}`);
  const larger = `it is larger than ${MOST_BYTES / 1e6} MB`;
  if (Number(response.headers.get("content-length")) > MOST_BYTES) drop(larger);
  const [parts, reader] = [[], response.body?.getReader()];
  let length = 0;
  for (;;) {
    const part = await reader?.read().catch(() => {
      throw new Error(`${host} ended before the file did`);
    });
    if (!part || part.done) return new Blob(parts);
    length += part.value.length;
    if (length > MOST_BYTES) {
      await reader.cancel();
      throw new Error(larger);
    }
    parts.push(part.value);
  }
}

/** What may be the cause where the browser gives none. */
function unreachable(address, host) {
  if (navigator.onLine === false) return "there is no connection";
  if (location.protocol === "https:" && new URL(address).protocol === "http:") {
    return "an encrypted page cannot read from an address that begins with http:";
  }
  return `the browser could not read it. Either ${host} cannot be reached, or it does not let other pages read its files (it has to send Access-Control-Allow-Origin)`;
}

/** The last part of a path, as the name of a file. */
function lastName(path) {
  const last = path.split("/").filter(Boolean).at(-1) ?? "definition";
  try {
    return decodeURIComponent(last).replaceAll("/", "_");
  } catch {
    return last;
  }
}

/** Offers text as a file to save. */
export function saveText(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Scrolls an element into view. A document around this page stays where it is: its reader may be elsewhere. */
export function bringIntoView(element) {
  if (window.parent === window) {
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    return;
  }
  const by = (before, beyond) => (before < 0 ? before : Math.max(0, Math.min(before, beyond)));
  for (let box = element.parentElement; box; box = box.parentElement) {
    const isLonger = box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth;
    if (!isLonger || getComputedStyle(box).overflowY === "visible") continue;
    const [own, seen] = [element, box].map((one) => one.getBoundingClientRect());
    box.scrollBy(by(own.left - seen.left, own.right - seen.right), by(own.top - seen.top, own.bottom - seen.bottom));
  }
}

// What the page asks of the browser and what would be clumsy to write from Rust.

/** Loads the rich editor; resolves to its module. The page's head names the file, which carries a hash. */
export function loadEditor() {
  const named = document.querySelector('meta[name="planarium-editor"]')?.content;
  return import(new URL(named ?? "editor/editor.js", document.baseURI).href);
}

const TEXT = /\.(ya?ml|json|mustache|env|txt|md|conf|sh)$/i;
const MOST_FILES = 200;
const MOST_BYTES = 6_000_000;

async function read(list) {
  const found = [];
  let bytes = 0;
  for (const [path, file] of list) {
    if (!TEXT.test(path) && list.length > 1) continue;
    bytes += file.size;
    if (bytes > MOST_BYTES || found.length >= MOST_FILES) throw new Error("too much to open at once");
    found.push([path, await file.text()]);
  }
  return found;
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

/** Reads what was dropped: files and whole folders. Resolves to [[path, text], ...]. */
export async function readDrop(transfer) {
  // Entries must be taken before the first await: the transfer is emptied after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = [...transfer.files];
  if (entries.length === 0) return read(plain.map((file) => [file.name, file]));
  const list = [];
  for (const entry of entries) await walk(entry, list);
  return read(list);
}

/** Reads chosen files. Resolves to [[path, text], ...]. */
export function readChosen(files) {
  return read([...files].map((file) => [file.webkitRelativePath || file.name, file]));
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

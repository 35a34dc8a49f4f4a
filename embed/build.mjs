// Writes planarium-embed.js: the loader with its styles, minified. `cargo xtask loader` runs it; tests/npm compares its result with the
// file. The first line of that file has a digest of the sources, by which a native test finds a stale one without Node.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const FILE = new URL("planarium-embed.js", import.meta.url);
const SOURCES = ["loader.js", "planarium-embed.css"];
const read = (name) => readFile(new URL(name, import.meta.url), "utf8");

/** FNV-1a, 64 bits, in hexadecimal. */
function digest(text) {
  let sum = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  return sum.toString(16).padStart(16, "0");
}

/** The text of the file, made of its sources. `esbuild` is the module; by default that of the editor's packages. */
export async function minified(esbuild = createRequire(new URL("../web/editor/package.json", import.meta.url))("esbuild")) {
  const [loader, styles] = await Promise.all(SOURCES.map(read));
  const minify = async (text, kind) => (await esbuild.transform(text, { loader: kind, minify: true, target: "es2022", legalComments: "none" })).code.trim();
  const css = await minify(styles, "css");
  const script = await minify(`(() => {\nconst css = ${JSON.stringify(css)};\n${loader}\n})();`, "js");
  // A page that holds the script in itself writes every </ as <\\/.
  if (script.includes("</")) throw new Error("the script holds </, which ends a script element");
  return `// planarium-embed of ${digest(loader + styles)}, see embed/loader.js\n${script}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await minified();
  const before = await readFile(FILE, "utf8").catch(() => "");
  if (before !== text) await writeFile(FILE, text);
  console.log(`${fileURLToPath(FILE)}: ${text.length} bytes${before === text ? ", as before" : ""}`);
}

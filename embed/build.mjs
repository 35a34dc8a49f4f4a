// Writes planarium-embed.js: the loader with its styles, minified. `cargo xtask loader` runs it; tests/npm compares its result with the
// file. The first line of that file has a digest of the sources, by which a native test finds a stale one without Node.
import { readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const FILE = new URL("planarium-embed.js", import.meta.url);
const STYLES = "planarium-embed.css";
/** The dark colours of readers whose pages run no script; the script writes the theme onto the element. */
const WITHOUT_SCRIPT = /@media \(prefers-color-scheme: dark\) \{\n {2}planarium-embed:not[^]*?\n\}\n/;
const read = (name) => readFile(new URL(name, import.meta.url), "utf8");

/** The loader's modules, by name. */
export const sources = async () => {
  const names = (await readdir(new URL("loader/", import.meta.url))).filter((name) => name.endsWith(".js")).sort();
  return Promise.all(names.map((name) => read(`loader/${name}`)));
};

/** FNV-1a, 64 bits, in hexadecimal. */
function digest(text) {
  let sum = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  return sum.toString(16).padStart(16, "0");
}

/** Packages of the editor. */
const require = createRequire(new URL("../web/editor/package.json", import.meta.url));

/** The text of the file, made of its sources. esbuild puts the modules together, and shortens styles and the names of members; terser's
 *  shorter names of variables save some hundred bytes compressed, with the settings that are best for this script. */
export async function minified() {
  const [esbuild, terser] = [require("esbuild"), require("terser")];
  const styles = await read(STYLES);
  const how = { minifyWhitespace: true, minifySyntax: true, minifyIdentifiers: false, target: "es2022", legalComments: "none" };
  const themed = styles.replace(WITHOUT_SCRIPT, "");
  if (themed === styles || themed.includes("~")) throw new Error("the style sheet is not shaped as the shortening here takes it");
  // Every rule begins with the element's name: the script puts it in.
  const css = (await esbuild.transform(themed, { ...how, loader: "css" })).code.trim().replaceAll("planarium-embed", "~").replace(/(--[\w-]+): /g, "$1:");
  const { outputFiles } = await esbuild.build({
    ...how,
    entryPoints: [fileURLToPath(new URL("loader/element.js", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    define: { css: JSON.stringify(css) },
    mangleProps: /^_/,
  });
  const { code: script } = await terser.minify(outputFiles[0].text, { ecma: 2022, toplevel: true, compress: { if_return: false, conditionals: false, sequences: false } });
  // A page that holds the script in itself writes every </ as <\\/.
  if (script.includes("</")) throw new Error("the script holds </, which ends a script element");
  return `// planarium-embed of ${digest((await sources()).join("") + styles)}\n${script}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await minified();
  const before = await readFile(FILE, "utf8").catch(() => "");
  if (before !== text) await writeFile(FILE, text);
  console.log(`${fileURLToPath(FILE)}: ${text.length} bytes${before === text ? ", as before" : ""}`);
}

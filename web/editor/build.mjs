// Bundles the editor into dist/editor.js. Leaves the file alone when it would not change, so that a running
// `trunk serve` does not rebuild for nothing.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.join(here, "dist", "editor.js");

// CodeMirror mounts its styles through style-mod, which makes a <style> element in a document and a constructed style
// sheet in a shadow root only. The page's policy refuses the former, and every browser has had the latter since 2023.
const constructedStyles = {
  name: "constructed-styles",
  setup(bundler) {
    bundler.onLoad({ filter: /style-mod[\\/]src[\\/]style-mod\.js$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const condition = "!root.head && root.adoptedStyleSheets";
      if (!text.includes(condition)) {
        throw new Error(`${file} changed: look how it mounts styles now, and see to it that it needs no <style>`);
      }
      return { contents: text.replace(condition, "root.adoptedStyleSheets"), loader: "js" };
    });
  },
};

const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/index.js"],
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  plugins: [constructedStyles],
  write: false,
  logLevel: "warning",
});

const { text } = result.outputFiles[0];
const before = await readFile(target, "utf8").catch(() => "");
if (before !== text) {
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
  console.log(`   editor bundle: ${text.length} bytes, ${brotliCompressSync(text).length} compressed`);
}

// Assembles the page for `cargo xtask`: node web/hooks/build.mjs '{"source", "target", "release", "pieces", "texts", "picture"}'.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { Assembly } from "./assemble.mjs";
import { compress } from "./compress.mjs";

const { source, target, release, pieces, texts, picture } = JSON.parse(process.argv[2] ?? "{}");

/** index.html without its instructions to trunk: files to insert are inserted, programs come as pieces. */
async function ownPage() {
  const html = await readFile(path.join(source, "index.html"), "utf8");
  const parts = html.split(/(<link data-trunk [^>]*>)/);
  for (const [index, part] of parts.entries()) {
    if (!part.startsWith("<link data-trunk ")) continue;
    const kind = /\srel="([^"]*)"/.exec(part)?.[1];
    const file = /\shref="([^"]*)"/.exec(part)?.[1] ?? "";
    if (kind === "inline") {
      parts[index] = await readFile(path.join(source, file), "utf8");
    } else if (kind === "rust") {
      parts[index] = "";
    } else {
      throw new Error(`index.html asks trunk for a ${kind}, which web/hooks/build.mjs does not know`);
    }
  }
  return parts.join("");
}

const page = new Assembly({ source, target, release, html: await ownPage() });
await page.ownFiles();
await page.texts(texts);
for (const piece of pieces) {
  const { glue, wasm } = await page.piece(piece);
  // What runs before the first paint fetches the engine by itself, and a server may say that nothing is kept.
  if (piece.name !== "engine") continue;
  page.intoHead(`<link rel="modulepreload" href="${glue}">`);
  page.intoHead(`<link rel="preload" href="${wasm}" as="fetch" type="application/wasm" crossorigin>`);
}
if (picture) {
  page.picture(await readFile(picture, "utf8"));
}
await page.finish();
if (release) {
  await compress(target);
}

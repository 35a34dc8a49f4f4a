// Puts the page together from what cargo and wasm-bindgen made, for `cargo xtask` (build.mjs) and for trunk (post-build.mjs):
// - web/styles/main.css with all it imports becomes one style sheet,
// - each piece of WebAssembly (the page, its worker) gets its glue script in one file, its own script, and a <meta> that names them;
//   files that were split off one are named in its glue,
// - the texts of examples and lessons get a file each, and a <meta> from which their addresses follow,
// - every file gets a name that changes with its content,
// - in a release scripts and styles are minified, the page's picture stands in the document, and a service worker keeps the files.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

/**
 * A piece of WebAssembly: `folder` holds `package.js` and `package_bg.wasm`. `<meta name="planarium-NAME">` names them in the
 * page; `script` is a script of ours that goes with it and is named beside.
 *
 * @typedef {{ name: string, package: string, folder: string, script?: string }} Piece
 */

/** What a file's name says of its content. */
const digest = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);

/**
 * The script that loads what was split off: one function for each split, under the name by which the WebAssembly imports it.
 *
 * @param {object} [known] of the engine: what is known of the first world, which web/worker.js uses to fetch files of systems ahead, and what
 *   arrives is told as events. The page shows by itself what is on its way, see web/src/features/waiting.rs.
 */
export function loading(splits, files, glue, script, known) {
  const addresses = Object.entries(files).map(
    ([file, { url, size }]) => `${JSON.stringify(file)}: { url: new URL(${JSON.stringify(url)}, import.meta.url).href, size: ${size} }`,
  );
  const loads = Object.entries(splits).map(
    ([name, names]) => `export const __wasm_split_load_${name} = load(${JSON.stringify(name)}, ${JSON.stringify(names)});\n`,
  );
  const filesOf = (pieces) => [...new Set(pieces.flatMap((piece) => splits[piece] ?? []))];
  const systems = (known) => Object.fromEntries(Object.entries(known.systems).map(([word, pieces]) => [word, filesOf(pieces)]));
  return `import { initSync } from "./${glue}.js";
import { loaders } from ${JSON.stringify(script)};
const { load, ahead } = loaders({ ${addresses.join(", ")} }, () => initSync()${known ? "" : ", () => {}"});
${known ? `export { ahead };\nexport const known = ${JSON.stringify({ ...known, systems: systems(known) })};\n` : ""}${loads.join("")}`;
}

/** Assembles one page: `source` is the repository, `target` the folder that the page is written to. */
export class Assembly {
  /** @param {{ source: string, target: string, html: string, release: boolean }} options */
  constructor({ source, target, html, release }) {
    this.source = path.resolve(source);
    this.target = path.resolve(target);
    this.html = html;
    this.release = release;
    this.esbuild = createRequire(path.join(this.source, "web/editor/package.json"))("esbuild");
  }

  /** The styles, the starter and the editor, whose names stand in index.html. */
  async ownFiles() {
    const editor = await readFile(path.join(this.source, "web/editor/dist/editor.js"), "utf8");
    await this.replace("./styles.css", await this.bundled("web/styles/main.css"));
    await this.replace("./later.css", await this.bundled("web/styles/later.css"));
    await this.replace("./early.js", await this.bundled("web/early.js"));
    await this.replace("./boot.js", await this.bundled("web/boot.js"));
    await this.replace("./editor/editor.js", editor);
  }

  /**
   * Adds a piece of WebAssembly and names it in the page's head.
   *
   * @param {Piece} piece
   */
  async piece(piece) {
    const from = path.resolve(piece.folder);
    const isSplit = await this.splits(piece, from);
    const wasm = await readFile(path.join(from, `${piece.package}_bg.wasm`));
    const glue = await this.bundled(path.join(from, isSplit ? "entry.js" : `${piece.package}.js`));
    const glueName = await this.place(`./${piece.package}.js`, glue);
    const wasmName = await this.place(`./${piece.package}_bg.wasm`, wasm);
    let meta = `<meta name="planarium-${piece.name}" content="${wasmName}" data-glue="${glueName}" data-size="${wasm.length}"`;
    if (piece.script) {
      const script = await this.bundled(piece.script);
      const { name } = path.parse(piece.script);
      meta += ` data-script="${await this.place(`./${name}.js`, script)}"`;
    }
    this.beforeScripts(`${meta}>`);
    return { glue: glueName, wasm: wasmName };
  }

  /**
   * Places the texts of examples and lessons. One hash stands for all of them, so that the address of each follows from its name.
   *
   * @param {string} folder a file for each, and `known.json`, see xtask/src/page/texts.rs
   */
  async texts(folder) {
    this.known = JSON.parse(await readFile(path.join(folder, "known.json"), "utf8"));
    const names = (await readdir(folder)).filter((name) => name !== "known.json").sort();
    const contents = await Promise.all(names.map((name) => readFile(path.join(folder, name))));
    const hash = digest(JSON.stringify([names, contents.map(digest)]));
    await mkdir(path.join(this.target, "texts"), { recursive: true });
    const place = (name, at) => writeFile(path.join(this.target, "texts", name.replace(/\.json$/, `-${hash}.json`)), contents[at]);
    await Promise.all(names.map(place));
    this.beforeScripts(`<meta name="planarium-texts" content="./texts/*-${hash}.json">`);
  }

  /**
   * Places the files that were split off a piece, and writes the script that loads them, which its glue imports. The page does not name
   * them: what has been split off is not loaded with it. Returns whether anything was.
   */
  async splits(piece, from) {
    const list = await readFile(path.join(from, "splits.json"), "utf8").catch(() => undefined);
    if (list === undefined) return false;
    const splits = JSON.parse(list);
    const files = {};
    for (const file of new Set(Object.values(splits).flat())) {
      const content = await readFile(path.join(from, `${file}.wasm`));
      const name = `./${piece.package.replace("planarium-", "")}-${file.replace(/^split_/, "").replaceAll("_", "-")}.wasm`;
      files[file] = { url: await this.place(name, content), size: content.length };
    }
    const known = piece.name === "engine" ? this.known : undefined;
    const script = loading(splits, files, piece.package, path.join(this.source, "web/pieces.js"), known);
    await writeFile(path.join(from, "__wasm_split.js"), script);
    const glue = JSON.stringify(`./${piece.package}.js`);
    const further = known ? `export { ahead, known } from "./__wasm_split.js";\n` : "";
    await writeFile(path.join(from, "entry.js"), `export * from ${glue};\nexport { default } from ${glue};\n${further}`);
    return true;
  }

  /** Puts the page's picture into the document, see web/src/app/picture.rs. */
  picture(markup) {
    const place = '<div id="app" aria-busy="true">';
    if (!this.html.includes(`${place}</div>`)) {
      throw new Error(`index.html does not hold ${place}</div>, which the picture goes into`);
    }
    this.html = this.html.replace(place, () => `${place}${markup}`);
    this.markup = markup;
  }

  /** The same page as a frame of other documents: without the picture, since its first content comes with its address, and without
   *  leave to ask other servers, since it loads no file from an address and shows no served world. */
  frame() {
    const html = this.markup ? this.html.replace(this.markup, "") : this.html;
    const kept = html.replace(/connect-src 'self' [^;"]+/, "connect-src 'self'");
    if (kept === html) {
      throw new Error("the policy of index.html does not say that files from addresses may be loaded");
    }
    // Frames of one document load these once, see web/engine.js.
    const alone = kept.replace(/\s*<link rel="preload"[^>]*type="application\/wasm"[^>]*>/g, "");
    const framed = alone.replace('<html lang="en">', '<html lang="en" data-frame>');
    if (framed === alone) {
      throw new Error('index.html does not begin with <html lang="en">, which a frame adds its mark to');
    }
    return framed;
  }

  /** The service worker under its own name, which browsers look for, with the names of this version's files. */
  async offline() {
    const all = (await readdir(this.target, { recursive: true })).map((name) => `./${name.replaceAll("\\", "/")}`);
    // The texts of each example and lesson are kept in one file.
    const isKept = (name) => !name.startsWith("./texts/") || name.startsWith("./texts/all-");
    const hashed = all.filter((name) => /-[0-9a-f]{16}(_bg)?\.\w+$/.test(name) && isKept(name));
    const files = JSON.stringify({
      page: hashed.filter((name) => this.html.includes(`"${name}"`) && !name.startsWith("./editor/")),
      rest: hashed.filter((name) => !this.html.includes(`"${name}"`) || name.startsWith("./editor/")),
    });
    const worker = await this.bundled("web/sw.js");
    const text = worker.replace(/\{\s*page: ?\[\],\s*rest: ?\[\],?\s*\}/, () => files);
    if (text === worker) {
      throw new Error("web/sw.js has no list of files to fill");
    }
    this.intoHead('<meta name="planarium-offline" content="./sw.js">');
    await writeFile(path.join(this.target, "sw.js"), `${text}// ${digest(this.html)}\n`);
  }

  /** Adds a line to the page's head before its styles and scripts, which can read it. */
  beforeScripts(line) {
    this.html = this.html.replace('<link rel="stylesheet"', (styles) => `${line}\n    ${styles}`);
  }

  /** Adds a line to the end of the page's head. */
  intoHead(line) {
    this.html = this.html.replace("</head>", () => `  ${line}\n  </head>`);
  }

  /** One script or style sheet with all it imports. */
  async bundled(entry) {
    const result = await this.esbuild.build({
      absWorkingDir: this.source,
      entryPoints: [entry],
      bundle: true,
      minify: this.release,
      write: false,
      logLevel: "warning",
      // wasm-bindgen's glue names a script of ours once for each function that it takes from it.
      logOverride: { "duplicate-object-key": "silent" },
      legalComments: "none",
      target: "es2022",
      // What runs before the first paint is a classic script; the others are modules.
      ...(entry.endsWith(".css") ? {} : { format: entry === "web/early.js" ? "iife" : "esm" }),
    });
    return result.outputFiles[0].text;
  }

  /** Writes a file under a name with its hash, and returns that name. */
  async place(name, content) {
    const hash = digest(content);
    const { dir, name: stem, ext } = path.posix.parse(name);
    const hashed = `${dir}/${stem}-${hash}${ext}`;
    await mkdir(path.join(this.target, dir), { recursive: true });
    await writeFile(path.join(this.target, hashed), content);
    return hashed;
  }

  /** Writes a file and puts its name where `placeholder` stood in the page. */
  async replace(placeholder, content) {
    if (!this.html.includes(`"${placeholder}"`)) {
      throw new Error(`index.html does not mention "${placeholder}"`);
    }
    const hashed = await this.place(placeholder, content);
    this.html = this.html.replaceAll(`"${placeholder}"`, () => `"${hashed}"`);
  }

  /** Writes the page itself, after a check that it holds no inline script; in a release, first what keeps it offline. */
  async finish() {
    if (/<script(?![^>]*\ssrc=)/.test(this.html)) {
      throw new Error("the page holds an inline script, which its own policy refuses");
    }
    if (this.release) {
      await this.offline();
    }
    await writeFile(path.join(this.target, "index.html"), this.html);
    await writeFile(path.join(this.target, "embed.html"), this.frame());
  }
}

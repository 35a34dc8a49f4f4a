// Finishes a build of the page, after trunk has put it together and before it is served or kept:
// - web/styles/main.css with all it imports becomes one style sheet,
// - web/boot.js and the editor bundle get names that change with their content,
// - in a release the glue script is minified,
// - a page with trunk's live reload may run that one inline script; a released page has no inline script at all.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const source = process.env.TRUNK_SOURCE_DIR ?? ".";
const staging = process.env.TRUNK_STAGING_DIR;
const isRelease = process.env.TRUNK_PROFILE === "release";
if (!staging) {
  throw new Error("trunk runs this hook and says where the page lies; see Trunk.toml");
}

const require = createRequire(path.resolve(source, "web/editor/package.json"));
const esbuild = require("esbuild");

const page = path.join(staging, "index.html");
let html = await readFile(page, "utf8");

/** Writes `text` under a name with its hash and puts that name where `placeholder` stood. */
async function place(placeholder, text) {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const { dir, name, ext } = path.posix.parse(placeholder);
  const hashed = `${dir}/${name}-${hash}${ext}`;
  if (!html.includes(`"${placeholder}"`)) {
    throw new Error(`index.html does not mention "${placeholder}"`);
  }
  html = html.replaceAll(`"${placeholder}"`, `"${hashed}"`);
  await mkdir(path.join(staging, dir), { recursive: true });
  await writeFile(path.join(staging, hashed), text);
}

async function bundled(entry, options) {
  const result = await esbuild.build({
    absWorkingDir: path.resolve(source),
    entryPoints: [entry],
    bundle: true,
    minify: isRelease,
    write: false,
    logLevel: "warning",
    legalComments: "none",
    ...options,
  });
  return result.outputFiles[0].text;
}

await place("./styles.css", await bundled("web/styles/main.css", { target: "es2022" }));
await place("./boot.js", await bundled("web/boot.js", { format: "esm", target: "es2022" }));
await place("./editor/editor.js", await readFile(path.resolve(source, "web/editor/dist/editor.js"), "utf8"));

if (isRelease) {
  for (const file of await readdir(staging, { recursive: true })) {
    const ours = file.startsWith("editor") || file.startsWith("boot-");
    if (file.endsWith(".js") && !ours) {
      const target = path.join(staging, file);
      const { code } = await esbuild.transform(await readFile(target, "utf8"), {
        minify: true,
        format: "esm",
        target: "es2022",
        legalComments: "none",
      });
      await writeFile(target, code);
    }
  }
}

if (html.includes(".well-known/trunk/ws")) {
  html = html
    .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
    .replace("connect-src 'self'", "connect-src 'self' ws:");
} else if (/<script(?![^>]*\ssrc=)/.test(html)) {
  throw new Error("the page holds an inline script, which its own policy refuses");
}

await writeFile(page, html);

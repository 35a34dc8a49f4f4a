// Finishes a build of the page by trunk, before it is served or kept. `cargo xtask` builds the page without trunk, see build.mjs.
import { execFileSync } from "node:child_process";
import { access, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Assembly } from "./assemble.mjs";
import { compress } from "./compress.mjs";

const source = process.env.TRUNK_SOURCE_DIR ?? ".";
const target = process.env.TRUNK_STAGING_DIR;
const release = process.env.TRUNK_PROFILE === "release";
if (!target) {
  throw new Error("trunk runs this hook and says where the page lies; see Trunk.toml");
}

const page = new Assembly({ source, target, release, html: await readFile(path.join(target, "index.html"), "utf8") });
await page.ownFiles();

const built = path.join(target, "pieces");
const piece = (name) =>
  execFileSync("cargo", ["xtask", "piece", name, path.resolve(built, name), ...(release ? ["--release"] : [])], {
    cwd: source,
    stdio: "inherit",
  });

piece("texts");
await page.texts(path.join(built, "texts"));
// Trunk knows one program of the page. The worker is built as `cargo xtask` builds it.
if (await access(path.join(source, "crates/worker/Cargo.toml")).then(() => true, () => false)) {
  piece("worker");
  const folder = path.join(built, "worker");
  await page.piece({ name: "worker", package: "planarium-worker", folder, script: "web/worker.js" });
}
if (release) {
  piece("picture");
  page.picture(await readFile(path.join(built, "picture", "picture.html"), "utf8"));
}
await rm(built, { recursive: true, force: true });

if (release) {
  for (const file of await readdir(target, { recursive: true })) {
    if (/^(planarium-web-|snippets)/.test(file) && file.endsWith(".js")) {
      const script = path.join(target, file);
      const { code } = await page.esbuild.transform(await readFile(script, "utf8"), {
        minify: true,
        format: "esm",
        target: "es2022",
        legalComments: "none",
      });
      await writeFile(script, code);
    }
  }
}

if (page.html.includes(".well-known/trunk/ws")) {
  // A page with trunk's live reload may run that one inline script; a released page has no inline script at all.
  const relaxed = page.html
    .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
    .replace("connect-src 'self'", "connect-src 'self' ws:");
  await writeFile(path.join(target, "index.html"), relaxed);
} else {
  await page.finish();
}
if (release) {
  await compress(target);
}

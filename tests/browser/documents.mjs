/**
 * Documents with demos in them, made by the programs that people make documents with: fixtures of `tests/hosts`, real builds, and what
 * each host has of its own (where its theme changes, what it leaves out). `hosts.test.mjs` and `fences.test.mjs` build on it.
 *
 * PLANARIUM_HOSTS names the folder of the programs (`tests/hosts/install.py` makes it), PLANARIUM_MDBOOK_04 the older mdBook,
 * PLANARIUM_DOCUSAURUS the folder in which Docusaurus is installed. Without one, its builds are skipped.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
export const FIXTURES = path.join(ROOT, "tests", "hosts");
export const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");

/** The reason why a host's builds are skipped; nothing where it is installed. */
const absent = (variable, what) => (process.env[variable] ? undefined : (process.env[`${variable}_MISSING`] ?? `${what} not installed`));
export const MISSING = absent("PLANARIUM_HOSTS", "the hosts of documents are");

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-hosts-"));
after(() => rm(folder, { recursive: true, force: true }));

/** A new folder that goes when the tests are over. */
export const fresh = (name) => mkdtemp(path.join(folder, `${name}-`));

/** A copy of a fixture, changed by `change` from file to new text. */
export async function copy(name, change = {}) {
  const target = await fresh(name);
  // Packages are linked by those who need them, not copied.
  await cp(path.join(FIXTURES, name), target, { recursive: true, filter: (file) => !file.includes("node_modules") });
  for (const [file, edit] of Object.entries(change)) {
    const text = await readFile(path.join(target, file), "utf8");
    const edited = edit(text);
    assert.notEqual(edited, text, `${file}: the change finds its place`);
    await writeFile(path.join(target, file), edited);
  }
  return target;
}

/** Runs a program of a host; answers status and everything it said. */
export function host(cwd, program, ...words) {
  const here = path.dirname(PLANARIUM);
  const env = {
    ...process.env,
    PATH: [process.env.PLANARIUM_HOSTS, here, process.env.PATH].filter(Boolean).join(path.delimiter),
    PLANARIUM_BIN: PLANARIUM,
    NO_MKDOCS_2_WARNING: "1",
    NO_COLOR: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    // Webpack's cache belongs to the packages, and would hold what another copy of the site had.
    DOCUSAURUS_NO_PERSISTENT_CACHE: "true",
    DISABLE_UPDATE_NOTIFIER: "1",
    // A wide terminal, so that findings are not wrapped.
    COLUMNS: "400",
  };
  delete env.FORCE_COLOR;
  const done = spawnSync(program, words, { cwd, env, encoding: "utf8", maxBuffer: 1 << 26, timeout: 400_000 });
  if (done.error) throw done.error;
  return { status: done.status, said: done.stdout + done.stderr, out: done.stdout };
}

/** Runs a program of a host, which must end well. */
export function built(...words) {
  const done = host(...words);
  assert.equal(done.status, 0, done.said);
}

/** A claim of the fixtures, made false. */
export const wrong = (text) => text.replace("deploy COMPLETE by 90s", "deploy COMPLETE by 1s");

async function mdbook(program, change) {
  const book = await copy("mdbook", change);
  built(book, "mdbook-planarium", "install");
  return { book, done: host(book, program, "build") };
}

/** The page of remark: what its users put around it. */
export const page = (body) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rolling out</title><link rel="icon" href="data:,"><link rel="stylesheet" href="page.css">
<link rel="stylesheet" href="planarium-embed.css"><script src="planarium-embed.js" defer></script></head><body><main><h1>Rolling out</h1>
${body}</main></body></html>`;

/** Styles of such a page: both themes, as the reader's system has it. */
const STYLES = `body { background: #fff; color: #111; }
@media (prefers-color-scheme: dark) { body { background: #131416; color: #e3e3e6; } }
`;

/** The packages of remark, or the reason why they are not there. */
export async function remark() {
  const require = createRequire(path.join(FIXTURES, "package.json"));
  const names = ["unified", "remark-parse", "remark-rehype", "rehype-raw", "rehype-stringify", "@mdx-js/mdx", "react", "react-dom/server", "react/jsx-runtime"];
  process.env.PLANARIUM_BIN = PLANARIUM;
  try {
    const all = await Promise.all(names.map(async (name) => [name, await import(pathToFileURL(resolved(require, name)).href)]));
    const packages = Object.fromEntries(all);
    const { default: planarium, assets } = await import(pathToFileURL(path.join(ROOT, "hosts", "remark", "index.mjs")).href);
    return { packages, planarium, assets };
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return { reason: "the packages of tests/hosts are not installed" };
  }
}

/** The file of a package that stands for `import`. */
function resolved(require, name) {
  try {
    return require.resolve(name);
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
    return path.join(FIXTURES, "node_modules", name, "index.js");
  }
}

/** HTML of a page of plain Markdown, by remark. */
export async function plain({ packages, planarium }, file, value) {
  const processor = packages.unified.unified().use(packages["remark-parse"].default).use(planarium);
  processor.use(packages["remark-rehype"].default, { allowDangerousHtml: true }).use(packages["rehype-raw"].default);
  return String(await processor.use(packages["rehype-stringify"].default).process({ path: file, value }));
}

/** HTML of a page of MDX, by React. */
export async function mdx({ packages, planarium }, file, value) {
  const { compile, run } = packages["@mdx-js/mdx"];
  const code = await compile({ path: file, value }, { remarkPlugins: [planarium], outputFormat: "function-body", format: "mdx" });
  const { default: Content } = await run(code, packages["react/jsx-runtime"]);
  return packages["react-dom/server"].default.renderToString(packages.react.default.createElement(Content));
}

/** A page without its front matter: hosts cut it off before they hand a page on. */
export const body = (text) => text.replace(/^---\n[^]*?\n---\n/, "");

/** A site of Docusaurus: the fixture, changed, with further pages and what `more` puts beside them. */
export async function docusaurus(change, documents, more) {
  const site = await copy("docusaurus", change);
  await symlink(path.join(process.env.PLANARIUM_DOCUSAURUS, "node_modules"), path.join(site, "node_modules"), "junction");
  for (const [name, text] of Object.entries(documents ?? {})) await writeFile(path.join(site, "docs", name), text);
  await more?.(path.join(site, "docs"));
  built(site, PLANARIUM, "embed", "--assets", path.join(site, "static"));
  const program = path.join("node_modules", "@docusaurus", "core", "bin", "docusaurus.mjs");
  return { site, done: host(site, process.execPath, program, "build", "--no-minify") };
}

/** Changes a class on the root of a book of mdBook. */
const navy = (shown) => shown.evaluate(() => document.documentElement.classList.replace("light", "navy"));
const system = (shown) => shown.emulateMedia({ colorScheme: "dark" });

/**
 * The hosts. `build` gives the folder that is served and the page in it; `fails` a build with a false claim and the place that it must
 * name; `dark` changes the theme as the host's readers do.
 */
export const HOSTS = [
  ...[["mdBook 0.5", "mdbook", MISSING], ["mdBook 0.4", process.env.PLANARIUM_MDBOOK_04, absent("PLANARIUM_MDBOOK_04", "mdBook 0.4 is")]].map(([name, program, missing]) => ({
    name,
    missing,
    async build() {
      const { book, done } = await mdbook(program);
      assert.equal(done.status, 0, done.said);
      return { folder: path.join(book, "book"), file: "rollout.html" };
    },
    async fails() {
      const { done } = await mdbook(program, { "src/rollout.md": wrong });
      return { ...done, place: "src/rollout.md:18" };
    },
    dark: navy,
  })),
  {
    name: "MkDocs Material",
    missing: MISSING,
    async build() {
      const site = await copy("mkdocs");
      built(site, "mkdocs", "build", "--quiet");
      return { folder: path.join(site, "site"), file: "rollout.html" };
    },
    async fails() {
      const site = await copy("mkdocs", { "docs/rollout.md": wrong });
      return { ...host(site, "mkdocs", "build", "--quiet"), place: "docs/rollout.md:20" };
    },
    dark: (shown) => shown.locator("label[for='__palette_1']").first().click(),
  },
  {
    name: "Sphinx",
    missing: MISSING,
    async build() {
      const docs = await copy("sphinx");
      built(docs, "sphinx-build", "-q", "-W", "-b", "html", ".", "out");
      return { folder: path.join(docs, "out"), file: "index.html" };
    },
    async fails() {
      const docs = await copy("sphinx", { "index.rst": wrong });
      return { ...host(docs, "sphinx-build", "-q", "-b", "html", ".", "out"), place: "index.rst:25" };
    },
    // The theme has one look; the fixture's own style sheet adds the other, as the style sheets of many books do.
    dark: (shown) => shown.evaluate(() => document.body.setAttribute("data-theme", "dark")),
  },
  {
    name: "Docusaurus",
    missing: absent("PLANARIUM_DOCUSAURUS", "Docusaurus is"),
    async build() {
      const { site, done } = await docusaurus();
      assert.equal(done.status, 0, done.said);
      return { folder: path.join(site, "build"), file: "rollout", files: ["rollout", "plain"] };
    },
    async fails() {
      const { done } = await docusaurus({ "docs/rollout.mdx": wrong });
      return { ...done, place: "docs/rollout.mdx:20" };
    },
    dark: (shown) => shown.evaluate(() => document.documentElement.setAttribute("data-theme", "dark")),
  },
  {
    name: "remark",
    missing: (await remark()).reason,
    async build() {
      const tools = await remark();
      const site = await copy("remark");
      tools.assets(site);
      await writeFile(path.join(site, "page.css"), STYLES);
      const file = path.join(site, "page.md");
      const text = body(await readFile(file, "utf8"));
      await writeFile(path.join(site, "plain.html"), page(await plain(tools, file, text)));
      await writeFile(path.join(site, "mdx.html"), page(await mdx(tools, file, text)));
      return { folder: site, file: "plain.html", files: ["plain.html", "mdx.html"] };
    },
    async fails() {
      const site = await copy("remark", { "page.md": wrong });
      const file = path.join(site, "page.md");
      const said = await plain(await remark(), file, body(await readFile(file, "utf8"))).then(() => undefined, (error) => error.message);
      return { status: said === undefined ? 0 : 1, said, place: "page.md:20" };
    },
    dark: system,
  },
  {
    name: "plain HTML",
    missing: undefined,
    async build() {
      const site = await copy("html");
      built(site, PLANARIUM, "embed", "--assets", site);
      const done = host(site, PLANARIUM, "embed", "--markdown", "page.md");
      assert.equal(done.status, 0, done.said);
      await writeFile(path.join(site, "page.css"), STYLES);
      await writeFile(path.join(site, "page.html"), page(done.out));
      return { folder: site, file: "page.html" };
    },
    async fails() {
      const site = await copy("html", { "page.md": wrong });
      return { ...host(site, PLANARIUM, "embed", "--markdown", "page.md"), place: "page.md:14" };
    },
    dark: system,
  },
];

const builds = new Map();

/** A host's fixture, built once for all tests of a file. */
export function once(one) {
  if (!builds.has(one.name)) builds.set(one.name, one.build());
  return builds.get(one.name);
}

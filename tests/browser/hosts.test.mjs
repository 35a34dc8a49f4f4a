// Real builds of documents with demos in them, by mdBook, MkDocs Material, Sphinx, remark and MDX, opened in a browser.
// PLANARIUM_HOSTS names the programs' folder (tests/hosts/install.py makes it); without it the builds are skipped.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { open, scan, serve, shot, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const FIXTURES = path.join(ROOT, "tests", "hosts");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const HOSTS = process.env.PLANARIUM_HOSTS;
const MISSING = HOSTS ? false : (process.env.PLANARIUM_HOSTS_MISSING ?? "the hosts of documents are not installed");
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'";

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-hosts-"));
after(() => rm(folder, { recursive: true, force: true }));

/** A copy of a fixture, changed by `change` from file to new text. */
async function copy(name, change = {}) {
  const target = await mkdtemp(path.join(folder, `${name}-`));
  await cp(path.join(FIXTURES, name), target, { recursive: true });
  for (const [file, edit] of Object.entries(change)) {
    const text = await readFile(path.join(target, file), "utf8");
    const edited = edit(text);
    assert.notEqual(edited, text, `${file}: the change finds its place`);
    await writeFile(path.join(target, file), edited);
  }
  return target;
}

/** Runs a program of a host; answers status and everything it said. */
function host(cwd, program, ...words) {
  const here = path.dirname(PLANARIUM);
  const env = {
    ...process.env,
    PATH: [HOSTS, here, process.env.PATH].filter(Boolean).join(path.delimiter),
    PLANARIUM_BIN: PLANARIUM,
    NO_MKDOCS_2_WARNING: "1",
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const done = spawnSync(program, words, { cwd, env, encoding: "utf8", maxBuffer: 1 << 26 });
  if (done.error) throw done.error;
  return { status: done.status, said: done.stdout + done.stderr, out: done.stdout };
}

function built(...words) {
  const done = host(...words);
  assert.equal(done.status, 0, done.said);
}

const wrong = (text) => text.replace("deploy COMPLETE by 90s", "deploy COMPLETE by 1s");
const element = (page, at = 0) => page.locator("planarium-embed").nth(at);
/** Waits until a demo has been read; one that never is fails the test rather than holding it up. */
const ready = (embed) =>
  embed.evaluate(async (it) => {
    await customElements.whenDefined("planarium-embed");
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error(`the demo is never ready: ${it.innerText}`)), 10_000));
    await Promise.race([it.ready, late]);
  });
const theme = (embed) => embed.evaluate((it) => it.dataset.theme);
const word = (embed, name) => embed.getByRole("row").filter({ hasText: name }).first().locator(".pl-word").innerText();

/** What a demo does in whatever page it stands. */
async function plays(page, embed) {
  await ready(embed);
  assert.equal(await word(embed, "deploy"), "COMPLETE");
  const height = (await embed.boundingBox())?.height;
  await embed.evaluate((it) => (it.speed = 64));
  await embed.getByRole("button", { name: "Play" }).click();
  await embed.getByRole("button", { name: "Pause" }).waitFor();
  await soon(async () => assert.equal(await embed.evaluate((it) => it.playing), false));
  await embed.evaluate((it) => it.seek(2));
  assert.equal(await word(embed, "hello-1"), "PENDING");
  assert.equal((await embed.boundingBox())?.height, height, "no height jumps");
  // Left and right would turn the page of a book.
  const url = page.url();
  const heard = await page.evaluateHandle(() => {
    const keys = [];
    document.addEventListener("keydown", (event) => keys.push(event.key));
    return keys;
  });
  await embed.getByRole("slider", { name: "Time" }).focus();
  for (const key of ["ArrowRight", "ArrowLeft", "Home", "End"]) await page.keyboard.press(key);
  assert.equal(page.url(), url);
  assert.deepEqual(await heard.jsonValue(), []);
  assert.equal(await word(embed, "hello-1"), "COMPLETE");
  assert.match(await embed.locator("details").innerText(), /svc\.yml/);
  await embed.locator("summary").click();
  assert.match(await embed.locator("pre").innerText(), /cmd: .\/hello\n\n {8}cpus: 0\.1[^]*status at 0:02: deploy STARTING/);
}

/** Serves a folder, opens a page of it, runs the steps, and fails on what the page reported. */
async function visited(served, file, steps, options = {}) {
  const server = await serve(served);
  const opened = await open(new URL(file, server.url).href, options);
  try {
    await steps(opened.page, opened, server.url);
    opened.check();
  } catch (error) {
    const picture = await shot(opened.page, `failed-host-${path.basename(file)}`).catch(() => "none");
    error.message += `\nThe page reported:\n${opened.problems.join("\n")}\nPicture: ${picture}`;
    throw error;
  } finally {
    await opened.close();
    await server.close();
  }
}

let book;
/** The book, built once. */
async function bookBuilt() {
  if (!book) {
    book = await copy("mdbook");
    built(book, "mdbook-planarium", "install");
    built(book, "mdbook", "build");
  }
  return path.join(book, "book");
}

test("mdBook 0.5: demos play, follow the theme, keep their keys, and print", { skip: MISSING }, async () => {
  await visited(await bookBuilt(), "rollout.html", async (page) => {
    const embed = element(page);
    await plays(page, embed);
    assert.equal(await page.locator("planarium-embed").count(), 2, "a demo in a list, too");
    assert.equal(await word(element(page, 1), "deploy"), "COMPLETE");
    assert.equal(await theme(embed), "light");
    await page.evaluate(() => document.documentElement.classList.replace("light", "navy"));
    await soon(async () => assert.equal(await theme(embed), "dark"));
    await scan(page, { include: "planarium-embed" });
    await shot(page, "host-mdbook");
    // The book itself still turns its page.
    await page.locator("h1").first().click();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/canary\.html$/);
    assert.equal(await word(element(page), "deploy"), "COMPLETE");
  });
  const printed = await readFile(path.join(book, "book", "print.html"), "utf8");
  assert.equal(printed.match(/<planarium-embed /g)?.length, 3);
  assert.equal(printed.match(/pl-word">COMPLETE/g)?.length >= 8, true, "the pictures are whole without a script");
});

test("mdBook 0.5: demos play from a disk", { skip: MISSING }, async () => {
  const url = pathToFileURL(path.join(await bookBuilt(), "rollout.html")).href;
  // Fonts and the search index of the book are not allowed there.
  const opened = await open(url, { expected: (text) => !text.includes("planarium") });
  await plays(opened.page, element(opened.page));
  opened.check();
  await opened.close();
});

test("mdBook 0.4: its form of the book is walked, every chapter is drawn", { skip: MISSING }, async () => {
  const text = (await readFile(path.join(FIXTURES, "mdbook-0.4", "book.json"), "utf8")).replace("BOOK", path.join(FIXTURES, "mdbook").replaceAll("\\", "/"));
  const program = path.join(path.dirname(PLANARIUM), "mdbook-planarium");
  const through = (input) => {
    const done = spawnSync(program, [], { input, encoding: "utf8", env: { ...process.env, PLANARIUM_BIN: PLANARIUM }, maxBuffer: 1 << 26 });
    return { ...done, book: done.status === 0 ? JSON.parse(done.stdout) : undefined };
  };
  const old = through(text);
  assert.equal(old.status, 0, old.stderr);
  const [first, inner, last] = [old.book.sections[1].Chapter, old.book.sections[1].Chapter.sub_items[0].Chapter, old.book.sections[3].Chapter];
  assert.equal(first.content.match(/<planarium-embed /g).length, 2);
  assert.equal(inner.content.match(/<planarium-embed /g).length, 1);
  assert.equal(last.content, "# After\n\nThe last chapter.\n");
  const before = JSON.parse(text)[1];
  for (const chapter of [first, inner]) chapter.content = "";
  before.sections[1].Chapter.content = "";
  before.sections[1].Chapter.sub_items[0].Chapter.content = "";
  assert.deepEqual(old.book, before, "nothing else of the book changes");
  const [context, { sections, ...rest }] = JSON.parse(text);
  const fresh = through(JSON.stringify([context, { items: sections, ...rest }]));
  assert.equal(fresh.book.items[1].Chapter.content.match(/<planarium-embed /g).length, 2, "and that of mdBook 0.5");
  const latex = through(JSON.stringify([{ ...context, renderer: "latex" }, { sections, ...rest }]));
  assert.match(latex.book.sections[1].Chapter.content, /```text\ndeploy +COMPLETE/);
  assert.doesNotMatch(latex.book.sections[1].Chapter.content, /<planarium/);
  const bad = through(wrong(text));
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /src\/rollout\.md:18: error: `deploy` is COMPLETE at 0:07\.2, not by 0:01/);
  assert.equal(spawnSync(program, ["supports", "html"]).status, 0);
});

test("MkDocs Material: demos play after instant navigation and follow the palette", { skip: MISSING }, async () => {
  const site = await copy("mkdocs");
  await mkdir(path.join(site, "site"));
  const server = await serve(path.join(site, "site"));
  const config = path.join(site, "mkdocs.yml");
  await writeFile(config, (await readFile(config, "utf8")).replace("http://127.0.0.1/", server.url));
  let opened;
  try {
    built(site, "mkdocs", "build", "--quiet");
    opened = await open(new URL("index.html", server.url).href, {});
    const { page } = opened;
    await page.evaluate(() => (globalThis.same = true));
    await page.getByRole("article").getByRole("link", { name: "rolling out" }).click();
    await page.waitForURL(/rollout\.html$/);
    const embed = element(page);
    await plays(page, embed);
    assert.equal(await page.evaluate(() => globalThis.same), true, "the page was not loaded anew");
    assert.equal(await page.locator("planarium-embed").count(), 2, "a demo in a note, too");
    await ready(element(page, 1));
    assert.equal(await theme(embed), "light");
    await page.locator("label[for='__palette_1']").first().click();
    await soon(async () => assert.equal(await theme(embed), "dark"));
    await scan(page, { include: "planarium-embed" });
    await shot(page, "host-mkdocs");
    opened.check();
  } catch (error) {
    error.message += `\nThe page reported:\n${opened?.problems.join("\n")}`;
    throw error;
  } finally {
    await opened?.close();
    await server.close();
  }
});

test("Sphinx: demos play under a strict policy, and are text without HTML", { skip: MISSING }, async () => {
  const docs = await copy("sphinx");
  built(docs, "sphinx-build", "-q", "-W", "-b", "html", ".", "out");
  const file = path.join(docs, "out", "index.html");
  const html = await readFile(file, "utf8");
  await writeFile(file, html.replace("<head>", `<head><link rel="icon" href="data:,"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`));
  await visited(path.join(docs, "out"), "index.html", async (page) => {
    await plays(page, element(page));
    assert.equal(await word(element(page, 1), "deploy"), "COMPLETE");
    await scan(page, { include: "planarium-embed" });
    await shot(page, "host-sphinx");
  });
  built(docs, "sphinx-build", "-q", "-W", "-b", "text", ".", "text");
  const text = await readFile(path.join(docs, "text", "index.txt"), "utf8");
  assert.match(text, /deploy +COMPLETE +0:07\.2\n/);
  assert.doesNotMatch(text, /<planarium/);
});

test("remark: demos of Markdown and of MDX play under a strict policy", async (context) => {
  const require = createRequire(path.join(FIXTURES, "package.json"));
  let packages;
  try {
    packages = Object.fromEntries(
      await Promise.all(
        ["unified", "remark-parse", "remark-rehype", "rehype-raw", "rehype-stringify", "@mdx-js/mdx", "react", "react-dom/server", "react/jsx-runtime"].map(
          async (name) => [name, await import(pathToFileURL(resolved(require, name)).href)],
        ),
      ),
    );
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    context.skip("the packages of tests/hosts are not installed");
    return;
  }
  process.env.PLANARIUM_BIN = PLANARIUM;
  const { default: planarium, assets } = await import(pathToFileURL(path.join(ROOT, "hosts", "remark", "index.mjs")).href);
  const site = await copy("remark");
  assets(site);
  const file = path.join(site, "page.md");
  // Hosts cut the front matter off before they hand a page on.
  const text = (await readFile(file, "utf8")).replace(/^---\n[^]*?\n---\n/, "");
  const page = (body) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rolling out</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><link rel="stylesheet" href="planarium-embed.css">
<script src="planarium-embed.js" defer></script></head><body><main>${body}</main></body></html>`;
  const plain = (value) =>
    packages.unified.unified().use(packages["remark-parse"].default).use(planarium).use(packages["remark-rehype"].default, { allowDangerousHtml: true })
      .use(packages["rehype-raw"].default).use(packages["rehype-stringify"].default).process({ path: file, value });
  await writeFile(path.join(site, "plain.html"), page(String(await plain(text))));
  const { compile, run } = packages["@mdx-js/mdx"];
  const code = await compile({ path: file, value: text }, { remarkPlugins: [planarium], outputFormat: "function-body", format: "mdx" });
  const { default: Content } = await run(code, packages["react/jsx-runtime"]);
  const { createElement } = packages.react.default;
  const { renderToString } = packages["react-dom/server"].default;
  await writeFile(path.join(site, "mdx.html"), page(renderToString(createElement(Content))));
  for (const name of ["plain.html", "mdx.html"]) {
    await visited(site, name, async (shown) => {
      await plays(shown, element(shown));
      assert.equal(await shown.locator("blockquote planarium-embed").count(), 1);
      await scan(shown, { include: "planarium-embed" });
    });
  }
  // The line is that of the file, front matter included.
  await writeFile(file, wrong(await readFile(file, "utf8")));
  await assert.rejects(plain(wrong(text)), /page\.md:20: `deploy` is COMPLETE at 0:07\.2, not by 0:01/);
});

/** The file of a package that stands for `import`. */
function resolved(require, name) {
  try {
    return require.resolve(name);
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
    return path.join(FIXTURES, "node_modules", name, "index.js");
  }
}

for (const [name, program, words, file, place] of [
  ["mdbook", "mdbook", ["build"], "src/rollout.md", "src/rollout.md:18"],
  ["mkdocs", "mkdocs", ["build", "--quiet"], "docs/rollout.md", "docs/rollout.md:20"],
  ["sphinx", "sphinx-build", ["-q", "-b", "html", ".", "out"], "index.rst", "index.rst:25"],
]) {
  test(`a false claim fails the build of ${name} with file, line and what happened instead`, { skip: MISSING }, async () => {
    const docs = await copy(name, { [file]: wrong });
    if (name === "mdbook") built(docs, "mdbook-planarium", "install");
    const done = host(docs, program, ...words);
    assert.notEqual(done.status, 0, done.said);
    assert.ok(done.said.includes(`${place}: `), done.said);
    assert.match(done.said, /`deploy` is COMPLETE at 0:07\.2, not by 0:01; then deploy is STARTING/);
  });
}

test("a fence that MkDocs cannot read fails its build rather than staying unchecked", { skip: MISSING }, async () => {
  const docs = await copy("mkdocs", { "docs/rollout.md": (text) => text.replace('until="complete" seed="3" cluster="3"\nname: hello', "until=complete\nname: hello") });
  const done = host(docs, "mkdocs", "build", "--quiet");
  assert.notEqual(done.status, 0, done.said);
  assert.match(done.said, /docs\/rollout\.md:7: superfences cannot read this fence/);
});

// What single hosts of documents have of their own: turned pages, the page to print, instant navigation, formats without HTML, and what a
// host itself cannot read. What all of them have in common is in hosts.test.mjs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { FIXTURES, HOSTS, MISSING, PLANARIUM, body, built, copy, host, mdx, once, remark, wrong } from "./documents.mjs";
import { open, serve, soon } from "./harness.mjs";

const element = (page, at = 0) => page.locator("planarium-embed").nth(at);
const word = (embed, name) => embed.getByRole("row").filter({ hasText: name }).first().locator(".pl-word").innerText();

for (const one of HOSTS.filter(({ name }) => name.startsWith("mdBook"))) {
  test(`${one.name}: arrows outside of a demo turn the page, and the page to print has every demo`, { skip: one.missing ?? false }, async () => {
    const { folder } = await once(one);
    const server = await serve(folder);
    const { page, check, close } = await open(new URL("rollout.html", server.url).href, { expected: (text) => text.includes("favicon") });
    try {
      await page.locator("h1").first().click();
      await page.keyboard.press("ArrowRight");
      await page.waitForURL(/canary\.html$/);
      assert.equal(await word(element(page), "deploy"), "COMPLETE");
      check();
    } finally {
      await close();
      await server.close();
    }
    const printed = await readFile(path.join(folder, "print.html"), "utf8");
    assert.equal(printed.match(/<planarium-embed /g)?.length, 3);
    assert.equal(printed.match(/pl-word">COMPLETE/g)?.length >= 8, true, "the pictures are whole without a script");
  });
}

test("both forms of mdBook's book are walked, and nothing else of it changes", async () => {
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
  assert.deepEqual(old.book, before);
  const [context, { sections, ...rest }] = JSON.parse(text);
  const fresh = through(JSON.stringify([context, { items: sections, ...rest }]));
  assert.equal(fresh.book.items[1].Chapter.content.match(/<planarium-embed /g).length, 2, "and that of mdBook 0.5");
  const latex = through(JSON.stringify([{ ...context, renderer: "latex" }, { sections, ...rest }]));
  assert.match(latex.book.sections[1].Chapter.content, /```text\ndeploy +COMPLETE/);
  assert.doesNotMatch(latex.book.sections[1].Chapter.content, /<planarium/);
  const bad = through(wrong(text));
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /src\/rollout\.md:18: error: `deploy` is COMPLETE at 0:07\.2, not by 0:01/);
});

test("MkDocs Material: demos play after instant navigation", { skip: MISSING }, async () => {
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
    await embed.evaluate((it) => ((it.speed = 64), it.seek(0)));
    await embed.getByRole("button", { name: "Play" }).click();
    await soon(async () => assert.equal(await embed.evaluate((it) => !it.playing && it.time === it.duration), true));
    assert.equal(await element(page, 1).evaluate((it) => it.duration > 0), true, "the demo in a note, too");
    assert.equal(await page.evaluate(() => globalThis.same), true, "the page was not loaded anew");
    opened.check();
  } catch (error) {
    error.message += `\nThe page reported:\n${opened?.problems.join("\n")}`;
    throw error;
  } finally {
    await opened?.close();
    await server.close();
  }
});

test("Sphinx: without HTML demos are text", { skip: MISSING }, async () => {
  const docs = await copy("sphinx");
  built(docs, "sphinx-build", "-q", "-W", "-b", "text", ".", "text");
  const text = await readFile(path.join(docs, "text", "index.txt"), "utf8");
  assert.match(text, /deploy +COMPLETE +0:07\.2\n/);
  assert.doesNotMatch(text, /<planarium/);
});

test("Sphinx: a directive that docutils cannot read ends the build rather than staying unchecked", { skip: MISSING }, async () => {
  const docs = await copy("sphinx", { "index.rst": (text) => text.replace("   :until: complete\n", "   :until: complete\n   :until: idle\n") });
  const done = host(docs, "sphinx-build", "-q", "-b", "html", ".", "out");
  assert.notEqual(done.status, 0, done.said);
  assert.match(done.said, /index\.rst:6: this directive cannot be read: invalid option data: duplicate option "until"/);
});

test("MkDocs: a fence that superfences cannot read ends the build rather than staying unchecked", { skip: MISSING }, async () => {
  const docs = await copy("mkdocs", { "docs/rollout.md": (text) => text.replace('until="complete" seed="3" cluster="3"\nname: hello', "until=complete\nname: hello") });
  const done = host(docs, "mkdocs", "build", "--quiet");
  assert.notEqual(done.status, 0, done.said);
  assert.match(done.said, /docs\/rollout\.md:7: superfences cannot read this fence/);
});

test("MDX: a false claim is told with the line of the file, front matter included", async (context) => {
  const tools = await remark();
  if (tools.reason) {
    context.skip(tools.reason);
    return;
  }
  const site = await copy("remark", { "page.md": wrong });
  const file = path.join(site, "page.md");
  await assert.rejects(mdx(tools, file, body(await readFile(file, "utf8"))), /page\.md:20: `deploy` is COMPLETE at 0:07\.2, not by 0:01/);
});

/**
 * The conformance set of fences (`tests/data/fences`) in every host of documents: each document is built by the host, and has to give the
 * elements, or the findings with file and line, that `planarium embed --markdown` gives. What the program gives is held to the expected
 * files beside the documents by its own tests.
 */
import assert from "node:assert/strict";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { PLANARIUM, ROOT, body, built, copy, docusaurus, fresh, host, plain, remark } from "./documents.mjs";

const FOLDER = path.join(ROOT, "tests", "data", "fences");

/** The documents, each with what the program makes of it. */
export async function set() {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".md") && name !== "README.md").sort();
  return Promise.all(names.map(async (file) => {
    const words = ["embed", "--markdown", path.join(FOLDER, file), "--root", ".", "--file", file, "--format", "json"];
    const wanted = JSON.parse(host(ROOT, PLANARIUM, ...words).out);
    return { name: file.replace(/\.md$/, ""), file, text: await readFile(path.join(FOLDER, file), "utf8"), wanted };
  }));
}

/** Copies what the documents run beside them; the READMEs of examples would be pages of some hosts. */
async function beside(folder, documents) {
  for (const { text } of documents) {
    for (const [, name] of text.matchAll(/src="(examples\/[\w-]+)"/g)) {
      const from = path.join(ROOT, name);
      await cp(from, path.join(folder, name), { recursive: true, filter: (file) => !file.endsWith("README.md") }).catch((error) => {
        // One of the documents names an example that is not there.
        if (error.code !== "ENOENT") throw error;
      });
    }
  }
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const decoded = (text) =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, number, name) =>
    name ? (ENTITIES[name] ?? whole) : String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(number)));

/** The demos of a page: their attributes, and everything that can be read. */
export function elements(html) {
  return [...html.matchAll(/<planarium-embed([^>]*)>([^]*?)<\/planarium-embed>/g)].map(([, head, inside]) => {
    const attributes = [...head.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value]) => `${name}=${decoded(value ?? "")}`);
    // An attribute may hold a > as it is.
    const text = decoded(inside.replace(/<script[^]*?<\/script>/g, "").replace(/<(?:"[^"]*"|[^">])*>/g, " "));
    return { attributes: attributes.filter((one) => !one.startsWith("data-recording=")).sort(), text: text.replace(/\s+/g, " ").trim() };
  });
}

const findings = ({ wanted }) => wanted.fences.flatMap((fence) => fence.findings);

/** Compares a page with what the program makes of its document. */
function same(host, document, html) {
  assert.deepEqual(elements(html), document.wanted.fences.flatMap(({ html: one }) => elements(one)), `${host}: ${document.file}`);
}

/** Compares what a failed build said. A host whose build ends with the first bad fence says the findings of that one. */
function told(host, document, said, { line = (number) => number, all = false } = {}) {
  const flat = said.replace(/\s+/g, " ");
  const first = document.wanted.fences.find((fence) => fence.findings.some(({ kind }) => kind !== "warning"));
  const wanted = all ? findings(document) : first.findings;
  assert.ok(wanted.length > 0, document.file);
  for (const one of wanted) {
    const place = new RegExp(`[\\w/]*${document.name}\\.\\w+:${line(one.line)}(:${one.column ?? 0})?: `);
    assert.match(flat, place, `${host}: ${document.file}:${one.line}`);
    assert.ok(flat.includes(one.message.replace(/\s+/g, " ")), `${host}: ${document.file}:${one.line}: ${one.message}\n${said}`);
  }
}

/** Documents of the set that a host reads otherwise, and what it says instead. */
const OTHERWISE = {
  mkdocs: {
    // A comment of HTML is no comment to superfences: the fence in it is read, and is wrong.
    places: /places\.md:41: there is no option `pln`/,
    "mdbook-habits": /mdbook-habits\.md:3: superfences cannot read this fence: quote the values/,
  },
  sphinx: {
    "options-that-cannot-be-read": /options-that-cannot-be-read\.rst:4: [^]*duplicate option "plan"/,
  },
};

async function mdbook(program, documents, name) {
  const book = await copy("mdbook");
  const source = path.join(book, "src");
  await beside(source, documents);
  for (const one of documents) await writeFile(path.join(source, one.file), one.text);
  await writeFile(path.join(source, "SUMMARY.md"), documents.map((one) => `- [${one.name}](${one.file})\n`).join(""));
  built(book, "mdbook-planarium", "install");
  const done = host(book, program, "build");
  if (name === "bad") {
    assert.notEqual(done.status, 0, done.said);
    for (const one of documents) told(program, one, done.said, { all: true });
    return;
  }
  assert.equal(done.status, 0, done.said);
  for (const one of documents) same(program, one, await readFile(path.join(book, "book", `${one.name}.html`), "utf8"));
}

async function mkdocs(documents, name) {
  const site = await copy("mkdocs", { "mkdocs.yml": (text) => text.replace(/theme:\n( {2}.*\n)*/, "theme: {name: mkdocs}\n").replace(/nav:\n( {2}.*\n)*/, "") });
  const docs = path.join(site, "docs");
  await rm(docs, { recursive: true });
  await beside(docs, documents);
  const build = () => host(site, "mkdocs", "build", "--quiet");
  for (const one of documents) {
    const instead = OTHERWISE.mkdocs[one.name];
    if (!instead && name === "good") await writeFile(path.join(docs, one.file), one.text);
    if (!instead && name === "good") continue;
    await mkdir(docs, { recursive: true });
    await writeFile(path.join(docs, one.file), one.text);
    const done = build();
    assert.notEqual(done.status, 0, `${one.file}: ${done.said}`);
    if (instead) assert.match(done.said, instead);
    else told("mkdocs", one, done.said);
    await rm(path.join(docs, one.file));
  }
  if (name === "bad") return;
  const done = build();
  assert.equal(done.status, 0, done.said);
  for (const one of documents.filter((each) => !OTHERWISE.mkdocs[each.name])) {
    same("mkdocs", one, await readFile(path.join(site, "site", `${one.name}.html`), "utf8"));
  }
}

/** A document as Sphinx has it: each fence a directive. `lines` leads from a line of the document to that of the result. */
function directive(document) {
  const lines = new Map();
  const out = [document.name, "=".repeat(document.name.length), ""];
  const source = document.text.split("\n");
  for (const fence of document.wanted.fences) {
    const head = source[fence.line - 1];
    const quoted = /^[\s>]*/.exec(head)[0];
    const options = [...head.slice(quoted.length).replace(/^[`~]+planarium[ ,]?/, "").matchAll(/([\w-]+)(?:=("[^"]*"|'[^']*'|[^\s,]+))?/g)];
    out.push(".. planarium::");
    const opening = out.length;
    for (const [, key, value] of options) out.push(`   :${key.replaceAll("_", "-")}:${value ? ` ${value.replace(/^["']|["']$/g, "")}` : ""}`);
    // Findings about the first line name the line above the body, or that of a directive without one.
    out.push("");
    lines.set(fence.line, fence.end_line > fence.line + 1 ? out.length : opening);
    for (let at = fence.line + 1; at < fence.end_line; at += 1) {
      const text = source[at - 1].slice(quoted.length);
      out.push(text ? `   ${text}` : "");
      lines.set(at, out.length);
    }
    out.push("", "Text.", "");
  }
  return { text: out.join("\n"), line: (number) => lines.get(number) };
}

async function sphinx(documents, name) {
  const docs = await copy("sphinx", { "conf.py": (text) => text.replace('html_theme = "alabaster"', 'html_theme = "basic"') });
  await rm(path.join(docs, "index.rst"));
  await beside(docs, documents);
  const build = () => host(docs, "sphinx-build", "-q", "-b", "html", ".", "out");
  const index = (names) => writeFile(path.join(docs, "index.rst"), `Set\n===\n\n.. toctree::\n\n${names.map((one) => `   ${one}\n`).join("")}`);
  await index(documents.map((one) => one.name));
  for (const one of documents) {
    const { text, line } = directive(one);
    await writeFile(path.join(docs, `${one.name}.rst`), text);
    if (name === "good") continue;
    await index([one.name]);
    const done = build();
    assert.notEqual(done.status, 0, `${one.file}: ${done.said}`);
    if (OTHERWISE.sphinx[one.name]) assert.match(done.said, OTHERWISE.sphinx[one.name]);
    else told("sphinx", one, done.said, { line });
    await rm(path.join(docs, `${one.name}.rst`));
  }
  if (name === "bad") return;
  const done = build();
  assert.equal(done.status, 0, done.said);
  for (const one of documents) same("sphinx", one, await readFile(path.join(docs, "out", `${one.name}.html`), "utf8"));
}

async function remarked(documents, name) {
  const tools = await remark();
  const site = await fresh("set");
  await beside(site, documents);
  for (const one of documents) {
    const file = path.join(site, one.file);
    await writeFile(file, one.text);
    const page = plain(tools, file, body(one.text));
    if (name === "good") same("remark", one, await page);
    else told("remark", one, await page.then(() => "the page was made", (error) => error.message), { all: true });
  }
}

async function html(documents, name) {
  const site = await fresh("set");
  await beside(site, documents);
  for (const one of documents) {
    await writeFile(path.join(site, one.file), one.text);
    const done = host(site, PLANARIUM, "embed", "--markdown", one.file);
    assert.equal(done.status, { good: 0, bad: one.wanted.fences.some((fence) => fence.findings.some(({ kind }) => kind === "bad-input")) ? 2 : 1 }[name]);
    if (name === "good") same("html", one, done.out.replace(/^[> ]+/gm, ""));
    else told("html", one, done.said, { all: true });
  }
}

async function docusaurused(documents, name) {
  const { site, done } = await docusaurus({}, Object.fromEntries(documents.map((one) => [one.file, one.text])), (docs) => beside(docs, documents));
  if (name === "bad") {
    assert.notEqual(done.status, 0, done.said);
    for (const one of documents) told("Docusaurus", one, done.said, { all: true });
    return;
  }
  assert.equal(done.status, 0, done.said);
  for (const one of documents) same("Docusaurus", one, await readFile(path.join(site, "build", `${one.name}.html`), "utf8"));
}

const BUILDERS = {
  "mdBook 0.5": (...rest) => mdbook("mdbook", ...rest),
  "mdBook 0.4": (...rest) => mdbook(process.env.PLANARIUM_MDBOOK_04, ...rest),
  "MkDocs Material": mkdocs,
  Sphinx: sphinx,
  Docusaurus: docusaurused,
  remark: remarked,
  "plain HTML": html,
};

/** Builds the whole set in a host. */
export async function conforms(one) {
  const documents = await set();
  const [good, bad] = [documents.filter(({ wanted }) => wanted.ok), documents.filter(({ wanted }) => !wanted.ok)];
  assert.ok(good.length > 5 && bad.length > 8, "the set is there");
  await BUILDERS[one.name](good, "good");
  await BUILDERS[one.name](bad, "bad");
}

// The element's interface as docs/embedding.md has it: every example there runs, contents other than the picture's own run, slots, parts.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DIST, SIZES, journey, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const run = promisify(execFile);
const planarium = async (...words) => (await run(PLANARIUM, words, { cwd: ROOT, maxBuffer: 1 << 24 })).stdout;

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-element-"));
after(() => rm(folder, { recursive: true, force: true }));
await planarium("embed", "--assets", folder);
await symlink(DIST, path.join(folder, "planarium"));
const HELLO = `name: hello
pods:
  hello:
    count: 2
    tasks:
      server: {goal: RUNNING, cmd: ./hello, cpus: 0.1, memory: 32}
`;
await writeFile(path.join(folder, "hello.yml"), HELLO);
const ENGINE = 'engine="planarium/embed.html"';
const canary = await planarium("render", "examples/canary", "--html", "--engine", "planarium/embed.html");
const state = canary.match(/pl-run">"([^"]+)"/)[1];

const book = (body, dark) => `<!doctype html>
<html lang="en"${dark ? ' class="navy"' : ""}><head><meta charset="utf-8"><title>A book</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="book.css"><link rel="stylesheet" href="planarium-embed.css">
<script src="planarium-embed.js" defer></script></head><body><main><h1>Canaries</h1>${body}<p>Text after.</p></main></body></html>`;
const STYLES = `body{margin:0 auto;max-width:800px;padding:12px}html.navy body{background:#161923;color:#bcbdd0}a{color:inherit}
planarium-embed [part=row]{letter-spacing:1px}`;
const options = (body, how = {}) => ({
  boot: false,
  folder,
  extra: {
    "/": { type: "text/html; charset=utf-8", body: book(body, how.dark) },
    "/book.css": { type: "text/css; charset=utf-8", body: STYLES },
  },
  ...how,
});
const embed = (page) => page.locator("planarium-embed").first();
const ready = (page) => embed(page).evaluate(async (it) => (await customElements.whenDefined("planarium-embed"), await it.ready, true));
const framed = (page) => page.frameLocator("planarium-embed iframe");

// ---- The documents' examples --------------------------------------------------------------------

const document = await readFile(path.join(ROOT, "docs", "embedding.md"), "utf8");
/** Names and examples of the table with this head. */
function table(head) {
  const rows = document.split(`\n| ${head} |`)[1].split("\n\n")[0].split("\n").slice(2);
  return rows.map((row) => {
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const codes = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
    const at = head.split(" | ").indexOf("Example") + 1;
    return { names: codes(cells[1]), examples: codes(cells[at]) };
  });
}

const methods = table("Method | Example | Meaning");
const fields = table("Property | Example | Meaning");
const events = table("Event | `detail` | Example");
const attributes = table("Attribute | Example | Meaning");

journey("the examples of methods, properties and events in the documents run", options(canary, {
  expected: (text) => text.includes("planarium-embed:"),
}), async ({ page }) => {
  assert.ok(methods.length > 12 && fields.length > 6 && events.length > 10 && attributes.length > 12, "the tables are read");
  await page.evaluate((codes) => {
    globalThis.demo = document.querySelector("planarium-embed");
    globalThis.heard = new Set();
    Object.assign(globalThis, { clock: {}, caption: {}, report() {}, next: document.createElement("p") });
    for (const [name, code] of codes) {
      addEventListener(name, () => globalThis.heard.add(name));
      (0, eval)(code);
    }
  }, events.map(({ names: [name], examples: [code] }) => [name, code]));
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  const runs = async ({ names, examples }) => {
    assert.ok(examples.length > 0, `${names} has no example`);
    for (const code of examples) {
      const problem = await page.evaluate(async (text) => {
        try {
          const value = await (0, eval)(`(async () => (${text}))()`);
          return value?.ok === false ? value.reason : null;
        } catch (error) {
          return String(error);
        }
      }, code);
      // No marker of this run has that text.
      if (!code.includes("marker:TEXT")) assert.equal(problem, null, code);
    }
  };
  // Playing over the markers to the end, and an engine that did not start.
  await ready(page);
  await page.evaluate(async () => {
    const { demo } = globalThis;
    demo.seek(0);
    demo.speed = 64;
    const over = new Promise((done) => demo.addEventListener("planarium:complete", done, { once: true }));
    demo.setAttribute("markers", "");
    demo.play();
    await over;
    demo.dispatchEvent(new CustomEvent("planarium:lesson", { bubbles: true, detail: { state: "passed" } }));
    const address = demo.getAttribute("engine");
    demo.setAttribute("engine", "ftp://nowhere.example/");
    await demo.takeOver();
    demo.setAttribute("engine", address);
    demo.seek(12);
  });
  for (const one of [...fields.filter(({ names }) => !["lesson", "value"].includes(names[0])), ...methods.filter(({ names }) => names[0] !== "finalize()")]) await runs(one);
  await page.evaluate(() => globalThis.demo.seek(5));
  assert.equal((await page.evaluate(() => globalThis.demo.inject({ kind: "agent-lost", target: { agent: "agent-2" } }))).ok, true);
  for (const one of fields.filter(({ names }) => names[0] === "value")) await runs(one);
  // Findings are told when they change: a text that cannot be read has one.
  await page.evaluate(() => (globalThis.demo.value = "name: ["));
  await soon(async () => {
    const heard = new Set(await page.evaluate(() => [...globalThis.heard]));
    // This run has no markers; another test hears of them.
    assert.deepEqual(events.map(({ names: [name] }) => name).filter((name) => !heard.has(name) && name !== "planarium:marker" && name !== "planarium:ready"), []);
  });
  for (const one of [...methods, ...fields].filter(({ names }) => ["finalize()", "lesson"].includes(names[0]))) await runs(one);
});

/** The picture with an attribute. Its run has no marker of that name, and ends before 0:40. */
const tagged = (example) => canary.replace(/ speed="\d+"/, "").replace("<planarium-embed ", `<planarium-embed ${example.replace("marker:agent-2 is lost", "end").replace("40=", "20=")} `);
journey("the example of every attribute in the documents is read without a complaint", options(attributes.map(({ examples }) => tagged(examples[0])).join("")), async ({ page }) => {
  const warned = [];
  page.on("console", (message) => message.type() === "warning" && warned.push(message.text()));
  await page.reload();
  const lacking = await page.evaluate(async (all) => {
    await customElements.whenDefined("planarium-embed");
    const embeds = [...document.querySelectorAll("planarium-embed")];
    await Promise.all(embeds.map((it) => it.ready));
    return all.filter((name, at) => !embeds[at].hasAttribute(name));
  }, attributes.map(({ names: [name] }) => name));
  assert.deepEqual(lacking, []);
  assert.deepEqual(warned, []);
});

// ---- Contents -----------------------------------------------------------------------------------

const names = (page) => embed(page).evaluate(async (it) => [...new Set((await it.snapshot()).value.plans.map(({ service }) => service))]);

for (const [size, how] of [["wide", { width: 1440, height: 900 }], ["wide and dark", { width: 1440, height: 900, dark: true }], ["narrow", { ...SIZES.phone, touch: true }], ["narrow and dark", { ...SIZES.phone, touch: true, dark: true }]]) {
  journey(`an element without a picture shows its fallback, then the example, ${size}`, options(
    `<planarium-embed example="hello-world" ${ENGINE}><p slot="fallback">A picture of it.</p><p slot="caption">A caption.</p><a slot="toolbar-end" href="#more">More</a></planarium-embed>`, how,
  ), async ({ page, scan, shot }) => {
    await ready(page);
    assert.equal(await page.locator("iframe").count(), 0, "nothing is fetched before somebody acts");
    const order = await embed(page).evaluate((it) => [...it.querySelectorAll("[slot], .pl-bar, .pl-mark, .pl-try")].map((node) => node.slot || node.className));
    assert.deepEqual(order, ["fallback", "pl-bar", "pl-try", "toolbar-end", "pl-mark", "caption"]);
    await shot("before");
    await scan();
    await embed(page).getByRole("button", { name: "Try it" }).click();
    await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
    assert.deepEqual(await names(page), ["hello-world"]);
    assert.equal(await embed(page).getByText("A picture of it.").isVisible(), false);
    await shot("after");
    await scan();
  });
}

journey("src is fetched when the engine takes over, beside a recording that plays", options(
  canary.replace("<planarium-embed ", '<planarium-embed src="hello.yml" example="hello-world" '),
), async ({ page }) => {
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await ready(page);
  await embed(page).evaluate((it) => it.seek(12));
  assert.deepEqual(asked.filter((name) => name === "/hello.yml"), []);
  assert.deepEqual(await names(page), ["hello"]);
  assert.deepEqual(asked.filter((name) => name === "/hello.yml"), ["/hello.yml"]);
  assert.equal(await embed(page).evaluate((it) => it.value), HELLO);
  assert.equal(await embed(page).getByText(/comes out differently/).count(), 0, "the recording is not of that file");
});

journey("state counts before src, and may be a whole link with a moment", options(
  `<planarium-embed state="https://play.example.org/#${state}~9000" src="hello.yml" ${ENGINE}></planarium-embed>`,
), async ({ page }) => {
  await ready(page);
  const seen = await embed(page).evaluate((it) => it.snapshot());
  assert.equal(seen.ok, true, JSON.stringify(seen));
  assert.equal(seen.value.now_ms, 9_000);
  assert.equal(seen.value.plans.find(({ name }) => name === "deploy").status, "WAITING");
});

journey("value opens a text, follows the editor, and its findings are told", options(
  `<planarium-embed ${ENGINE} panes="tree,editor"></planarium-embed>`,
), async ({ page }) => {
  await ready(page);
  assert.equal(await embed(page).evaluate((it) => it.value), "");
  await page.evaluate(() => {
    globalThis.told = [];
    for (const name of ["change", "diagnostics"]) addEventListener(`planarium:${name}`, ({ detail }) => globalThis.told.push([name, detail]));
  });
  await embed(page).evaluate(async (it, text) => {
    it.value = text;
    await it.takeOver();
  }, HELLO);
  await soon(async () => assert.deepEqual(await names(page), ["hello"]));
  await embed(page).evaluate((it) => (it.value = it.value.replace("count: 2", "count: two")));
  await soon(async () => {
    const told = await page.evaluate(() => globalThis.told);
    const findings = told.filter(([name]) => name === "diagnostics").at(-1)?.[1].findings ?? [];
    assert.deepEqual(findings.map(({ line, severity }) => [line, severity]).slice(0, 1), [[4, "error"]]);
    assert.match(told.filter(([name]) => name === "change").at(-1)[1].value, /count: two/);
  });
});

journey("a run to a condition, a fork and an export come back with their values", options(canary), async ({ page }) => {
  await ready(page);
  const told = await embed(page).evaluate(async (it) => {
    const forks = [];
    it.addEventListener("planarium:fork", ({ detail }) => forks.push(detail));
    it.seek(0);
    const waits = await it.runUntil("deploy=WAITING");
    const over = await it.runUntil("deploy=ERROR", 1);
    const bad = await it.runUntil("soon");
    const fork = await it.fork();
    const csv = await it.export("csv");
    const none = await it.export("pdf");
    const { branches } = (await it.snapshot()).value;
    return { forks, waits, over, bad, fork, csv, none, branches, time: it.time };
  });
  assert.equal(told.waits.value.met, true, JSON.stringify(told.waits));
  assert.equal(told.over.value.met, false);
  assert.deepEqual([told.bad.code, told.none.code], ["bad-request", "bad-request"]);
  assert.equal(told.fork.value.current, true, JSON.stringify(told.fork));
  assert.deepEqual(told.branches.map(({ current }) => current), [false, true]);
  await soon(async () => assert.equal(told.forks.length, 1));
  assert.equal(told.forks[0].t, told.fork.value.forked_at_ms / 1000);
  assert.match(told.csv.value.text, /^event,ms,time,source,what,because\n/);
});

// ---- Parts --------------------------------------------------------------------------------------

journey("parts are named in a document, and from outside of a shadow root", options(canary), async ({ page }) => {
  await ready(page);
  const seen = await page.evaluate(async () => {
    const of = (root) => {
      const style = (part) => getComputedStyle(root.querySelector(`[part=${part}]`));
      return { row: style("row").letterSpacing, frame: style("frame").borderTopWidth };
    };
    const [first] = document.querySelectorAll("planarium-embed");
    const host = document.body.appendChild(document.createElement("x-host"));
    const root = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("x-host::part(row){letter-spacing:3px}x-host::part(frame){border-top-width:5px}");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    root.append(first.cloneNode(true));
    await root.querySelector("planarium-embed").ready;
    const parts = new Set([...first.querySelectorAll("[part]")].map((node) => node.getAttribute("part")));
    return { light: of(document), shadow: of(root), parts: [...parts].sort() };
  });
  assert.deepEqual(seen.light, { row: "1px", frame: "1px" });
  assert.deepEqual(seen.shadow, { row: "3px", frame: "5px" });
  assert.deepEqual(seen.parts, ["caption", "frame", "row", "status-badge", "toolbar", "tree"]);
});

// The page in a frame of another document: the dialog that writes it, the hand-over from a recording, the messages, and refusals.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
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

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-frame-"));
after(() => rm(folder, { recursive: true, force: true }));
await planarium("embed", "--assets", folder);
await symlink(DIST, path.join(folder, "planarium"));

/** A document with this body, under this policy. The playground lies in its folder `planarium/`. */
const book = (body, policy, dark) => `<!doctype html>
<html lang="en"${dark ? ' class="navy"' : ""}><head><meta charset="utf-8"><title>A book</title><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; ${policy}">
<link rel="icon" href="data:,"><link rel="stylesheet" href="book.css"><link rel="stylesheet" href="planarium-embed.css"><script src="planarium-embed.js" defer></script></head>
<body><main><h1>Canaries</h1>${body}<p>Text after.</p></main></body></html>`;
const STYLES = "body{margin:0 auto;max-width:800px;padding:12px}html.navy body{background:#161923;color:#bcbdd0}";
const options = (body, { policy = "frame-src 'self'", ...how } = {}) => ({
  boot: false,
  folder,
  extra: {
    "/": { type: "text/html; charset=utf-8", body: book(body, policy, how.dark) },
    "/book.css": { type: "text/css; charset=utf-8", body: STYLES },
  },
  ...how,
});

const engine = ["--html", "--engine", "planarium/embed.html"];
const canary = await planarium("render", "examples/canary", ...engine);
const embed = (page) => page.locator("planarium-embed").first();
const ready = (page) =>
  embed(page).evaluate(async (it) => (await customElements.whenDefined("planarium-embed"), await it.ready, true));
const framed = (page) => page.frameLocator("planarium-embed iframe");

for (const [size, how] of [
  ["wide", { width: 1440, height: 900 }],
  ["wide and dark", { width: 1440, height: 900, dark: true }],
  ["narrow", { ...SIZES.phone, touch: true }],
  ["narrow and dark", { ...SIZES.phone, touch: true, dark: true }],
]) {
  journey(`the engine takes a recording over at its instant, ${size}`, options(canary, how), async ({ page, scan, shot }) => {
    await ready(page);
    await embed(page).evaluate((it) => it.seek(12));
    assert.equal(await page.locator("iframe").count(), 0, "nothing is fetched before somebody acts");
    await embed(page).getByRole("button", { name: "Try it" }).click();
    const tree = framed(page).getByRole("treegrid");
    await tree.getByRole("row").filter({ hasText: "deploy" }).first().waitFor();
    await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
    const seen = await embed(page).evaluate((it) => it.snapshot());
    assert.equal(seen.ok, true, JSON.stringify(seen));
    assert.equal(seen.value.now_ms, 12_000);
    assert.equal(await embed(page).locator(".pl-figure").isVisible(), false);
    await shot("taken over");
    await scan();
  });
}

journey("commands, faults and questions reach the engine, refusals come back in words", options(canary), async ({ page }) => {
  await ready(page);
  await embed(page).evaluate((it) => it.seek(12));
  const told = await embed(page).evaluate(async (it) => {
    const changes = [];
    it.addEventListener("planarium:statuschange", ({ detail }) => changes.push(detail));
    const answers = {
      why: await it.why("deploy"),
      go: await it.command({ op: "continue", plan: "deploy" }),
      again: await it.command({ op: "fly", plan: "deploy" }),
      nobody: await it.command({ op: "continue", plan: "nobody" }),
      lost: await it.inject({ fault: "agent-lost", target: { agent: "agent-1" } }),
      nonsense: await it.inject({ fault: "earthquake" }),
    };
    await it.seek("end");
    return { changes, answers };
  });
  const { why, go, again, nobody, lost, nonsense } = told.answers;
  assert.equal(why.ok, true);
  assert.ok(JSON.stringify(why.value).length > 20, JSON.stringify(why));
  assert.equal(go.ok, true, JSON.stringify(go));
  assert.equal(lost.ok, true, JSON.stringify(lost));
  assert.deepEqual([again.ok, again.code], [false, "bad-request"]);
  assert.match(again.reason, /takes no command `fly`; it takes .*continue/);
  assert.deepEqual([nobody.ok, nobody.code], [false, "not-found"]);
  assert.deepEqual([nonsense.ok, nonsense.code], [false, "bad-request"]);
  await soon(async () => {
    const { value } = await embed(page).evaluate((it) => it.snapshot());
    assert.notEqual(value.plans.find((plan) => plan.name === "deploy").status, "WAITING");
  });
});

journey(
  "a policy without frames leaves the recording playing and says what is refused",
  options(canary, { policy: "frame-src 'none'", expected: (text) => /Content Security Policy|planarium-embed:/.test(text) }),
  async ({ page }) => {
    await ready(page);
    await embed(page).getByRole("button", { name: "Try it" }).click();
    const line = embed(page).getByRole("status");
    await soon(async () => assert.match(await line.innerText(), /policy does not allow its frame \(frame-src http/));
    await embed(page).evaluate((it) => it.seek("end"));
    assert.equal(await embed(page).getByRole("row").filter({ hasText: "deploy" }).first().locator(".pl-word").innerText(), "COMPLETE");
    assert.equal(await page.locator("iframe").count(), 0);
  },
);

journey("a frame shows the panes asked for and answers only whom it may", options(
  '<div id="out"></div>',
), async ({ page }) => {
  await page.evaluate(async () => {
    globalThis.heard = [];
    addEventListener("message", ({ data }) => globalThis.heard.push(data));
    const frame = document.createElement("iframe");
    frame.title = "Demo";
    frame.src = "planarium/embed.html?panes=tree,log&theme=dark&example=canary&parent=https://elsewhere.example";
    document.querySelector("#out").append(frame);
  });
  const inside = page.frameLocator("iframe");
  await inside.getByRole("treegrid").waitFor();
  assert.deepEqual(await inside.getByRole("tab").allInnerTexts(), ["Log"]);
  assert.equal(await inside.locator(".timeline, .pane-editor, .header").count(), 0);
  await page.evaluate(() => document.querySelector("iframe").contentWindow.postMessage({ planarium: 1, type: "hello", id: "a" }, "*"));
  await page.evaluate(() => {
    document.querySelector("iframe").src = "planarium/embed.html?panes=tree,log&example=canary&again=1";
  });
  await inside.getByRole("treegrid").waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.heard.filter((data) => data.type === "welcome")), [], "another parent was named");
  await soon(async () => {
    await page.evaluate(() => document.querySelector("iframe").contentWindow.postMessage({ planarium: 7, type: "hello", id: "b" }, "*"));
    const [refused] = await page.evaluate(() => globalThis.heard.filter((data) => data.type === "unsupported"));
    assert.deepEqual(refused, { planarium: 1, type: "unsupported", id: "b", versions: [1] });
  });
});

journey("the dialog writes what a document needs, and that works", { width: 1440, height: 900 }, async ({ page, scan, shot, url }) => {
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: "Embed this run" });
  const text = dialog.getByRole("textbox", { name: /bytes/ });
  await soon(async () => assert.match(await text.inputValue(), /^<planarium-embed [^>]*engine="http[^"]*\/embed\.html"/));
  assert.match(await text.inputValue(), /<script type="application\/json" class="pl-run">"p1:[\w-]+"<\/script>/);
  assert.equal(await dialog.getByRole("img", { name: "How it looks" }).evaluate((img) => img.complete && img.naturalWidth > 0), true);
  await shot("the element");
  await scan();
  await dialog.getByLabel("Readers may command").uncheck();
  await soon(async () => assert.doesNotMatch(await text.inputValue(), /engine=/));
  await dialog.getByRole("tab", { name: "Fence" }).click();
  await soon(async () => assert.match(await text.inputValue(), /^```planarium seed="\d+" file="[^"]+"/));
  await dialog.getByRole("tab", { name: "Image" }).click();
  await soon(async () => assert.match(await text.inputValue(), /^<svg /));
  await dialog.getByRole("tab", { name: "Frame" }).click();
  const frame = await text.inputValue();
  assert.match(frame, /^<iframe src="http[^"]*embed\.html\?panes=tree,timeline,why#p1:/);
  const body = `<!doctype html><html lang="en"><title>A document</title><link rel="icon" href="data:,">${frame}</html>`;
  await page.route("**/document.html", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(new URL("document.html", url).href);
  await page.frameLocator("iframe").getByRole("treegrid").waitFor();
});

// Documents whose engine's page belongs to somebody else: another origin, another site, a document inside of the document, and a frame
// that the browser keeps apart from its own origin.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DIST, SIZES, journey, serve, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const run = promisify(execFile);
const planarium = async (...words) => (await run(PLANARIUM, words, { cwd: ROOT, maxBuffer: 1 << 24 })).stdout;

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-elsewhere-"));
after(() => rm(folder, { recursive: true, force: true }));
await planarium("embed", "--assets", folder);
/** A playground of its own: another port of this machine is another origin. */
const play = await serve(DIST);
after(() => play.close());
const { port, origin } = new URL(play.url);
/** The same machine by another name is another site, which the browser gives a process of its own. */
const SITES = { "another origin": origin, "another site": `http://localhost:${port}` };
const pictureOf = (from) => planarium("render", "examples/canary", "--html", "--engine", `${from}/embed.html`);

/** A document under a policy that allows frames of these origins and nothing else of them. */
const book = (body, policy) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A book</title><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; ${policy}">
<link rel="icon" href="data:,"><link rel="stylesheet" href="book.css"><link rel="stylesheet" href="planarium-embed.css"><script src="planarium-embed.js" defer></script></head>
<body><main><h1>Canaries</h1>${body}<p>Text after.</p></main></body></html>`;
const STYLES = "body{margin:0 auto;max-width:800px;padding:12px}html.navy body{background:#161923;color:#bcbdd0}";
const options = (body, { policy = `frame-src 'self' ${Object.values(SITES).join(" ")}`, extra, ...how } = {}) => ({
  boot: false,
  folder,
  extra: {
    "/": { type: "text/html; charset=utf-8", body: book(body, policy) },
    "/book.css": { type: "text/css; charset=utf-8", body: STYLES },
    ...extra,
  },
  expected: (text) => text.startsWith("request to a third party"),
  ...how,
});
const nth = (page, at) => page.locator("planarium-embed").nth(at);
const ready = (page) =>
  page.evaluate(async () => {
    await customElements.whenDefined("planarium-embed");
    await Promise.all([...document.querySelectorAll("planarium-embed")].map((it) => it.ready));
  });
const deploy = ({ value }) => value.plans.find(({ name }) => name === "deploy").status;

for (const [what, from] of Object.entries(SITES)) {
  const picture = await pictureOf(from);
  const size = what === "another site" ? { ...SIZES.phone, touch: true } : {};
  journey(`a demo whose engine is of ${what} is taken over, commanded and left`, options(picture + picture, size), async ({ page, shot }) => {
    await ready(page);
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).host));
    await nth(page, 0).evaluate((it) => it.seek(12));
    assert.deepEqual(asked, [], "nothing is fetched before somebody acts");
    const row = nth(page, 0).getByRole("row").filter({ hasText: "web-deploy" }).first();
    await row.focus();
    await page.keyboard.press("Enter");
    const inside = nth(page, 0).frameLocator("iframe");
    await inside.getByRole("row", { selected: true }).filter({ hasText: "web-deploy" }).waitFor();
    await soon(async () => assert.equal(await nth(page, 0).evaluate((it) => document.activeElement === it.querySelector("iframe")), true, "the focus goes along"));
    assert.equal((await nth(page, 0).evaluate((it) => it.snapshot())).value.now_ms, 12_000);
    // The theme of the document, heights and events go from one site to the other.
    await page.evaluate(() => document.documentElement.classList.add("navy"));
    await soon(async () => assert.equal(await inside.locator("html").getAttribute("data-theme"), "dark"));
    const height = await nth(page, 0).locator("iframe").evaluate((it) => it.clientHeight);
    assert.ok(height >= 240, `${height} px`);
    await page.evaluate(() => {
      globalThis.changes = [];
      addEventListener("planarium:statuschange", ({ detail }) => globalThis.changes.push(detail.to));
    });
    const go = await nth(page, 0).evaluate((it) => it.command({ op: "continue", plan: "deploy" }));
    assert.equal(go.ok, true, JSON.stringify(go));
    await nth(page, 0).evaluate((it) => it.runUntil("deploy=COMPLETE", 600));
    await soon(async () => assert.ok((await page.evaluate(() => globalThis.changes)).includes("COMPLETE")));
    assert.deepEqual([...new Set(asked)], [new URL(from).host], "only the engine's own site is asked");
    // The second demo has a run of its own in the same worker.
    assert.equal(deploy(await nth(page, 1).evaluate((it) => (it.seek(12), it.snapshot()))), "WAITING");
    assert.equal(page.workers().length, 1);
    await nth(page, 0).scrollIntoViewIfNeeded();
    await shot("taken over");
    await nth(page, 0).evaluate((it) => it.finalize());
    assert.equal(deploy(await nth(page, 1).evaluate((it) => it.snapshot())), "WAITING", "the other one goes on with a worker of its own");
    await nth(page, 1).evaluate((it) => it.remove());
    await soon(async () => assert.equal(page.workers().length, 0));
  });
}

journey("only the document that is named may speak to a frame of another site", options(
  `<iframe title="Demo" width="700" height="400" src="${SITES["another site"]}/embed.html?example=canary&amp;parent=https://docs.example"></iframe>
<iframe title="Demo" width="700" height="400" src="${SITES["another site"]}/embed.html?example=canary"></iframe>`,
), async ({ page }) => {
  const heard = await page.evaluate(async (from) => {
    const [named, open] = document.querySelectorAll("iframe");
    const answers = [];
    addEventListener("message", ({ source, data, origin }) => answers.push([source === named.contentWindow, data.type, origin]));
    while (!answers.some(([, type]) => type === "welcome")) {
      for (const one of [named, open]) one.contentWindow.postMessage({ planarium: 1, type: "hello", id: "a" }, from);
      await new Promise((done) => setTimeout(done, 100));
    }
    return answers;
  }, SITES["another site"]);
  assert.ok(heard.every(([isNamed, , origin]) => !isNamed && origin === SITES["another site"]), JSON.stringify(heard));
});

// Frames find each other below one document only: a demo in a document of its own inside of the page has nobody beside it.
const picture = await pictureOf(origin);
journey("demos in documents of their own have a worker each, and none hears of the other", options(
  `<iframe title="One" width="760" height="620" src="inner.html"></iframe><iframe title="Other" width="760" height="620" src="inner.html"></iframe>`,
  { extra: { "/inner.html": { type: "text/html; charset=utf-8", body: book(picture, `frame-src ${origin}`) } } },
), async ({ page }) => {
  const inner = async (at) => (await (await page.locator("main > iframe").nth(at).elementHandle()).contentFrame());
  const [one, other] = [await inner(0), await inner(1)];
  const on = (frame, steps) => frame.locator("planarium-embed").evaluate(steps);
  for (const frame of [one, other]) {
    await on(frame, async (it) => (await customElements.whenDefined("planarium-embed"), it.ready.then(() => it.seek(12))));
    assert.equal(deploy(await on(frame, (it) => it.snapshot())), "WAITING");
  }
  assert.equal(page.workers().length, 2, "a worker each");
  assert.equal((await on(one, (it) => it.command({ op: "continue", plan: "deploy" }))).ok, true);
  assert.notEqual(deploy(await on(one, (it) => it.snapshot())), "WAITING");
  await page.locator("main > iframe").first().evaluate((it) => it.remove());
  await soon(async () => assert.equal(page.workers().length, 1));
  assert.equal(deploy(await on(other, (it) => it.snapshot())), "WAITING");
});

journey("a frame that the browser keeps apart from its own origin says what it lacks", options(
  `<iframe title="Demo" width="760" height="480" sandbox="allow-scripts" src="${origin}/embed.html?example=canary"></iframe>`,
  { expected: () => true },
), async ({ page, shot }) => {
  const said = page.frameLocator("iframe").getByRole("alert").first();
  await said.waitFor({ state: "attached" });
  await shot("apart");
  assert.match(await said.textContent(), /allow-same-origin/);
});

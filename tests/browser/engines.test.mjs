// Several engines in one document: how many run, what rests keeps, and what is left after a hundred times in and out.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DIST, journey, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const run = promisify(execFile);
const planarium = async (...words) => (await run(PLANARIUM, words, { cwd: ROOT, maxBuffer: 1 << 24 })).stdout;

/** As in embed/loader.js. */
const MOST_ENGINES = 3;

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-engines-"));
after(() => rm(folder, { recursive: true, force: true }));
await planarium("embed", "--assets", folder);
await symlink(DIST, path.join(folder, "planarium"));
const canary = await planarium("render", "examples/canary", "--html", "--engine", "planarium/embed.html");

const book = (body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A book</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="planarium-embed.css"><script src="planarium-embed.js" defer></script></head>
<body><main><h1>Canaries</h1>${body}</main></body></html>`;
const options = (body) => ({
  boot: false,
  folder,
  extra: { "/": { type: "text/html; charset=utf-8", body: book(body) } },
});
const ready = (page) =>
  page.evaluate(async () => {
    await customElements.whenDefined("planarium-embed");
    await Promise.all([...document.querySelectorAll("planarium-embed")].map((it) => it.ready));
  });
const nth = (page, at) => page.locator("planarium-embed").nth(at);
const plan = (page, at) => nth(page, at).evaluate(async (it) => (await it.snapshot()).value.plans.find(({ name }) => name === "deploy").status);

journey("of five demos that are used three engines run, and the others go on where they were", options(canary.repeat(5)), async ({ page, shot }) => {
  await ready(page);
  assert.equal(page.workers().length, 0, "no engine before somebody acts");
  const first = await nth(page, 0).evaluate(async (it) => {
    it.seek(12);
    return it.command({ op: "continue", plan: "deploy" });
  });
  assert.equal(first.ok, true, JSON.stringify(first));
  const continued = await plan(page, 0);
  assert.notEqual(continued, "WAITING");
  const answers = await page.evaluate(() =>
    Promise.all([...document.querySelectorAll("planarium-embed")].slice(1).map((it) => it.snapshot())),
  );
  assert.deepEqual(answers.map(({ ok }) => ok), [true, true, true, true], "each answers, though all began at once");
  assert.equal(await page.locator("iframe").count(), MOST_ENGINES);
  await soon(async () => assert.equal(page.workers().length, MOST_ENGINES));
  const rests = nth(page, 0);
  assert.equal(await rests.locator(".pl-figure").isVisible(), true);
  assert.equal(await rests.evaluate((it) => it.time), 12);
  await rests.getByText("The engine rests at 0:12, because others are used; what was done here is kept.").waitFor();
  await rests.scrollIntoViewIfNeeded();
  await shot("three of five");
  await rests.getByRole("button", { name: "Go on here" }).click();
  await soon(async () => assert.equal(await rests.getAttribute("data-engine"), "on"));
  assert.equal(await plan(page, 0), continued, "the command is in the run that goes on");
  assert.equal(await page.locator("iframe").count(), MOST_ENGINES);
  await rests.evaluate((it) => it.finalize());
  await rests.getByRole("button", { name: "Try it" }).waitFor();
  assert.equal(await page.locator("iframe").count(), MOST_ENGINES - 1);
});

journey("a hundred times in and out of a document leave nothing behind", options(canary), async ({ page }) => {
  await ready(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const counts = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const cycle = (times, engine) =>
    nth(page, 0).evaluate(
      async (it, [count, takes]) => {
        const place = it.parentElement;
        const frames = [];
        for (let at = 0; at < count; at += 1) {
          const taking = takes ? it.takeOver() : undefined;
          if (takes) while (!it.querySelector("iframe")) await new Promise((done) => setTimeout(done));
          it.remove();
          const answer = await taking;
          frames.push(answer?.ok ?? false);
          place.append(it);
        }
        return frames;
      },
      [times, engine],
    );
  // What the first times build once is no leak.
  await cycle(5, true);
  const before = await counts();
  assert.deepEqual(await cycle(10, true), Array(10).fill(false), "taken out before the engine answered");
  await cycle(90, false);
  await soon(async () => {
    const now = await counts();
    assert.ok(now.JSEventListeners <= before.JSEventListeners, `${before.JSEventListeners} listeners, then ${now.JSEventListeners}`);
    assert.ok(now.Nodes <= before.Nodes + 5, `${before.Nodes} nodes, then ${now.Nodes}`);
    assert.ok(now.Documents <= before.Documents, `${before.Documents} documents, then ${now.Documents}`);
  });
  assert.equal(await page.locator("iframe").count(), 0);
  await soon(async () => assert.equal(page.workers().length, 0));
  await nth(page, 0).evaluate((it) => it.seek(12));
  assert.equal(await nth(page, 0).evaluate((it) => it.time), 12, "it still plays");
});

// The page in a frame of another document: the dialog that writes it, the hand-over from a recording, the messages, and refusals.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
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
      lost: await it.inject({ kind: "agent-lost", target: { agent: "agent-1" } }),
      back: await it.inject({ fault: "agent-lost", target: { agent: "agent-2" } }),
      nonsense: await it.inject({ kind: "earthquake" }),
    };
    await it.seek("end");
    return { changes, answers };
  });
  const { why, go, again, nobody, lost, back, nonsense } = told.answers;
  assert.equal(why.ok, true);
  assert.ok(JSON.stringify(why.value).length > 20, JSON.stringify(why));
  assert.equal(go.ok, true, JSON.stringify(go));
  assert.equal(lost.ok, true, JSON.stringify(lost));
  assert.equal(back.ok, true, JSON.stringify(back));
  assert.deepEqual([again.ok, again.code], [false, "bad-request"]);
  assert.match(again.reason, /takes no command `fly`; it takes .*continue/);
  assert.deepEqual([nobody.ok, nobody.code], [false, "not-found"]);
  assert.deepEqual([nonsense.ok, nonsense.code], [false, "bad-request"]);
  await soon(async () => {
    const { value } = await embed(page).evaluate((it) => it.snapshot());
    assert.notEqual(value.plans.find((plan) => plan.name === "deploy").status, "WAITING");
  });
});

/** The row of the tree in the frame that is selected, and whether it has the focus. */
const selected = (page) =>
  framed(page).locator("[role=treegrid] [tabindex='0']").first().evaluate((row) => ({
    text: row.innerText,
    focused: row === document.activeElement && document.hasFocus(),
  }));
const row = (page, name) => embed(page).getByRole("row").filter({ hasText: name }).first();
const status = (page) => embed(page).evaluate(async (it) => (await it.snapshot()).value.plans.find((plan) => plan.name === "deploy").status);

journey("Enter on a row lets the engine take over, with that row and the focus", options(canary), async ({ page, scan }) => {
  await ready(page);
  await embed(page).evaluate((it) => it.seek(12));
  await row(page, "web-2:[server]").focus();
  await page.keyboard.press("Enter");
  await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
  await soon(async () => {
    const { text, focused } = await selected(page);
    assert.match(text, /web-2:\[server\]/);
    assert.equal(focused, true);
  });
  assert.equal(await embed(page).getByText(/This was recorded/).count(), 0, "the engine is that of the recording");
  await scan();
});

journey("a command's key on a row of the recording reaches the engine", options(canary), async ({ page }) => {
  await ready(page);
  await embed(page).evaluate((it) => it.seek(12));
  assert.equal(await row(page, "deploy").locator(".pl-word").innerText(), "WAITING");
  await row(page, "deploy").focus();
  await page.keyboard.press("c");
  await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
  await soon(async () => assert.notEqual(await status(page), "WAITING"));
});

journey("a recording of another engine says so where that takes over", options(
  canary.replace(/"by":"[^"]*"/, '"by":"0.0.1"').replace(/"digest":"[0-9a-f]{16}"/, '"digest":"0123456789abcdef"'),
  { expected: (text) => text.includes("comes out differently") },
), async ({ page, scan }) => {
  assert.match(canary, /"by":"\d[^"]*"/);
  await ready(page);
  await embed(page).getByRole("button", { name: "Try it" }).click();
  const line = embed(page).getByText(/^This was recorded with Planarium 0\.0\.1\. The engine here is \d\S* and comes out differently\.$/);
  await line.waitFor();
  await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
  assert.equal(await line.isVisible(), true);
  await scan();
  await embed(page).evaluate((it) => it.finalize());
  assert.equal(await line.count(), 0);
  assert.equal(await embed(page).locator(".pl-figure").isVisible(), true);
});

journey("Edit opens the engine with its editor", options(canary), async ({ page }) => {
  await ready(page);
  await embed(page).getByText("svc.yml", { exact: true }).click();
  await embed(page).getByRole("button", { name: "Edit" }).click();
  await framed(page).locator(".pane-editor").waitFor({ state: "attached" });
  await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
});

journey("what was asked of an engine that is left is answered", options(canary), async ({ page }) => {
  await ready(page);
  const answer = await embed(page).evaluate(async (it) => {
    await it.takeOver();
    const asked = it.why("deploy");
    await Promise.resolve();
    it.finalize();
    return asked;
  });
  assert.ok(answer.ok || answer.code === "no-engine", JSON.stringify(answer));
});

journey(
  "a policy without frames leaves the recording playing and says what is refused",
  options(canary, { policy: "frame-src 'none'", expected: (text) => /Content Security Policy|planarium-embed:/.test(text) }),
  async ({ page }) => {
    await ready(page);
    await embed(page).getByRole("button", { name: "Try it" }).click();
    const line = embed(page).getByRole("status");
    await soon(async () => assert.match(await line.innerText(), /policy does not allow it \(frame-src http/));
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
  await dialog.getByLabel("Readers may command").check();
  await soon(async () => assert.match(await text.inputValue(), / engine="http[^"]*\/embed\.html" panes="tree,timeline,why"/));
  const fence = async () => {
    const file = path.join(folder, "dialog.md");
    await writeFile(file, await text.inputValue());
    return planarium("embed", "--markdown", file);
  };
  assert.match(await fence(), /^<planarium-embed [^>]*panes="tree,timeline,why" engine="http/m, "the command line takes the dialog's fence");
  await dialog.getByLabel("Plays from").fill("0:02");
  await dialog.getByLabel("Plays to").fill("soon");
  await dialog.getByLabel("Plays to").blur();
  await dialog.getByText(/soon is no instant/).waitFor();
  await dialog.getByLabel("Plays to").fill("0:05.5");
  await dialog.getByLabel("Plays to").blur();
  await soon(async () => assert.match(await text.inputValue(), / start_at="2s" stop_at="5\.5s"/));
  assert.match(await fence(), /^<planarium-embed [^>]*start-at="2" stop-at="5\.500"/m);
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

const tag = (attributes) => `<planarium-embed engine="planarium/embed.html" ${attributes}></planarium-embed>`;

journey("a document says what is opened, what a reader may do, and how it looks", options(
  tag('example="hello-world" nodes="2" seed="7" commands="continue" link="false" density="compact" motion="reduce" height="444px" panes="tree,machines" loading="eager"'),
), async ({ page, scan, shot }) => {
  const inside = framed(page);
  await inside.getByRole("treegrid").waitFor();
  await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
  assert.equal(await page.locator("iframe").evaluate((frame) => frame.offsetHeight), 444);
  const looks = await inside.locator(":root").evaluate(({ dataset: { density, motion } }) => ({ density, motion }));
  assert.deepEqual(looks, { density: "compact", motion: "reduce" });
  assert.equal(await inside.getByRole("button", { name: "Open in Planarium" }).count(), 0);
  const { value } = await embed(page).evaluate((it) => it.export("journal"));
  const journal = JSON.parse(value.text);
  assert.equal(journal.genesis.seed, 7);
  assert.equal(journal.entries.find(({ input }) => input.kind === "add-agent").input.count, 2);
  // The document's own calls are free.
  assert.equal((await embed(page).evaluate((it) => it.command({ op: "interrupt", plan: "deploy" }))).ok, true);
  await scan();
  await shot("as the document says");
});

journey("the event behind a change is told, and a folder of the playground's files is enough", options(
  '<planarium-embed wasm-src="planarium" example="hello-world"></planarium-embed>',
), async ({ page }) => {
  const met = await embed(page).evaluate(async (it) => {
    await customElements.whenDefined("planarium-embed");
    globalThis.causes = [];
    it.addEventListener("planarium:statuschange", ({ detail }) => globalThis.causes.push(detail.cause));
    return it.runUntil("deploy=COMPLETE");
  });
  assert.equal(met.value?.met, true, JSON.stringify(met));
  await soon(async () => {
    const causes = await page.evaluate(() => globalThis.causes);
    assert.ok(causes.some((cause) => cause?.kind && cause.text), JSON.stringify(causes));
  });
});

journey("what a document asks for in vain is said in the frame and once in the console", options(
  tag('example="hello-world" dialect="helm" nodes="many" commands="continue,fly" height="tall" loading="soon" colour="red"'),
), async ({ page }) => {
  const said = [];
  // What the first load says must not be counted with what the second one does.
  await embed(page).getByText('unknown colour="red"').waitFor();
  page.on("console", (message) => message.type() === "warning" && said.push(message.text()));
  await page.reload();
  for (const text of ['unknown height="tall"', 'unknown loading="soon"', 'unknown colour="red"']) {
    await embed(page).getByText(text).waitFor();
    await soon(async () => assert.equal(said.filter((line) => line.includes(text)).length, 1, text));
  }
  await embed(page).evaluate((it) => it.takeOver());
  const words = ["dialect: `helm`", "nodes: `many`", "commands: `fly`"];
  await framed(page).getByText("This document asks for what does not exist here").first().waitFor();
  await soon(async () => assert.equal(said.filter((text) => words.every((word) => text.includes(word))).length, 1, said.join(" | ")));
});

journey("a scenario is played on the definition beside it", options(tag('src="own.yml" scenario="two.planarium.yaml"'), {
  policy: "frame-src 'self'; connect-src 'self'",
}), async ({ page }) => {
  const definition = "name: own\npods:\n  own:\n    count: 1\n    tasks:\n      server: {goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}\n";
  const scenario = "version: 1\ncluster: small\nservices:\n  - files: [own.yml]\n";
  await page.route("**/own.yml", (route) => route.fulfill({ contentType: "text/yaml", body: definition }));
  await page.route("**/two.planarium.yaml", (route) => route.fulfill({ contentType: "text/yaml", body: scenario }));
  await embed(page).evaluate(async (it) => (await customElements.whenDefined("planarium-embed"), await it.takeOver()));
  const { value } = await embed(page).evaluate((it) => it.snapshot());
  assert.deepEqual(value.plans.map(({ service, name }) => [service, name])[0], ["own", "deploy"]);
});

// A lesson inside somebody's document: what can be read before any script, the lesson in its frame, what the document hears of it, the way
// to the whole page, ids that are wrong, and the dialog that writes all of it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { DIST, SIZES, journey, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");

/** Runs the command with a text as its standard input. */
const piped = (text, ...words) =>
  new Promise((done, failed) => {
    const child = execFile(PLANARIUM, words, { cwd: ROOT, maxBuffer: 1 << 24 }, (error, out, said) => (error ? failed(new Error(said)) : done(out)));
    child.stdin.end(text);
  });
/** Draws a fence as every host of documents does. */
const fence = (info, body = "") => piped(body, "embed", "--fence", "--info", info);

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-lesson-"));
after(() => rm(folder, { recursive: true, force: true }));
await piped("", "embed", "--assets", folder);
await symlink(DIST, path.join(folder, "planarium"));

const ENGINE = "planarium/embed.html?speed=64";
const canary = await fence(`planarium lesson="canary" engine="${ENGINE}"`);
/** A lesson that is not of the course, as the conformance set of fences has it. */
const [, info, body] = (await readFile(path.join(ROOT, "tests/data/fences/lesson-in-the-fence.md"), "utf8")).match(/```(planarium[^\n]*)\n([^]*?)```/);
const own = await fence(info.replace("play/embed.html", ENGINE), body);

const book = (inside, how) => `<!doctype html>
<html lang="${how.lang ?? "en"}"><head><meta charset="utf-8"><title>A book</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="book.css">
<link rel="stylesheet" href="planarium-embed.css"><script src="heard.js"></script><script src="planarium-embed.js" defer></script></head>
<body${how.dark ? ' class="navy"' : ""}><main><h1>Canaries</h1>${inside}</main></body></html>`;
const STYLES = `body{margin:0 auto;max-width:1000px;padding:12px;background:#fff;color:#333}body.navy{background:#161923;color:#bcbdd0}`;
const HEARD = `globalThis.heard = [];
for (const name of ["lesson", "error"]) addEventListener("planarium:" + name, ({ detail }) => globalThis.heard.push({ name, ...detail }));`;
const options = (inside, how = {}) => ({
  boot: false,
  folder,
  extra: {
    "/": { type: "text/html; charset=utf-8", body: book(inside, how) },
    "/book.css": { type: "text/css; charset=utf-8", body: STYLES },
    "/heard.js": { type: "text/javascript; charset=utf-8", body: HEARD },
  },
  ...how,
});

const inside = (page, at = 0) => page.frameLocator("iframe").nth(at);
const pane = (place) => place.getByRole("region", { name: "Lesson", exact: true }).first();
const state = (place, pattern) => pane(place).getByRole("status").filter({ hasText: pattern }).first().waitFor();
const button = (place, name) => pane(place).getByRole("button", { name });
const heard = (page) => page.evaluate(() => globalThis.heard);
const start = async (page, at = 0) => {
  const begin = page.getByRole("button", { name: "Start the lesson" }).nth(at);
  await soon(async () => assert.equal(await begin.isEnabled(), true));
  await begin.focus();
  await page.keyboard.press("Enter");
  await pane(inside(page, at)).waitFor();
};

/** Gives a command of the list in the lesson. */
async function give(place, name) {
  const list = pane(place).getByText(/^Commands at this moment/);
  if (!(await button(place, name).isVisible())) await list.click();
  await button(place, name).click();
}

/** Lets the canary go, waits, and lets the rest go; the clock stands while a command is chosen. */
async function solve(place) {
  await button(place, "WAITING").click();
  await state(place, /0 of \d goals? met/);
  await place.getByRole("combobox", { name: "Speed" }).selectOption({ label: "8×" });
  const play = place.getByRole("button", { name: /^Play/ }).first();
  const pause = place.getByRole("button", { name: /^Pause/ }).first();
  const waiting = place.getByRole("row").filter({ hasText: "deploy" }).filter({ hasText: "WAITING" }).first();
  const first = place.getByRole("row").filter({ hasText: "web-0:[server]" }).filter({ hasText: "COMPLETE" }).first();
  await play.click();
  await waiting.waitFor();
  await pause.click();
  await give(place, /ontinue deploy\/web$/);
  await play.click();
  await first.waitFor();
  await waiting.waitFor();
  await pause.click();
  await give(place, /ontinue deploy\/web$/);
  await play.click();
  await state(place, /^Passed at/);
}

for (const [name, how] of [
  ["wide and light", { width: 1440, height: 900 }],
  ["wide and dark", { width: 1440, height: 900, dark: true }],
  ["narrow and light", { ...SIZES.phone, touch: true }],
  ["narrow and dark", { ...SIZES.phone, touch: true, dark: true }],
]) {
  journey(`a lesson is started in a document by keyboard, ${name}`, options(canary, how), async ({ page, scan, shot }) => {
    const figure = page.getByRole("group", { name: "A canary" });
    await figure.getByText("What does the deploy plan show at 1:00 if nobody commands?").waitFor();
    await soon(async () => assert.equal(await figure.getByRole("button", { name: "Start the lesson" }).isEnabled(), true));
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok((await wide()) <= 0, `${await wide()} px too wide`);
    await scan();
    await shot("before");
    await start(page);
    await pane(inside(page)).getByRole("heading", { name: "A canary" }).waitFor();
    // The focus has gone into the lesson with the reader.
    await soon(async () => assert.equal(await inside(page).locator("#lesson").evaluate((it) => it === document.activeElement), true));
    assert.ok((await wide()) <= 0, `${await wide()} px too wide`);
    assert.deepEqual(await heard(page), [{ name: "lesson", id: "canary", state: "open" }]);
    assert.equal(await pane(inside(page)).getByText("This browser keeps nothing").count(), 0, "the browser keeps progress here");
    await scan();
    await shot("question");
  });
}

journey("what a lesson asks can be read without scripts", options(canary, { scripts: false }), async ({ page }) => {
  const figure = page.getByRole("group", { name: "A canary" });
  await figure.getByText("Four web servers run version 1.").waitFor();
  await figure.getByText("What does the deploy plan show at 1:00 if nobody commands?").waitFor();
  await figure.getByRole("listitem").filter({ hasText: "WAITING" }).waitFor();
  await figure.getByRole("row").filter({ hasText: "web-3:[server]" }).getByText("PENDING").waitFor();
  assert.equal(await figure.getByRole("button", { name: "Start the lesson" }).isEnabled(), false);
  assert.equal(await figure.getByRole("link", { name: "Open in Planarium" }).getAttribute("href"), "planarium/#lesson=canary");
});

journey("a document hears that a lesson is passed, with its score, and the whole page goes on with it", options(canary, { width: 1440, height: 900 }), async ({ page, shot }) => {
  await start(page);
  const frame = inside(page);
  await solve(frame);
  await soon(async () => assert.equal((await heard(page)).length, 2));
  const [, passed] = await heard(page);
  assert.equal(`${passed.id} ${passed.state}`, "canary passed");
  assert.equal(passed.score.commands, 2);
  assert.ok(passed.score.time_ms > 30_000 && passed.score.time_ms < 150_000, JSON.stringify(passed));
  assert.ok(passed.stars >= 0 && passed.stars <= 3 && Number.isInteger(passed.score.unavailable_ms), JSON.stringify(passed));
  await shot("passed");
  const [whole] = await Promise.all([page.context().waitForEvent("page"), frame.getByRole("button", { name: "Open in Planarium" }).click()]);
  await state(whole, /^Passed at/);
  // Progress is that of the page.
  await whole.keyboard.press("l");
  await whole.getByRole("dialog", { name: "Lessons" }).getByText("1 of 26 passed").waitFor();
  await whole.keyboard.press("Escape");
  await pane(whole).getByText("You said: WAITING").waitFor();
  await whole.getByRole("row").filter({ hasText: "web-3:[server]" }).filter({ hasText: "COMPLETE" }).first().waitFor();
});

journey("a document hears that a lesson is lost, and that it is open again after a step back", options(canary, { width: 1440, height: 900 }), async ({ page }) => {
  await start(page);
  const frame = inside(page);
  await button(frame, "COMPLETE").click();
  await state(frame, /0 of 2 goals met/);
  await frame.getByRole("button", { name: /^Play/ }).first().click();
  await state(frame, /^Lost at 1:30/);
  await button(frame, /^Go back/).click();
  await state(frame, /0 of 2 goals met/);
  await soon(async () => assert.deepEqual((await heard(page)).map((one) => one.state), ["open", "lost", "open"]));
  assert.deepEqual((await heard(page))[1].score.commands, 0);
});

journey("an untouched lesson opens in the whole page at its beginning", options(own, { width: 1440, height: 900 }), async ({ page }) => {
  await start(page);
  const frame = inside(page);
  await pane(frame).getByText("A lesson from a link").waitFor();
  const [whole] = await Promise.all([page.context().waitForEvent("page"), frame.getByRole("button", { name: "Open in Planarium" }).click()]);
  await state(whole, /Answer the question/);
  await pane(whole).getByRole("heading", { name: "First <steps>" }).waitFor();
  assert.match(whole.url(), /#l1:[\w-]+$/);
});

const wrong = `<planarium-embed lesson="canray" engine="${ENGINE}"></planarium-embed>`;
journey("an id that does not exist is said in the frame, and once in the console, with the nearest", options(wrong.repeat(2), { width: 1440, height: 900 }), async ({ page, scan, shot }) => {
  const warnings = [];
  page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
  for (const at of [0, 1]) {
    const begin = page.getByRole("button", { name: "Start the lesson" }).first();
    await soon(async () => assert.equal(await begin.isEnabled(), true));
    await begin.click();
    await inside(page, at).getByText("there is no lesson `canray`; the nearest one is `canary`").waitFor();
    await soon(async () => assert.equal((await heard(page)).length, at + 1));
  }
  await shot("wrong id");
  await scan();
  assert.deepEqual(warnings.filter((text) => text.includes("canray")), ["planarium-embed: there is no lesson `canray`; the nearest one is `canary`"]);
  assert.deepEqual((await heard(page))[0], { name: "error", reason: "there is no lesson `canray`; the nearest one is `canary`" });
});

journey("an element by hand takes the language around it, and falls back to English", options(`<planarium-embed lesson="status" engine="${ENGINE}"></planarium-embed>`, { lang: "de-AT", width: 1440, height: 900 }), async ({ page }) => {
  await start(page);
  assert.match(await page.locator("iframe").getAttribute("src"), /lang=de-AT/);
  await pane(inside(page)).getByRole("heading", { name: "What a status says" }).waitFor();
  const element = page.locator("planarium-embed");
  assert.equal(await element.evaluate((it) => it.lesson), "status");
  await element.evaluate((it) => (it.lesson = "canary"));
  await page.getByRole("button", { name: "Start the lesson" }).click();
  await pane(inside(page)).getByRole("heading", { name: "A canary" }).waitFor();
});

journey("a lesson that rests goes on with what was done in it", options(canary.repeat(21), { width: 1440, height: 900 }), async ({ page }) => {
  await start(page);
  await button(inside(page), "WAITING").click();
  await button(inside(page), /Show a hint/).click();
  await pane(inside(page)).getByText("The plan is not slow").waitFor();
  // The one that has the focus would go on.
  await page.getByRole("heading", { name: "Canaries" }).click();
  // Twenty engines run; one more takes the place of the first.
  for (let at = 1; at <= 20; at += 1) {
    const element = page.locator("planarium-embed").nth(at);
    assert.equal(await element.evaluate(async (it) => (await it.takeOver()).ok), true);
  }
  await page.getByText("what was done is kept").waitFor();
  await page.getByRole("button", { name: "Go on here" }).click();
  const first = page.locator("planarium-embed").first().frameLocator("iframe");
  await pane(first).getByText("The plan is not slow").waitFor();
  await pane(first).getByText("You said: WAITING").waitFor();
});

journey("the dialog Embed of an open lesson writes the lesson", { path: "?lesson=canary", width: 1440, height: 900 }, async ({ page, url, scan, shot }) => {
  await pane(page).waitFor();
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: "Embed this lesson" });
  const text = dialog.getByRole("textbox", { name: /bytes$/ });
  await text.waitFor();
  await scan();
  await shot("dialog");
  const element = await text.inputValue();
  assert.match(element, /^<planarium-embed lesson="canary" panes="tree,timeline,why" engine="[^"]*embed\.html">/);
  assert.match(element, new RegExp(`<a href="${url}#lesson=canary">Open in Planarium</a>`));
  assert.match(element, /What does the deploy plan show/);
  await dialog.getByRole("tab", { name: "Frame" }).press("Enter");
  await soon(async () => assert.match(await text.inputValue(), /embed\.html\?panes=tree,timeline,why&amp;lesson=canary"/));
  await dialog.getByRole("tab", { name: "Fence" }).click();
  await soon(async () => assert.match(await text.inputValue(), /^```planarium lesson="canary" /));
  // A host that reads the fence draws the element of the first form, but for the address of the page.
  const drawn = await piped(await text.inputValue(), "embed", "--fence");
  const plain = (html) => html.replace(/ (lang|panes|engine)="[^"]*"/g, "");
  assert.equal(plain(drawn), plain(element));
});

journey("a class opens a lesson of its own by link, hands in, and the teacher sees who passed", { path: `#${/lesson="([^"]*)"/.exec(own)[1]}`, width: 1440, height: 900 }, async ({ page, url, scan, shot }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const link = page.url();
  const copied = async () => {
    await page.getByText("Copied.").first().waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  // Each of them has a browser of their own.
  const other = async () => {
    await page.goto(new URL("?example=hello-world", url).href);
    await page.getByRole("treegrid").first().waitFor();
    await page.evaluate(() => (localStorage.clear(), sessionStorage.clear()));
  };
  const handed = [];
  for (const name of ["Ada", "Grace"]) {
    await other();
    await page.goto(link);
    await page.reload();
    await pane(page).getByRole("heading", { name: "First <steps>" }).waitFor();
    await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
    if (name === "Ada") await solve(page);
    else {
      await button(page, "COMPLETE").click();
      await state(page, /0 of 1 goals? met/);
      await page.getByRole("button", { name: /^Play/ }).first().click();
      await state(page, /^Lost at 1:30/);
    }
    await pane(page).getByText("Hand in", { exact: true }).click();
    await pane(page).getByRole("textbox", { name: "Your name" }).fill(name);
    await button(page, "Copy the link to hand in").click();
    handed.push(await copied());
    assert.match(handed.at(-1), /#h1:[\w-]+$/);
  }
  await other();
  await page.goto(link);
  await page.reload();
  await pane(page).waitFor();
  await page.getByRole("heading", { name: "Checks" }).click();
  await page.keyboard.press("l");
  await page.getByRole("dialog").getByRole("button", { name: "Results of a class" }).click();
  const results = page.getByRole("dialog", { name: "Results of a class" });
  await results.getByRole("textbox", { name: "Links" }).fill(handed.join("\n"));
  await results.getByRole("button", { name: "Play them again" }).click();
  await results.getByRole("row", { name: /Ada First <steps> passed/ }).waitFor();
  await results.getByRole("row", { name: /Grace First <steps> not passed/ }).waitFor();
  await scan();
  await shot("results");
  const [file] = await Promise.all([page.waitForEvent("download"), results.getByRole("button", { name: "Save as CSV" }).click()]);
  assert.match(await readFile(await file.path(), "utf8"), /Ada.*First <steps>/);
});

journey("progress is saved as a file and read back in another browser", { path: "#progress=canary.3.2.95000.0.0.0,status.2.1.60000.0.1.0", ...SIZES.phone, touch: true }, async ({ page, url, scan }) => {
  await page.getByText("Progress taken over: 2 of 2 new or better.").waitFor();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Lessons" });
  await dialog.getByText("2 of 26 passed").waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Save it as a file" }).click()]);
  const saved = await readFile(await file.path());
  assert.match(saved.toString(), /^progress=canary\.3\.2\.95000/);
  await page.evaluate(() => (localStorage.clear(), sessionStorage.clear()));
  await page.goto(new URL("?example=hello-world&again=1", url).href);
  await page.getByRole("treegrid").waitFor();
  await page.keyboard.press("l");
  await dialog.getByText("0 of 26 passed").waitFor();
  await dialog.getByLabel("Open such a file").setInputFiles({ name: file.suggestedFilename(), mimeType: "text/plain", buffer: saved });
  await dialog.getByText("2 of 26 passed").waitFor();
  await scan();
});

// Pictures in other people's documents: a table that needs no script, and the loader that plays its recording, under a strict
// policy, from a disk, by keyboard, with two themes, printed and broken.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { SIZES, journey, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:";
const run = promisify(execFile);

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-embed-"));
after(() => rm(folder, { recursive: true, force: true }));
const planarium = async (...words) => (await run(PLANARIUM, words, { cwd: ROOT, maxBuffer: 1 << 24 })).stdout;
await planarium("embed", "--assets", folder);
const picture = await planarium("render", "examples/canary", "--html");
const lost = await planarium("render", "examples/lost-machine", "--html");

/** A document as a careful writer has it: policy, styles and script from its own folder, text around the picture. */
const book = (body, { dark = false, script = true } = {}) => `<!doctype html>
<html lang="en"${dark ? ' class="navy"' : ""}><head><meta charset="utf-8"><title>A book</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<link rel="icon" href="data:,"><link rel="stylesheet" href="book.css"><link rel="stylesheet" href="planarium-embed.css">
${script ? '<script src="planarium-embed.js" defer></script>' : ""}</head>
<body><main><h1>Canaries</h1><p>Text before.</p>${body}<p>Text after.</p></main></body></html>`;
const STYLES = `body{margin:0 auto;max-width:750px;padding:12px;background:#fff;color:#333}
html.navy body{background:#161923;color:#bcbdd0}table td,table th{padding:14px;border:3px solid red}`;

const options = (body, how = {}) => ({
  boot: false,
  folder,
  extra: {
    "/": { type: "text/html; charset=utf-8", body: book(body, how) },
    "/favicon.ico": { type: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    "/book.css": { type: "text/css; charset=utf-8", body: STYLES },
  },
  ...how,
});

const element = (page, at = 0) => page.locator("planarium-embed").nth(at);
const ready = (embed) => embed.evaluate(async (it) => (await customElements.whenDefined("planarium-embed"), await it.ready, true));
const word = (embed, name) => embed.getByRole("row").filter({ hasText: name }).first().locator(".pl-word").innerText();
const time = (embed) => embed.evaluate((it) => it.time);

for (const [size, how] of [
  ["wide and light", { width: 1440, height: 900 }],
  ["wide and dark", { width: 1440, height: 900, dark: true }],
  ["narrow and light", { ...SIZES.phone, touch: true }],
  ["narrow and dark", { ...SIZES.phone, touch: true, dark: true }],
]) {
  journey(`a picture plays in a document, ${size}`, options(picture, how), async ({ page, scan, shot }) => {
    const embed = element(page);
    const height = (await embed.boundingBox())?.height;
    await ready(embed);
    assert.equal(await word(embed, "deploy"), "COMPLETE");
    assert.equal((await embed.boundingBox())?.height, height, "the script changes no height");
    await scan();
    await shot("at rest");
    await embed.evaluate((it) => (it.speed = 64));
    await embed.getByRole("button", { name: "Play" }).click();
    await embed.getByRole("button", { name: "Pause" }).waitFor();
    await soon(async () => assert.equal(await embed.evaluate((it) => it.playing), false));
    assert.equal(await word(embed, "web-3"), "COMPLETE");
    await embed.evaluate((it) => it.seek(9));
    assert.equal(await word(embed, "web-3"), "PENDING");
    assert.equal(await word(embed, "deploy"), "WAITING");
    assert.equal((await embed.boundingBox())?.height, height, "no height jumps while it plays");
    await shot("at nine seconds");
    await scan();
    assert.equal(await embed.evaluate((it) => it.dataset.theme), how.dark ? "dark" : "light");
  });
}

journey("a host that changes its theme is followed at once, the instant is kept", options(picture, { dark: true }), async ({ page }) => {
  const embed = element(page);
  await ready(embed);
  await embed.evaluate((it) => it.seek(12));
  for (const [dark, theme] of [[false, "light"], [true, "dark"]]) {
    await page.evaluate((on) => document.documentElement.classList.toggle("navy", on), dark);
    await soon(async () => assert.equal(await embed.evaluate((it) => it.dataset.theme), theme));
  }
  assert.equal(await time(embed), 12);
});

journey("keys that the picture handles do not reach the host", options(picture), async ({ page }) => {
  const embed = element(page);
  await ready(embed);
  await page.evaluate(() => {
    globalThis.heard = [];
    document.addEventListener("keydown", (event) => globalThis.heard.push(event.key));
  });
  const heard = () => page.evaluate(() => globalThis.heard.splice(0));
  await embed.evaluate((it) => it.seek(0));
  await embed.getByRole("slider", { name: "Time" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await time(embed), 10);
  await page.keyboard.press("ArrowRight");
  assert.equal(await time(embed), 10.2);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await time(embed), 10);
  await page.keyboard.press("End");
  assert.equal(await time(embed), await embed.evaluate((it) => it.duration));
  assert.deepEqual(await heard(), []);
  const rows = embed.getByRole("row");
  await rows.nth(1).focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await rows.nth(1).getAttribute("aria-expanded"), "false");
  assert.equal(await embed.getByText("web-2:[server]").isVisible(), false);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.equal(await rows.nth(2).evaluate((row) => row === document.activeElement), true);
  assert.deepEqual(await heard(), []);
  for (const key of ["s", "c", "Enter"]) await page.keyboard.press(key);
  assert.deepEqual(await heard(), ["s", "c", "Enter"], "other keys are the host's, and those of an engine where there is none");
});

journey("what comes and goes during a run keeps its place", options(lost), async ({ page }) => {
  const embed = element(page);
  await ready(embed);
  const height = (await embed.boundingBox())?.height;
  const told = await embed.evaluate((it) => {
    const changes = [];
    it.addEventListener("planarium:statuschange", (event) => changes.push(event.detail));
    it.seek(0);
    const start = [...it.querySelectorAll("tbody tr")].map((row) => row.innerText);
    it.seek("end");
    const end = [...it.querySelectorAll("tbody tr")].map((row) => row.innerText);
    it.seek(0);
    const again = [...it.querySelectorAll("tbody tr")].map((row) => row.innerText);
    it.seek("end");
    return { changes, start, end, again, now: [...it.querySelectorAll("tbody tr")].map((row) => row.innerText) };
  });
  assert.deepEqual(told.start, told.again, "going back comes to what was there");
  assert.deepEqual(told.end, told.now);
  assert.notDeepEqual(told.start, told.end);
  assert.ok(told.changes.some(({ path: where, from, to }) => where.includes("/") && from !== to));
  assert.equal((await embed.boundingBox())?.height, height);
});

journey("who prefers reduced motion steps through the changes", options(picture, { reducedMotion: true }), async ({ page }) => {
  const embed = element(page);
  await ready(embed);
  await embed.evaluate((it) => it.seek(0));
  await embed.getByRole("button", { name: "Step" }).click();
  assert.equal(await time(embed), 10);
  assert.equal(await embed.evaluate((it) => it.playing), false);
  assert.match(await embed.getByRole("status").innerText(), /^0:10: deploy/);
});

journey("a hundred times in and out leaves nothing running, and twenty play at once", options(picture.repeat(20)), async ({ page }) => {
  await ready(element(page, 19));
  const result = await page.evaluate(async () => {
    const [first] = document.querySelectorAll("planarium-embed");
    const home = first.parentElement;
    first.seek(12);
    for (let i = 0; i < 100; i += 1) {
      first.play();
      first.remove();
      home.prepend(first);
    }
    const all = [...document.querySelectorAll("planarium-embed")];
    all.forEach((one) => ((one.speed = 64), one.play()));
    const playing = all.filter((one) => one.playing).length;
    await Promise.all(all.map((one) => new Promise((done) => one.addEventListener("planarium:complete", done, { once: true }))));
    return { playing, ended: all.every((one) => !one.playing && one.time === one.duration), scrubs: first.querySelectorAll("input").length };
  });
  assert.deepEqual(result, { playing: 20, ended: true, scrubs: 1 });
});

journey("without a script the picture can be read", options(picture, { script: false }), async ({ page, scan }) => {
  assert.equal(await page.getByRole("row").filter({ hasText: "deploy" }).first().locator(".pl-word").innerText(), "COMPLETE");
  assert.equal(await page.getByRole("button", { name: "Play" }).isDisabled(), true);
  await page.getByText("svc.yml", { exact: true }).click();
  await page.getByText("count: 4").first().waitFor();
  await scan();
});

const damaged = picture.replace('"v":1', '"v":99');
const broken = picture.replace('"first":[', '"first":[77,');
for (const [name, body, text] of [
  ["newer", damaged, /version 99/],
  ["damaged", broken, /incomplete or damaged/],
]) {
  journey(`a ${name} recording says so and breaks nothing`, options(body + picture), async ({ page }) => {
    await ready(element(page, 1));
    await element(page).getByText(text).waitFor();
    assert.equal(await element(page).getByRole("button", { name: "Play" }).isDisabled(), true);
    await element(page, 1).evaluate((it) => it.seek(9));
    assert.equal(await word(element(page, 1), "deploy"), "WAITING");
  });
}

journey("attributes choose range, markers and first picture; what is wrong is said once", options(
  picture.replace("<planarium-embed ", '<planarium-embed start-at="5" stop-at="12" poster="at:9" markers="11=Look here" pause-on-markers colour="red" '),
), async ({ page }) => {
  const embed = element(page);
  await ready(embed);
  assert.equal(await time(embed), 9);
  assert.deepEqual(await embed.evaluate((it) => it.markers), [{ at: 11, text: "Look here" }]);
  await embed.evaluate((it) => ((it.speed = 64), it.play()));
  await soon(async () => assert.equal(await embed.evaluate((it) => it.playing), false));
  assert.equal(await time(embed), 11);
  await embed.evaluate((it) => it.play());
  await soon(async () => assert.equal(await time(embed), 12));
  assert.equal((await embed.evaluate((it) => it.seek("marker:nowhere"))).ok, false);
});

for (const [how, given, expected] of [
  ["pairs", "11=Look here;4=a=b;", [{ at: 4, text: "a=b" }, { at: 11, text: "Look here" }]],
  ["JSON", '[{"at": 11, "text": "Look; here"}, {"at": 4.5, "text": "First"}]', [{ at: 4.5, text: "First" }, { at: 11, text: "Look; here" }]],
  ["pairs without a text", "11"],
  ["JSON that is cut off", '[{"at": 11, "text": "Look'],
  ["JSON of another shape", "[11]"],
  ["an instant after the end", "11=Look here;9999=Too late"],
]) {
  const warned = [];
  journey(`markers given as ${how} ${expected ? "are read" : "are said once, and the recorded ones stay"}`, options(
    picture.replace("<planarium-embed ", `<planarium-embed markers='${given}' `) + picture,
    { before: (page) => page.on("console", (message) => message.type() === "warning" && warned.push(message.text())) },
  ), async ({ page }) => {
    await ready(element(page));
    await ready(element(page, 1));
    const recorded = await element(page, 1).evaluate((it) => it.markers);
    assert.deepEqual(await element(page).evaluate((it) => it.markers), expected ?? recorded);
    assert.equal(await element(page).locator(".pl-tick").count(), (expected ?? recorded).length);
    assert.deepEqual(warned, expected ? [] : [`planarium-embed: markers="${given}" is not "12=Pause here;40=Agent lost" within this run`]);
  });
}

journey("a whole page plays from a disk", options(""), async ({ page }) => {
  const file = path.join(folder, "canary.html");
  await writeFile(file, await planarium("render", "examples/canary", "--html", "--page"));
  await page.goto(pathToFileURL(file).href);
  const embed = element(page);
  await ready(embed);
  await embed.evaluate((it) => it.seek(9));
  assert.equal(await word(embed, "deploy"), "WAITING");
});

journey("a moving image needs no script", options(""), async ({ page, url }) => {
  await writeFile(path.join(folder, "canary.svg"), await planarium("render", "examples/canary", "--svg", "--animate"));
  await page.goto(new URL("canary.svg", url).href);
  const shown = (at) =>
    page.evaluate((ms) => {
      for (const animation of document.getAnimations()) {
        animation.pause();
        animation.currentTime = ms;
      }
      const texts = [...document.querySelectorAll("text")].filter((text) => getComputedStyle(text).visibility === "visible");
      return texts.map((text) => text.textContent).join("\n");
    }, at);
  assert.match(await shown(0), /WAITING/);
  assert.doesNotMatch(await shown(0), /COMPLETE/);
  const end = await shown(14_000);
  assert.match(end, /COMPLETE/);
  assert.doesNotMatch(end, /WAITING|PENDING/);
});

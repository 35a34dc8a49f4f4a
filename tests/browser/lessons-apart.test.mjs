// Lessons where a page has less to lean on: in a frame of another document, without storage, in a later visit, without a network.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SIZES, journey, open, serve, soon } from "./harness.mjs";

/** A document of somebody else with a lesson in a frame. */
const book = (width, height, query = "") => ({
  type: "text/html; charset=utf-8",
  body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A book</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
<body><main><h1>Canaries</h1><iframe title="A lesson" src="embed.html?lesson=canary${query}" style="width:100%;max-width:${width}px;height:${height}px;border:0"></iframe></main></body></html>`,
});
const framed = (width, height, how = {}) => ({ boot: false, extra: { "/book.html": book(width, height, how.query) }, path: "book.html", ...how });

/** Answers the question and plays until the lesson is lost: nobody continues the canary. */
async function lose(page) {
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  await lesson.getByRole("button", { name: "WAITING", exact: true }).click();
  await lesson.getByRole("status").filter({ hasText: /0 of 2 goals met/ }).waitFor();
  await page.getByRole("button", { name: /^Play/ }).first().click();
  await lesson.getByRole("status").filter({ hasText: /^Lost at 1:30/ }).waitFor();
  return lesson;
}

for (const [name, width, height, how] of [
  ["narrow", 390, 760, { ...SIZES.phone, touch: true }],
  ["narrow and dark", 390, 760, { ...SIZES.phone, touch: true, dark: true, query: "&theme=dark" }],
  ["wide", 1000, 620, { width: 1440, height: 900 }],
  ["wide and dark", 1000, 620, { width: 1440, height: 900, dark: true, query: "&theme=dark" }],
]) {
  journey(`a lesson is played in a frame, ${name}`, framed(width, height, { ...how, query: `${how.query ?? ""}&speed=64` }), async ({ page, scan, shot }) => {
    const inside = page.frameLocator("iframe");
    const lesson = inside.getByRole("region", { name: "Lesson", exact: true });
    await lesson.getByRole("heading", { name: "A canary" }).waitFor();
    await shot("question");
    const [pane, tall] = await lesson.evaluate((pane) => [pane.getBoundingClientRect().height, document.documentElement.scrollWidth - innerWidth]);
    assert.ok(pane >= 200 && tall <= 0, `${pane} px of the lesson, ${tall} px too wide`);
    // The definition has a way back, although this frame was not asked to show an editor.
    await lesson.getByRole("button", { name: "Definition" }).click();
    await inside.getByRole("button", { name: "Back to the lesson" }).click();
    await lose(inside);
    await lesson.getByRole("button", { name: /^Go back/ }).waitFor();
    await scan();
    await shot("lost");
  });
}

journey("a frame whose storage is blocked says that nothing is kept", framed(700, 700, { query: "&speed=64" }), async ({ page, scan }) => {
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, { get: () => { throw new DOMException("blocked", "SecurityError"); } });
    }
  });
  await page.reload();
  const inside = page.frameLocator("iframe");
  const lesson = await lose(inside);
  await lesson.getByText("This browser keeps nothing here").waitFor();
  await scan();
});

journey("tries are there after a reload and in a frame, and are compared with the same luck", { path: "?lesson=canary", extra: { "/book.html": book(1000, 700, "&speed=64") } }, async ({ page, url, scan, shot }) => {
  await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
  await lose(page);
  await soon(async () => assert.match(await page.evaluate(() => localStorage.getItem("planarium.tries") ?? ""), /"canary",\["h1:/));
  await page.reload();
  const lesson = page.getByRole("region", { name: "Lesson", exact: true });
  await lesson.waitFor();
  // Another visit: nothing of the tab is left but what the browser keeps.
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(new URL("?lesson=canary&again=1", url).href);
  await lesson.getByText("Compare", { exact: true }).click();
  await lesson.getByText(/^Try 1: Lost at 1:30/).waitFor();
  await lesson.getByText("keeps the last six tries").waitFor();
  await scan();
  await lesson.getByRole("button", { name: "Compare with try 1" }).click();
  await page.getByRole("heading", { name: /This run and/ }).waitFor();
  await shot("compared");
  await page.goto(new URL("book.html", url).href);
  const inside = page.frameLocator("iframe").getByRole("region", { name: "Lesson", exact: true });
  await inside.getByText("Compare", { exact: true }).click();
  await inside.getByText(/^Try 1: Lost at 1:30/).waitFor();
});

test("a lesson is opened and played with the network off", async () => {
  const server = await serve();
  const { page, close, check } = await open(new URL("?lesson=canary", server.url).href, { offline: true, expected: (text) => /request failed|ERR_/.test(text) });
  try {
    const lesson = page.getByRole("region", { name: "Lesson", exact: true });
    await lesson.waitFor();
    await soon(async () => {
      const names = await page.evaluate(async () => (await (await caches.open("planarium-files")).keys()).map((request) => request.url));
      assert.ok(names.some((name) => /editor-/.test(name)), names.join("\n"));
    });
    await server.close();
    await page.goto(new URL("?lesson=status", server.url).href);
    await lesson.getByRole("heading", { name: "What a status says" }).waitFor();
    await page.goto(new URL("?lesson=canary", server.url).href);
    await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
    await lose(page);
    check();
  } finally {
    await close();
  }
});

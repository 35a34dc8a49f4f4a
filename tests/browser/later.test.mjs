// Code of the page that comes later: what is opened before its piece is there waits for it, and says so where it takes long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DIST, open, serve, soon, started } from "./harness.mjs";

/** Opens the page; `answer(route, piece)` says what becomes of each request of a piece. */
async function opened(answer, address = "") {
  const server = await serve(DIST);
  const tools = await open("about:blank", { width: 1440, height: 900, home: server.url, expected: (text) => /503|ERR_FAILED|request failed/.test(text) });
  const asked = [];
  await tools.page.context().route(/\/web-[a-z0-9-]+-[0-9a-f]{16}\.wasm$/, (route) => {
    const [, piece] = /\/web-([a-z0-9-]+)-[0-9a-f]{16}\.wasm$/.exec(route.request().url());
    asked.push(piece);
    return answer(route, piece);
  });
  await tools.page.goto(new URL(address, server.url).href);
  await started(tools.page);
  return {
    ...tools,
    asked,
    close: async () => {
      await tools.close();
      await server.close();
    },
  };
}

/** A line that is held until it is let go. */
function gate() {
  let letGo;
  const opens = new Promise((done) => (letGo = done));
  return { letGo, hold: (route) => opens.then(() => route.continue()) };
}

const LINE = "Loading this part of the page";
const MISSED = "This part of the page could not be loaded.";

test("a dialog that is opened by its key before its piece is there opens when it has come, and gives the focus back", async () => {
  const slow = gate();
  const tools = await opened(slow.hold);
  const { page } = tools;
  try {
    const row = page.getByRole("row", { name: /node-0|deploy/ }).first();
    await row.click();
    const held = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80));
    const before = await page.locator(".page").boundingBox();
    await page.keyboard.press("?");
    await page.getByRole("status").filter({ hasText: LINE }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.deepEqual(await page.locator(".page").boundingBox(), before, "nothing moves");
    assert.equal(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80)), held, "the focus stays");
    // Keys of the page do nothing under a dialog, also before it is there.
    await page.keyboard.press("Space");
    assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 0);
    slow.letGo();
    await page.getByRole("dialog").waitFor();
    assert.equal(await page.getByText(LINE, { exact: false }).count(), 0);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80)), held, "the focus is back");
    tools.check();
  } finally {
    slow.letGo();
    await tools.close();
  }
});

test("Escape takes back a dialog that is on its way", async () => {
  const slow = gate();
  const tools = await opened(slow.hold);
  const { page } = tools;
  try {
    await page.keyboard.press("i");
    await page.getByRole("status").filter({ hasText: LINE }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText(LINE, { exact: false }).waitFor({ state: "detached" });
    slow.letGo();
    await soon(() => assert.ok(tools.asked.includes("dialogs")));
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    tools.check();
  } finally {
    slow.letGo();
    await tools.close();
  }
});

test("a piece that is refused is told in one line, and comes when it is opened again", async () => {
  let refused = true;
  const tools = await opened((route) => (refused ? route.fulfill({ status: 503, body: "busy" }) : route.continue()));
  const { page } = tools;
  try {
    await page.keyboard.press("?");
    await page.getByText(MISSED).first().waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    // The tab has a line in its place, and a button.
    await page.getByRole("tab", { name: "Console" }).click();
    const line = page.getByRole("tabpanel", { name: "Console" }).getByRole("alert");
    await line.waitFor();
    refused = false;
    await line.getByRole("button", { name: "Try again" }).click();
    await page.locator("#console-line").waitFor();
    await page.getByRole("banner").click({ position: { x: 3, y: 3 } });
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    tools.check();
  } finally {
    await tools.close();
  }
});

test("a page that has nothing to do fetches all pieces, each file once", async () => {
  const tools = await opened((route) => route.continue());
  try {
    await soon(() => {
      for (const piece of ["dialogs", "tabs", "lesson", "pictures"]) assert.ok(tools.asked.includes(piece), `${piece} in ${tools.asked}`);
    });
    assert.equal(new Set(tools.asked).size, tools.asked.length, tools.asked.join(" "));
    tools.check();
  } finally {
    await tools.close();
  }
});

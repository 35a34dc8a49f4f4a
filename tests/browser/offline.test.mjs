// The page without a network: a second visit runs without requests, and a new version is only offered.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { DIST, open, serve, soon, started } from "./harness.mjs";
import { playground } from "./playground.mjs";

/** Waits until the page's files are kept: those it starts with, and the rest. */
async function kept(page) {
  const pieces = (await readdir(DIST)).filter((name) => /^(worker|web)-.*\.wasm$/.test(name));
  return soon(async () => {
    const [state, names] = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      const cache = await caches.open("planarium-files");
      return [registration?.active?.state, (await cache.keys()).map((request) => request.url)];
    });
    assert.equal(state, "activated");
    assert.ok(names.some((name) => /editor-/.test(name)), names.join("\n"));
    assert.ok(names.some((name) => /\/texts\/all-/.test(name)), names.join("\n"));
    for (const piece of pieces) assert.ok(names.some((name) => name.endsWith(`/${piece}`)), `${piece} in ${names.join("\n")}`);
  });
}

test("a second visit works with the network off, and plays", async () => {
  const server = await serve();
  const { page, close, check } = await open(server.url, { offline: true, expected: (text) => /request failed|ERR_/.test(text) });
  try {
    await started(page);
    await kept(page);
    await server.close();
    await page.reload();
    await started(page);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    // Parts loaded on demand are available, too: the rich editor, and another example with its system.
    await page.locator(".cm-content").waitFor();
    await playground(page).example("Three instances at 70 percent");
    await page.getByRole("banner").getByRole("button", { name: /Three instances at 70 percent/ }).waitFor();
    check();
  } finally {
    await close();
  }
});

test("a lesson is opened and played with the network off", async () => {
  const server = await serve();
  const { page, close, check } = await open(new URL("?lesson=canary", server.url).href, { offline: true, expected: (text) => /request failed|ERR_/.test(text) });
  try {
    const lesson = page.getByRole("region", { name: "Lesson", exact: true });
    await lesson.waitFor();
    await kept(page);
    await server.close();
    await page.goto(new URL("?lesson=status", server.url).href);
    await lesson.getByRole("heading", { name: "What a status says" }).waitFor();
    await page.goto(new URL("?lesson=canary", server.url).href);
    await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
    await lesson.getByRole("button", { name: "WAITING", exact: true }).click();
    await lesson.getByRole("status").filter({ hasText: /0 of 2 goals met/ }).waitFor();
    await page.getByRole("button", { name: /^Play/ }).first().click();
    await lesson.getByRole("status").filter({ hasText: /^Lost at 1:30/ }).waitFor();
    check();
  } finally {
    await close();
  }
});

test("a server that does not answer holds the page up for two seconds at most", async () => {
  const server = await serve();
  const { page, close, check } = await open(server.url, { offline: true });
  try {
    await started(page);
    await kept(page);
    await page.context().route("**/*", (route) => (route.request().isNavigationRequest() ? undefined : route.continue()));
    await page.reload({ waitUntil: "commit" });
    await started(page);
    check();
  } finally {
    await close();
    await server.close();
  }
});

test("a new version is offered and does not touch the running session", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-versions-"));
  await cp(DIST, folder, { recursive: true });
  const server = await serve(folder);
  const { page, close, check } = await open(server.url, { offline: true });
  try {
    await started(page);
    await kept(page);
    await page.keyboard.press("Space");
    const worker = path.join(folder, "sw.js");
    await writeFile(worker, `${await readFile(worker, "utf8")}// another version\n`);
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
    const offer = page.getByRole("status", { name: "New version" });
    await offer.waitFor();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    const state = await page.evaluate(async () => {
      const { active, waiting } = (await navigator.serviceWorker.getRegistration()) ?? {};
      return [active?.state, waiting?.state];
    });
    assert.deepEqual(state, ["activated", "installed"]);
    await offer.getByRole("button", { name: "Later" }).click();
    assert.equal(await offer.count(), 0);
    check();
  } finally {
    await close();
    await server.close();
    await rm(folder, { recursive: true });
  }
});

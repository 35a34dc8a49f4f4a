// The engine comes with the systems of the world that is opened; each further one, and the texts of each example and lesson, are fetched
// when they are first needed.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { DIST, open, serve, started } from "./harness.mjs";
import { playground } from "./playground.mjs";

/** The file of a system or a layer in the page's folder. */
async function fileOf(word) {
  const found = (await readdir(DIST)).find((file) => new RegExp(`^worker-${word}-[0-9a-f]+\\.wasm$`).test(file));
  assert.ok(found, `the page has a piece for ${word}`);
  return found;
}

/** The file of an example or a lesson in the page's folder. */
async function textsOf(name) {
  const found = (await readdir(path.join(DIST, "texts"))).find((file) => new RegExp(`^${name}-[0-9a-f]{16}\\.json$`).test(file));
  assert.ok(found, `the page has texts of ${name}`);
  return `texts/${found}`;
}

/**
 * Opens the page where the next `refusals[word]` requests of a piece, or of an example's or lesson's texts, are refused. `fetched()`
 * names the pieces that came, `texts()` the texts, and `asked` counts the requests of each file.
 */
async function opened(address, refusals = {}) {
  const answers = {};
  for (const word of Object.keys(refusals)) {
    const file = word.includes("-") ? await textsOf(word) : await fileOf(word);
    const body = await readFile(path.join(DIST, file));
    answers[`/${file}`] = {
      type: file.endsWith(".json") ? "application/json" : "application/wasm",
      body,
      get status() {
        refusals[word] -= 1;
        return refusals[word] >= 0 ? 503 : 200;
      },
    };
  }
  const server = await serve(DIST, answers);
  const tools = await open("about:blank", { width: 1440, height: 900, home: server.url, expected: (text) => /503/.test(text) });
  const came = new Set();
  const texts = new Set();
  const asked = new Map();
  tools.page.context().on("response", (response) => {
    const { pathname } = new URL(response.url());
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    const piece = /\/worker-([a-z]+)-[0-9a-f]+\.wasm$/.exec(pathname)?.[1];
    if (piece && piece !== "chunk" && response.ok()) came.add(piece);
    const text = /\/texts\/(.+)-[0-9a-f]{16}\.json$/.exec(pathname)?.[1];
    if (text && response.ok()) texts.add(text);
  });
  await tools.page.goto(new URL(address, server.url).href);
  return {
    ...tools,
    fetched: () => [...came].sort(),
    texts: () => [...texts].sort(),
    asked,
    close: async () => {
      await tools.close();
      await server.close();
    },
  };
}

test("a system is fetched when a world first needs it, and joins the page", async () => {
  const tools = await opened("?example=hello-world");
  const { page } = tools;
  try {
    await started(page);
    const on = playground(page);
    await on.stepTo("hello-0:[server]", "COMPLETE");
    assert.deepEqual(tools.fetched(), ["mesos", "sdk"]);
    await on.example("Three instances at 70 percent");
    await page.getByRole("banner").getByRole("button", { name: /Three instances at 70 percent/ }).waitFor();
    assert.deepEqual(tools.fetched(), ["marathon", "mesos", "sdk"]);
    // The world before is still there.
    await page.keyboard.press("Control+z");
    await page.getByRole("row", { name: /hello-0:\[server\]/ }).waitFor();
    tools.check();
  } finally {
    await tools.close();
  }
});

test("a system that does not come is told in one line, and comes at the next try", async () => {
  const tools = await opened("?example=hello-world", { marathon: 1 });
  const { page } = tools;
  try {
    await started(page);
    const on = playground(page);
    await on.example("Three instances at 70 percent");
    await page.getByText("The engine's part for Marathon could not be loaded.", { exact: false }).first().waitFor();
    // The world that was there goes on.
    await on.stepTo("hello-0:[server]", "COMPLETE");
    await on.example("Three instances at 70 percent");
    await page.getByRole("banner").getByRole("button", { name: /Three instances at 70 percent/ }).waitFor();
    assert.deepEqual(tools.fetched(), ["marathon", "mesos", "sdk"]);
    tools.check();
  } finally {
    await tools.close();
  }
});

test("an example and a lesson that do not come are told in one line, and come at the next try", async () => {
  const three = "example-marathon-three-at-seventy-percent";
  const tools = await opened("?example=hello-world", { [three]: 1, "lesson-canary-en": 1 });
  const { page } = tools;
  try {
    await started(page);
    assert.deepEqual(tools.texts(), ["example-hello-world"]);
    const on = playground(page);
    await on.example("Three instances at 70 percent");
    await page.getByText("The example marathon-three-at-seventy-percent could not be loaded.", { exact: false }).first().waitFor();
    await on.stepTo("hello-0:[server]", "COMPLETE");
    await on.example("Three instances at 70 percent");
    await page.getByRole("banner").getByRole("button", { name: /Three instances at 70 percent/ }).waitFor();
    const open = () => page.evaluate(() => (location.hash = `#lesson=canary`));
    await open();
    await page.getByText("The lesson “A canary” could not be loaded.", { exact: false }).first().waitFor();
    await page.evaluate(() => (location.hash = ""));
    await open();
    await page.getByRole("region", { name: "Lesson", exact: true }).waitFor();
    assert.deepEqual(tools.texts(), ["example-hello-world", three, "lesson-canary-en"]);
    tools.check();
  } finally {
    await tools.close();
  }
});

test("the files of the first world are asked for once, whatever names it", async () => {
  for (const [address, pieces, texts] of [
    ["", ["mesos", "sdk"], ["example-web-shop"]],
    ["?example=quality-gate", ["skopos"], ["example-quality-gate"]],
    ["?lesson=triggers", ["kube", "kudo"], ["lesson-triggers-en"]],
  ]) {
    const tools = await opened(address);
    try {
      await started(tools.page);
      assert.deepEqual([tools.fetched(), tools.texts()], [pieces, texts], address);
      const often = [...tools.asked].filter(([file, times]) => /worker-|texts/.test(file) && times > 1);
      assert.deepEqual(often, [], address);
      tools.check();
    } finally {
      await tools.close();
    }
  }
});

test("the first world waits for a text that does not come at once", async () => {
  const tools = await opened("?example=quality-gate", { "example-quality-gate": 2 });
  try {
    await started(tools.page);
    assert.deepEqual(tools.texts(), ["example-quality-gate"]);
    tools.check();
  } finally {
    await tools.close();
  }
});

test("the first world waits for a system that does not come at once", async () => {
  const tools = await opened("?example=quality-gate", { skopos: 2 });
  try {
    await started(tools.page);
    assert.deepEqual(tools.fetched(), ["skopos"]);
    tools.check();
  } finally {
    await tools.close();
  }
});

// The engine comes with the systems of the world that is opened; each further one is fetched when it is first needed.
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

/** Opens the page where the next `refusals[word]` requests of a piece are refused. `fetched()` names the pieces that came. */
async function opened(address, refusals = {}) {
  const answers = {};
  for (const word of Object.keys(refusals)) {
    const file = await fileOf(word);
    const body = await readFile(path.join(DIST, file));
    answers[`/${file}`] = {
      type: "application/wasm",
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
  tools.page.context().on("response", (response) => {
    const piece = /\/worker-([a-z]+)-[0-9a-f]+\.wasm$/.exec(response.url())?.[1];
    if (piece && piece !== "chunk" && response.ok()) came.add(piece);
  });
  await tools.page.goto(new URL(address, server.url).href);
  return {
    ...tools,
    fetched: () => [...came].sort(),
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

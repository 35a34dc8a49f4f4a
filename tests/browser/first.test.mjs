// Before the engine is there: a picture that nothing moves away from, and keys and clicks that count.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SIZES, open, serve, soon, started } from "./harness.mjs";

/** Serves the page and holds its engine back until `let_go`. */
async function held(options = {}) {
  const server = await serve();
  let go = () => {};
  const gate = new Promise((done) => (go = done));
  const opened = await open("about:blank", { ...options, home: server.url });
  await opened.page.route(/planarium-(web|worker)_bg.*\.wasm$/, async (route) => {
    await gate;
    await route.continue();
  });
  await opened.page.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries()) {
        globalThis.shifts.push({ value, of: sources.map(({ node }) => node?.className ?? node?.nodeName) });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await opened.page.goto(new URL(options.path ?? "", server.url).href, { waitUntil: "commit" });
  await opened.page.getByRole("button", { name: /^Examples/ }).waitFor();
  // With all its styles: those of what is opened later place what is empty by now.
  await opened.page.waitForFunction(() => [...document.styleSheets].some(({ href }) => href?.includes("/later-")));
  return {
    ...opened,
    start: async () => {
      go();
      await started(opened.page);
    },
    close: async () => {
      await opened.close();
      await server.close();
    },
  };
}

/** The places of all that is seen, by its names. */
function places(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("#app [role], #app button, #app h1, #app h2, #app section")]
      // The rich editor takes the place of the plain field whenever it has arrived.
      .filter((element) => element.checkVisibility() && !element.closest(".cm-editor"))
      .map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const name = element.getAttribute("aria-label") ?? element.textContent?.slice(0, 30) ?? "";
        return `${element.tagName} ${element.role ?? ""} ${name}: ${[x, y, width, height].map(Math.round).join(" ")}`;
      }),
  );
}

for (const [size, viewport] of Object.entries({ ...SIZES, tablet: { width: 900, height: 1100 } })) {
  test(`the picture on a ${size} is the page, and nothing moves when the engine comes`, async () => {
    const tools = await held(viewport);
    try {
      const { page } = tools;
      assert.equal(await page.locator("html").getAttribute("data-boot"), "starting");
      const before = await places(page);
      assert.ok(before.some((line) => line.includes("shop-0")), before.join("\n"));
      await tools.start();
      assert.deepEqual(await places(page), before);
      assert.deepEqual(await page.evaluate(() => globalThis.shifts), []);
      tools.check();
    } finally {
      await tools.close();
    }
  });
}

test("a key pressed before the engine is there plays", async () => {
  const tools = await held();
  try {
    await tools.page.keyboard.press("Space");
    await tools.start();
    await tools.page.getByRole("button", { name: "Pause" }).waitFor();
    tools.check();
  } finally {
    await tools.close();
  }
});

test("a click made before the engine is there counts", async () => {
  const tools = await held();
  try {
    await tools.page.getByRole("button", { name: /^Examples/ }).click();
    await tools.start();
    await tools.page.getByRole("dialog").waitFor();
    tools.check();
  } finally {
    await tools.close();
  }
});

test("text typed before the engine is there stays", async () => {
  const tools = await held();
  try {
    const editor = tools.page.getByRole("textbox", { name: "Text of svc.yml" });
    await editor.fill("name: early\n");
    await tools.start();
    // Read in one piece: the rich editor may take the field's place between two looks.
    const text = () => {
      const place = document.getElementById("file-text");
      return place.querySelector("textarea")?.value ?? place.innerText;
    };
    await soon(async () => assert.match(await tools.page.evaluate(text), /name: early/));
    tools.check();
  } finally {
    await tools.close();
  }
});

test("an address of another example shows the frame of the page, not the first example", async () => {
  const tools = await held({ path: "?example=canary" });
  try {
    const { page } = tools;
    assert.equal(await page.getByRole("treegrid").count(), 0, "the picture's plan is hidden");
    await tools.start();
    await page.getByRole("treegrid").first().waitFor();
    assert.match(await page.locator("h1 + button").innerText(), /canary/i);
    tools.check();
  } finally {
    await tools.close();
  }
});

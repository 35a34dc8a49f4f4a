// Nothing ends it: panics, endless loops and refused loads are injected at random points. The engine works again each time, and
// no input is lost.
//
// The faults are not in the product: the server hands out the worker's script with a few lines before it. PLANARIUM_CRASHES says
// how many, PLANARIUM_SEED which.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { DIST, open, scan, serve, shot, soon, started } from "./harness.mjs";
import { playground } from "./playground.mjs";

const CRASHES = Number(process.env.PLANARIUM_CRASHES ?? 30);
const SEED = Number(process.env.PLANARIUM_SEED ?? 1);

/** What is put before the worker's script: a fault strikes at a message that comes in or goes out. */
function faults(first) {
  let armed = first;
  let engine;
  const channel = new BroadcastChannel("planarium-faults");
  channel.onmessage = ({ data }) => {
    armed = data;
    channel.postMessage("armed");
  };
  const strike = (at, text) => {
    if (armed?.at !== at || !text.includes(armed.of ?? "")) return;
    armed.after -= 1;
    if (armed.after >= 0) return;
    const { kind } = armed;
    armed = undefined;
    channel.postMessage("struck");
    if (kind === "loop") for (;;);
    if (kind === "panic") engine.fail("injected");
    // What WebAssembly throws without a panic, such as a stack that is full.
    const calls = engine.Engine.prototype;
    const name = at === "in" ? "take" : "work";
    const real = calls[name];
    calls[name] = () => {
      calls[name] = real;
      throw new WebAssembly.RuntimeError("injected");
    };
  };
  self.addEventListener("message", (event) => {
    if (event.data.glue) {
      import(event.data.glue).then((module) => (engine = module));
    } else if (typeof event.data === "string" && !event.data.startsWith('{"Ping"')) {
      try {
        strike("in", event.data);
      } catch {
        event.stopImmediatePropagation();
      }
    }
  });
  const post = self.postMessage.bind(self);
  self.postMessage = (data) => {
    if (typeof data === "string" && /^\{"(Keep|Facts)"/.test(data)) strike("out", data);
    post(data);
  };
}

/** Numbers that look random and are the same for the same seed. */
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * Opens the page on a server whose worker can be made to fail. `refuse(n)` refuses the next loads of its script, `next(fault)` arms the
 * worker that is loaded next.
 */
async function opened() {
  const html = await readFile(path.join(DIST, "index.html"), "utf8");
  const script = /data-script="\.(\/[^"]+)"/.exec(html)?.[1];
  assert.ok(script, "the page names the worker's script");
  const worker = await readFile(path.join(DIST, script), "utf8");
  let refusals = 0;
  let first;
  const answer = {
    type: "text/javascript; charset=utf-8",
    get body() {
      const fault = refusals < 0 ? first : undefined;
      if (refusals < 0) first = undefined;
      return `(${faults})(${JSON.stringify(fault)});\n${worker}`;
    },
    get status() {
      refusals -= 1;
      return refusals >= 0 ? 503 : 200;
    },
  };
  const server = await serve(DIST, { [script]: answer });
  const tools = await open("about:blank", {
    width: 1440,
    height: 900,
    home: server.url,
    expected: (text) => /The engine stopped|503|\/worker-[0-9a-f]+\.js \(net::ERR_FAILED\)/.test(text),
  });
  return {
    ...tools,
    url: new URL("?example=hello-world", server.url).href,
    refuse: (loads) => {
      refusals = loads;
    },
    next: (fault) => {
      first = fault;
    },
    close: async () => {
      await tools.close();
      await server.close();
    },
  };
}

/** Arms a fault in the worker that runs now. */
function arm(page, fault) {
  return page.evaluate(
    (given) =>
      new Promise((done, fail) => {
        setTimeout(() => fail(new Error("the worker did not take the fault")), 20_000);
        // A worker that was ended in a loop may leave its channel dead for a while, so it is a new one, and it is said again.
        globalThis.faults?.close();
        globalThis.faults = new BroadcastChannel("planarium-faults");
        const again = setInterval(() => globalThis.faults.postMessage(given), 1_000);
        globalThis.faults.onmessage = ({ data }) => {
          if (data === "armed") {
            clearInterval(again);
            done();
          }
          if (data === "struck") globalThis.struck = performance.now();
        };
        globalThis.faults.postMessage(given);
      }),
    fault,
  );
}

/** The names of all machines that were added, on all branches, as the page keeps them. */
function kept(page) {
  return page.evaluate(() => {
    const { tree } = JSON.parse(JSON.parse(sessionStorage.getItem("planarium.tab")).host);
    const inputs = tree.branches.flatMap(({ journal }) => journal.entries.map(({ input }) => input));
    return inputs.filter(({ kind }) => kind === "add-agent").map(({ hostname }) => hostname);
  });
}

/** Adds a machine by this name. */
async function add(on, name) {
  const { page } = on;
  await on.inspector.getByRole("button", { name: "Add machines" }).click();
  const dialog = page.getByRole("dialog", { name: "Add machines" });
  await dialog.getByRole("textbox", { name: /^Hostname/ }).fill(name);
  await dialog.getByRole("button", { name: /^Add/ }).click();
  await dialog.waitFor({ state: "hidden" });
}

const card = (page) => page.getByRole("alert", { name: "The engine stopped" });

test("a panic is told with what the engine was at, and can be tried again", async () => {
  const tools = await opened();
  const { page } = tools;
  try {
    await page.goto(tools.url);
    await started(page);
    const on = playground(page);
    await on.stepTo("hello-0:[server]", "COMPLETE");
    const before = [await on.now(), await on.text()];
    await on.tab("Cluster");
    await on.type("name: never lost\n");
    await arm(page, { kind: "panic", at: "in", after: 0, of: '"ask":{"Do"' });
    await add(on, "extra");
    await card(page).getByText(/on add-agent/).waitFor();
    await soon(async () => assert.deepEqual([await on.now(), await on.text()], before));
    assert.match(await on.editor().innerText(), /never lost/);
    await scan(page, { include: ".stopped" });
    await shot(page, "stopped-wide");
    await page.setViewportSize({ width: 390, height: 844 });
    await shot(page, "stopped-narrow");
    await page.setViewportSize({ width: 1440, height: 900 });
    await card(page).getByRole("button", { name: "Copy a report" }).click();
    const report = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(report, /injected/);
    assert.match(report, /add-agent/);
    assert.equal(await on.inspector.getByRole("article", { name: "extra" }).count(), 0);
    await card(page).getByRole("button", { name: "Try again" }).click();
    await on.inspector.getByRole("article", { name: "extra" }).waitFor();
    await card(page).waitFor({ state: "hidden" });
    tools.check();
  } finally {
    await tools.close();
  }
});

test("an engine that ends again while the run is brought back is told once the first card is closed", async () => {
  const tools = await opened();
  const { page } = tools;
  try {
    await page.goto(tools.url);
    await started(page);
    const on = playground(page);
    await on.tab("Cluster");
    await arm(page, { kind: "panic", at: "in", after: 0, of: '"ask":{"Do"' });
    // The next engine comes late enough for the card to be closed before.
    tools.refuse(2);
    tools.next({ kind: "panic", at: "in", after: 0, of: '"ask":{"Resume"' });
    await add(on, "extra");
    await card(page).getByText(/on add-agent/).waitFor();
    await card(page).getByRole("button", { name: "Close the card" }).click();
    await card(page).waitFor({ state: "hidden" });
    await card(page).getByText(/on bringing the run back/).waitFor();
    await card(page).getByRole("button", { name: "Close the card" }).click();
    await card(page).waitFor({ state: "hidden" });
    await add(on, "another");
    await on.inspector.getByRole("article", { name: "another" }).waitFor();
    tools.check();
  } finally {
    await tools.close();
  }
});

test(`an engine that ends ${CRASHES} times works again each time and loses no input`, async () => {
  const pick = random(SEED);
  const tools = await opened();
  const { page } = tools;
  try {
    // The first load is refused, too.
    tools.refuse(1);
    await page.goto(tools.url);
    await started(page);
    const on = playground(page);
    await on.tab("Cluster");
    const names = [];
    const said = [];
    for (let round = 1; round <= CRASHES; round += 1) {
      const kind = ["panic", "trap", "loop"][pick(3)];
      const fault = { kind, at: ["in", "out"][pick(2)], after: pick(6) };
      if (pick(4) === 0) tools.refuse(1 + pick(2));
      await arm(page, fault);
      const where = `round ${round}, seed ${SEED}: ${JSON.stringify(fault)}, after ${said.slice(-4).join(", ")}`;
      for (let deed = 0; !(await page.evaluate(() => globalThis.struck)); deed += 1) {
        assert.ok(deed < 40, `the fault never struck: ${where}`);
        if (pick(3) === 0) {
          names.push(`extra-${names.length}-of-round-${round}`);
          await add(on, names.at(-1));
          said.push("add");
        } else {
          const key = [".", ">", "Space", "ArrowRight", "0", "5"][pick(6)];
          // A button that has the focus would take Space for itself.
          await page.evaluate(() => document.activeElement?.blur());
          await (key === "ArrowRight" ? on.slider.press(key) : page.keyboard.press(key));
          said.push(key);
        }
      }
      await card(page).waitFor().catch((error) => assert.fail(`no card: ${where}\n${error.message}`));
      // What was set aside is done now; where nothing was, the card is closed.
      const again = card(page).getByRole("button", { name: "Try again" });
      await ((await again.isVisible()) ? again : card(page).getByRole("button", { name: "Close the card" })).click();
      await card(page).waitFor({ state: "hidden" });
      await on.pause();
      // It works: an answer comes.
      names.push(`alive-${round}`);
      await add(on, names.at(-1));
      await on.slider.press("Home");
      await on.slider.press("End");
      await page.evaluate(() => delete globalThis.struck);
    }
    await soon(async () => {
      const there = new Set(await kept(page));
      assert.deepEqual(names.filter((name) => !there.has(name)), [], "inputs that are gone");
    });
    tools.check();
  } finally {
    await tools.close();
  }
});

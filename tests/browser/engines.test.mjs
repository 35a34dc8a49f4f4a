// Several engines in one document: one worker for all, how many run, what rests keeps, and what is left after a hundred times in and out.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DIST, journey, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const run = promisify(execFile);
const planarium = async (...words) => (await run(PLANARIUM, words, { cwd: ROOT, maxBuffer: 1 << 24 })).stdout;

/** As in embed/loader/engine.js. */
const MOST_ENGINES = 20;
/** Most memory of the worker that twenty engines share. *Units*: bytes. */
const MOST_BYTES = 40e6;

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-engines-"));
after(() => rm(folder, { recursive: true, force: true }));
await planarium("embed", "--assets", folder);
await symlink(DIST, path.join(folder, "planarium"));
const canary = await planarium("render", "examples/canary", "--html", "--engine", "planarium/embed.html");

const book = (body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A book</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="planarium-embed.css"><script src="planarium-embed.js" defer></script></head>
<body><main><h1>Canaries</h1>${body}</main></body></html>`;
const options = (body, how = {}) => ({
  boot: false,
  folder,
  ...how,
  extra: { "/": { type: "text/html; charset=utf-8", body: book(body) }, ...how.extra },
});

/** The worker's script with these lines before it, by its path. */
async function workerAfter(lines) {
  const script = /data-script="\.(\/[^"]+)"/.exec(await readFile(path.join(DIST, "embed.html"), "utf8"))?.[1];
  assert.ok(script, "the page names the worker's script");
  const body = `(${lines})();\n${await readFile(path.join(DIST, script), "utf8")}`;
  return { [`/planarium${script}`]: { type: "text/javascript; charset=utf-8", body } };
}

/** Keeps the memory of the engine where a test can read its size. */
function weighed() {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...given) => {
    const made = await instantiate.apply(WebAssembly, given);
    self.weighedMemory = (made.instance ?? made).exports.memory;
    return made;
  };
}

/** Lets a channel begin an endless loop, or a panic, in the session that works next. */
function faulty() {
  const channel = new BroadcastChannel("planarium-faults");
  let fault;
  let glue;
  channel.onmessage = ({ data }) => {
    fault = data;
    channel.postMessage("armed");
  };
  self.addEventListener("message", ({ data }) => {
    if (!data.glue) return;
    import(data.glue).then((module) => {
      glue = module;
      const { take } = module.Engine.prototype;
      module.Engine.prototype.take = function (text) {
        const waits = take.call(this, text);
        if (fault && text.includes(fault.of)) this.struck = true;
        return waits;
      };
      const { work } = module.Engine.prototype;
      module.Engine.prototype.work = function (others) {
        if (this.struck) {
          const { kind } = fault;
          fault = undefined;
          this.struck = false;
          if (kind === "loop") for (;;);
          glue.fail("injected");
        }
        return work.call(this, others);
      };
    });
  });
}

/** Counts the turns of the worker: those of engines that play, and those that came before the turn of an engine that was asked something. */
function counted() {
  self.turns = { all: 0, late: 0, most: 0 };
  self.addEventListener("message", ({ data }) => {
    if (!data.glue) return;
    import(data.glue).then(({ Engine: { prototype } }) => {
      const { take, work } = prototype;
      const asked = new Set();
      prototype.take = function (text) {
        const waits = take.call(this, text);
        if (waits) asked.add(this);
        return waits;
      };
      prototype.work = function (others) {
        self.turns.all += 1;
        self.turns.most = Math.max(self.turns.most, others);
        if (asked.size > 0 && !asked.delete(this)) self.turns.late += 1;
        return work.call(this, others);
      };
    });
  });
}

/** Size of the worker's heap and of its WebAssembly. *Units*: bytes. */
async function weight(page) {
  const session = await page.context().newCDPSession(page);
  const attached = new Promise((done) => session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => targetInfo.type === "worker" && done(sessionId)));
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const sessionId = await attached;
  const answer = (id) =>
    new Promise((done) => session.on("Target.receivedMessageFromTarget", ({ message }) => JSON.parse(message).id === id && done(JSON.parse(message).result)));
  const ask = async (id, method) => {
    const answered = answer(id);
    await session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params: {} }) });
    return answered;
  };
  const { usedSize } = await ask(1, "Runtime.getHeapUsage");
  const [worker] = page.workers();
  const wasm = await worker.evaluate(() => self.weighedMemory.buffer.byteLength);
  await session.detach();
  return { usedSize, wasm };
}

const ready = (page) =>
  page.evaluate(async () => {
    await customElements.whenDefined("planarium-embed");
    await Promise.all([...document.querySelectorAll("planarium-embed")].map((it) => it.ready));
  });
const nth = (page, at) => page.locator("planarium-embed").nth(at);
const plan = (page, at) => nth(page, at).evaluate(async (it) => (await it.snapshot()).value.plans.find(({ name }) => name === "deploy").status);

const all = (page, method) => page.evaluate((name) => Promise.all([...document.querySelectorAll("planarium-embed")].map((it) => it[name]())), method);
const deploy = (value) => value.plans.find(({ name }) => name === "deploy").status;

journey("twenty demos that are used have one worker, fetched once", options(canary.repeat(20), { extra: await workerAfter(weighed) }), async ({ page, shot }) => {
  const fetched = new Map();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\.wasm$|\/worker-/.test(pathname)) fetched.set(pathname, (fetched.get(pathname) ?? 0) + 1);
  });
  await ready(page);
  assert.equal(page.workers().length, 0, "no engine before somebody acts");
  const answers = await all(page, "snapshot");
  assert.deepEqual(answers.map(({ ok }) => ok), Array(20).fill(true));
  assert.equal(await page.locator("iframe").count(), 20);
  assert.equal(page.workers().length, 1);
  assert.equal(await page.evaluate(() => scrollY), 0, "the reader stays at the place");
  // Beside these, pieces of the engine and of the page.
  const whole = [...fetched.keys()].filter((name) => !/\/(worker|web)-.*\.wasm$/.test(name));
  assert.equal(whole.length, 3, `the page, the worker and the engine: ${whole}`);
  assert.ok([...fetched.values()].every((times) => times === 1), `each once: ${JSON.stringify([...fetched])}`);
  // Each has a run of its own.
  const go = await nth(page, 7).evaluate(async (it) => {
    await it.seek(12);
    return it.command({ op: "continue", plan: "deploy" });
  });
  assert.equal(go.ok, true, JSON.stringify(go));
  await nth(page, 8).evaluate((it) => it.seek(12));
  assert.notEqual(await plan(page, 7), "WAITING");
  assert.equal(await plan(page, 8), "WAITING");
  // All play at once; a pause of each lands at once.
  await all(page, "play");
  await page.waitForFunction(() => [...document.querySelectorAll("planarium-embed")].some((it) => it.time > 14));
  await page.evaluate(async () => {
    for (const it of document.querySelectorAll("planarium-embed")) {
      await it.pause();
      await it.seek(20);
    }
  });
  const ends = await all(page, "snapshot");
  assert.deepEqual(ends.map(({ value }) => value.now_ms), Array(20).fill(20_000));
  const { usedSize, wasm } = await weight(page);
  assert.ok(usedSize + wasm <= MOST_BYTES, `${usedSize} bytes of heap and ${wasm} of WebAssembly`);
  await shot("twenty", { fullPage: false });
});

journey("an engine that is asked something has the next turn, whatever the others play", options(canary.repeat(4), { height: 2400, extra: await workerAfter(counted) }), async ({ page }) => {
  await ready(page);
  await all(page, "snapshot");
  await page.evaluate(async () => {
    const embeds = [...document.querySelectorAll("planarium-embed")];
    for (let round = 0; round < 10; round += 1) {
      for (const it of embeds) {
        await it.reset();
        await it.play();
      }
      for (const it of embeds) await it.snapshot();
    }
  });
  const turns = await page.workers()[0].evaluate(() => self.turns);
  assert.ok(turns.all > 100, `${turns.all} turns`);
  assert.equal(turns.late, 0, `${turns.late} of ${turns.all} turns came before what somebody waited for`);
});

journey("an engine far out of sight is not drawn until it comes near, and answers all the same", options(canary.repeat(20)), async ({ page }) => {
  await ready(page);
  await all(page, "snapshot");
  const last = nth(page, 19);
  const isDrawn = () => last.locator("iframe").evaluate((it) => it.checkVisibility({ contentVisibilityAuto: true }));
  assert.equal(await isDrawn(), false);
  assert.equal(await nth(page, 0).locator("iframe").evaluate((it) => it.checkVisibility({ contentVisibilityAuto: true })), true);
  await last.evaluate((it) => it.seek(4));
  assert.equal((await last.evaluate((it) => it.command({ op: "interrupt", plan: "deploy" }))).ok, true);
  assert.equal((await last.evaluate((it) => it.runUntil("t=6s", 10))).value.now_ms, 6000);
  assert.equal(await page.evaluate(() => scrollY), 0, "the reader stays at the place");
  await last.scrollIntoViewIfNeeded();
  await soon(async () => assert.equal(await isDrawn(), true));
  const frame = last.locator("iframe");
  await last.frameLocator("iframe").getByRole("treegrid").waitFor();
  const [box, place] = [await frame.boundingBox(), await last.locator(".pl-engine").boundingBox()];
  assert.equal(box.height, place.height, "the frame fills its place");
});

journey("the frame that holds the worker goes, and the others go on as they were", options(canary.repeat(3)), async ({ page }) => {
  await ready(page);
  const before = await page.evaluate(async () => {
    const found = [];
    for (const it of document.querySelectorAll("planarium-embed")) {
      it.seek(12);
      await it.command({ op: "continue", plan: "deploy" });
      found.push((await it.snapshot()).value);
    }
    return found;
  });
  assert.equal(page.workers().length, 1);
  // What is asked while the holder goes is answered, too.
  const asked = await page.evaluate(async () => {
    const [first, second, third] = document.querySelectorAll("planarium-embed");
    const answers = [second.snapshot(), third.why("deploy")];
    first.finalize();
    return Promise.all(answers);
  });
  assert.deepEqual(asked.map(({ ok }) => ok), [true, true], JSON.stringify(asked));
  for (const at of [1, 2]) {
    const { value } = await nth(page, at).evaluate((it) => it.snapshot());
    assert.deepEqual([value.digest, value.end.digest, deploy(value)], [before[at].digest, before[at].end.digest, deploy(before[at])]);
    assert.equal(await page.frameLocator("planarium-embed iframe").nth(0).getByText("The engine stopped").count(), 0);
  }
  await soon(async () => assert.equal(page.workers().length, 1));
  // The one that was left takes a session of the new worker.
  assert.equal((await nth(page, 0).evaluate((it) => it.snapshot())).ok, true);
  assert.equal(page.workers().length, 1);
  // Those that go leave the worker to the others.
  await nth(page, 2).evaluate((it) => it.remove());
  assert.equal((await nth(page, 1).evaluate((it) => it.snapshot())).ok, true);
  await nth(page, 0).evaluate((it) => it.remove());
  await nth(page, 0).evaluate((it) => it.remove());
  await soon(async () => assert.equal(page.workers().length, 0));
});

for (const kind of ["panic", "loop"]) {
  for (const at of [0, 1]) {
    journey(`a ${kind} in engine ${at + 1} of three is one of that engine alone`, options(canary.repeat(3), { extra: await workerAfter(faulty), expected: (text) => /The engine stopped/.test(text) }), async ({ page }) => {
      await ready(page);
      const before = await page.evaluate(async () => {
        const found = [];
        for (const it of document.querySelectorAll("planarium-embed")) {
          it.seek(12);
          found.push((await it.snapshot()).value);
        }
        return found;
      });
      await page.evaluate(
        (fault) =>
          new Promise((done) => {
            const channel = new BroadcastChannel("planarium-faults");
            channel.onmessage = done;
            channel.postMessage(fault);
          }),
        { kind, of: '"agent-lost"' },
      );
      await nth(page, at).evaluate((it) => void it.inject({ kind: "agent-lost", target: { agent: "agent-1" } }));
      const frame = (place) => page.locator("planarium-embed").nth(place).frameLocator("iframe");
      await frame(at).getByText(/The engine stopped/).first().waitFor();
      for (const other of [0, 1, 2]) {
        const { ok, value } = await nth(page, other).evaluate((it) => it.snapshot());
        assert.equal(ok, true);
        assert.deepEqual([value.now_ms, value.digest], [before[other].now_ms, before[other].digest], `engine ${other + 1}`);
        assert.equal(await frame(other).getByText(/The engine stopped/).count() > 0, other === at, `engine ${other + 1}`);
      }
      await soon(async () => assert.equal(page.workers().length, 1));
      assert.equal((await nth(page, at).evaluate((it) => it.inject({ kind: "agent-lost", target: { agent: "agent-1" } }))).ok, true, "it can be tried again");
    });
  }
}

journey("one more demo than may run lets the one used longest ago rest, which goes on where it was", options(canary.repeat(MOST_ENGINES + 1)), async ({ page, shot }) => {
  await ready(page);
  const first = await nth(page, 0).evaluate(async (it) => {
    it.seek(12);
    return it.command({ op: "continue", plan: "deploy" });
  });
  assert.equal(first.ok, true, JSON.stringify(first));
  const continued = await plan(page, 0);
  assert.notEqual(continued, "WAITING");
  const answers = await page.evaluate(() =>
    Promise.all([...document.querySelectorAll("planarium-embed")].slice(1).map((it) => it.snapshot())),
  );
  assert.deepEqual(answers.map(({ ok }) => ok), Array(MOST_ENGINES).fill(true), "each answers, though all began at once");
  assert.equal(await page.locator("iframe").count(), MOST_ENGINES);
  await soon(async () => assert.equal(page.workers().length, 1));
  const rests = nth(page, 0);
  assert.equal(await rests.locator(".pl-figure").isVisible(), true);
  assert.equal(await rests.evaluate((it) => it.time), 12);
  await rests.getByText("The engine rests at 0:12; what was done is kept.").waitFor();
  await rests.scrollIntoViewIfNeeded();
  await shot("one of many rests");
  await rests.getByRole("button", { name: "Go on here" }).click();
  await soon(async () => assert.equal(await rests.getAttribute("data-engine"), "on"));
  assert.equal(await plan(page, 0), continued, "the command is in the run that goes on");
  assert.equal(await page.locator("iframe").count(), MOST_ENGINES);
  await rests.evaluate((it) => it.finalize());
  await rests.getByRole("button", { name: "Try it" }).waitFor();
  assert.equal(await page.locator("iframe").count(), MOST_ENGINES - 1);
});

const seen = canary.replace("<planarium-embed", '<planarium-embed loading="visible"');
const far = '<p style="height: 3000px"></p>';
journey("with loading=visible an engine is there while it is seen, and goes on when it is seen again", options(far + seen + far), async ({ page, shot }) => {
  await ready(page);
  const demo = nth(page, 0);
  const engine = () => demo.getAttribute("data-engine");
  assert.equal(await page.locator("iframe").count(), 0, "it is not seen yet");
  await demo.evaluate((it) => it.scrollIntoView());
  await soon(async () => assert.equal(await engine(), "on"));
  await demo.evaluate(async (it) => {
    await it.seek(12);
    await it.command({ op: "continue", plan: "deploy" });
  });
  const continued = await plan(page, 0);
  await soon(async () => assert.equal(await demo.evaluate((it) => it.time), 12));
  await page.evaluate(() => scrollTo(0, 0));
  await soon(async () => assert.equal(await page.locator("iframe").count(), 0));
  await soon(async () => assert.equal(page.workers().length, 0, "its worker is gone with it"));
  await demo.getByText("The engine rests at 0:12; what was done is kept.").waitFor({ state: "attached" });
  await demo.evaluate((it) => it.scrollIntoView());
  await soon(async () => assert.equal(await engine(), "on"));
  assert.equal(await plan(page, 0), continued, "the command is in the run that goes on");
  await shot("seen again");
  await demo.evaluate((it) => it.finalize());
  assert.equal(await page.locator("iframe").count(), 0);
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(300);
  await demo.evaluate((it) => it.scrollIntoView());
  await page.waitForTimeout(300);
  assert.equal(await page.locator("iframe").count(), 0, "a finalized demo stays as it is");
});

journey("a demo that is scrolled past while its engine takes over is let go", options(far + seen + far), async ({ page }) => {
  await ready(page);
  await nth(page, 0).evaluate((it) => it.scrollIntoView());
  await page.locator("iframe").waitFor({ state: "attached" });
  await page.evaluate(() => scrollTo(0, 0));
  await soon(async () => assert.equal(await page.locator("iframe").count(), 0));
  await soon(async () => assert.equal(page.workers().length, 0));
});

journey("a hundred times in and out of a document leave nothing behind", options(canary), async ({ page }) => {
  await ready(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const counts = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const cycle = (times, engine) =>
    nth(page, 0).evaluate(
      async (it, [count, takes]) => {
        const place = it.parentElement;
        const frames = [];
        for (let at = 0; at < count; at += 1) {
          const taking = takes ? it.takeOver() : undefined;
          if (takes) while (!it.querySelector("iframe")) await new Promise((done) => setTimeout(done));
          it.remove();
          const answer = await taking;
          frames.push(answer?.ok ?? false);
          place.append(it);
        }
        return frames;
      },
      [times, engine],
    );
  // What the first times build once is no leak.
  await cycle(5, true);
  const before = await counts();
  assert.deepEqual(await cycle(10, true), Array(10).fill(false), "taken out before the engine answered");
  await cycle(90, false);
  await soon(async () => {
    const now = await counts();
    assert.ok(now.JSEventListeners <= before.JSEventListeners, `${before.JSEventListeners} listeners, then ${now.JSEventListeners}`);
    assert.ok(now.Nodes <= before.Nodes + 5, `${before.Nodes} nodes, then ${now.Nodes}`);
    assert.ok(now.Documents <= before.Documents, `${before.Documents} documents, then ${now.Documents}`);
  });
  assert.equal(await page.locator("iframe").count(), 0);
  await soon(async () => assert.equal(page.workers().length, 0));
  await nth(page, 0).evaluate((it) => it.seek(12));
  assert.equal(await nth(page, 0).evaluate((it) => it.time), 12, "it still plays");
});

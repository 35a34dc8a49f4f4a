/**
 * The page under crash loops, and a document with twenty demos, measured: frames a second, what a frame takes of the processor and of what the engine sends, nodes of
 * the fullest lane beside its pixels, memory of the page's process. `cargo xtask bench --page` runs this and prints the figures beside their budgets.
 *
 * Frames a second are those of a machine that does nothing else. What a frame takes of the processor says on a busy one, too, whether
 * the page is quick.
 *
 *   node bench.mjs [SECONDS [CASE]]        how long each case plays, 180 unless told; a case whose name has these words
 *
 * Prints one line per figure: case, figure, value.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { DIST, open, serve, started } from "./harness.mjs";
import { playground } from "./playground.mjs";

const SECONDS = Number(process.argv[2] ?? 180);

const CROWD = `name: crowd
pods:
  node:
    count: 900
    tasks: {server: {goal: RUNNING, cmd: ./node, cpus: 0.1, memory: 32}}
  crash:
    count: 100
    tasks: {server: {goal: RUNNING, cmd: ./crash, cpus: 0.1, memory: 32}}
plans:
  deploy:
    strategy: parallel
    phases:
      node: {strategy: parallel, pod: node}
      crash: {strategy: parallel, pod: crash}
`;

const STEPS = `name: steps
pods:
  node:
    count: 10000
    tasks: {server: {goal: RUNNING, cmd: ./node, cpus: 0.01, memory: 8}}
plans:
  deploy:
    strategy: serial
    phases:
      node: {strategy: serial, pod: node}
`;

/** Opens a definition on a hundred machines. */
async function opens(page, definition) {
  await page.getByRole("banner").getByRole("button", { name: "Open", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(definition);
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("tab", { name: "Machines" }).click();
  await page.getByLabel("Machines to start with").selectOption("100");
}

/** Scrolls the plan with the wheel, forth and back, until told to end. */
function scrolls(page) {
  let on = true;
  const ended = (async () => {
    const box = await page.locator("#plan-tree").boundingBox();
    await page.mouse.move(box.x + 80, box.y + box.height / 2);
    for (let turn = 0; on; turn += 1) {
      await page.mouse.wheel(0, turn % 40 < 20 ? 240 : -240);
      await page.waitForTimeout(40);
    }
  })();
  return () => ((on = false), ended);
}

/** Lets pods of a kind crash whenever they start. */
async function crash(page, pods) {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("Inject a failure");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Inject a failure" });
  await dialog.locator("input[value=crash-loop]").check();
  await dialog.getByRole("combobox").selectOption(pods);
  await dialog.locator(".button-row button").click();
  await dialog.waitFor({ state: "hidden" });
}

const CASES = {
  "three steps": async (page) => {
    await crash(page, "hello");
    await crash(page, "world");
  },
  "1,000 pods": async (page) => {
    await opens(page, CROWD);
    await crash(page, "crash");
  },
  "10,000 steps, scrolled": async (page) => {
    await opens(page, STEPS);
    return scrolls;
  },
};

/** The largest figure of the browser's page processes, which Linux tells in a file of each. */
async function ofPage(page, file, figure) {
  const debug = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await debug.send("SystemInfo.getProcessInfo");
  await debug.detach();
  const figures = processInfo
    .filter(({ type }) => type === "renderer")
    .map(async ({ id }) => figure(await readFile(`/proc/${id}/${file(id)}`, "utf8").catch(() => "")));
  return Math.max(0, ...(await Promise.all(figures)));
}

/** Memory of the page's process. *Units*: megabytes. */
const memory = (page) => ofPage(page, () => "status", (text) => Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);

/** Processor time of the thread on which the page runs, so far. *Units*: milliseconds. */
const processor = (page) => ofPage(page, (id) => `task/${id}/schedstat`, (text) => Number(text.split(" ")[0] || 0) / 1e6);

/** Intervals between frames during so many seconds, and the longest task. *Units*: milliseconds. */
const frames = (page, seconds) =>
  page.evaluate(
    (length) =>
      new Promise((done) => {
        const intervals = [];
        let longest = 0;
        const tasks = new PerformanceObserver((list) => {
          longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration));
        });
        tasks.observe({ type: "longtask" });
        const from = performance.now();
        let last = from;
        const tick = (now) => {
          intervals.push(now - last);
          last = now;
          if (now - from < length * 1000) return requestAnimationFrame(tick);
          tasks.disconnect();
          done({ intervals: intervals.slice(1), longest });
        };
        requestAnimationFrame(tick);
      }),
    seconds,
  );

/** Counts the letters that the engine sends to the page, from the page's first script on. */
const counted = (page) =>
  page.addInitScript(() => {
    const { set } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
    globalThis.sentByEngine = 0;
    Object.defineProperty(Worker.prototype, "onmessage", {
      set(take) {
        set.call(this, (event) => {
          if (typeof event.data === "string") globalThis.sentByEngine += event.data.length;
          return take.call(this, event);
        });
      },
    });
  });

/** Letters that the engine has sent so far. */
const sent = (page) => page.evaluate(() => globalThis.sentByEngine);

/** Frames in each whole second of these intervals. */
function rates(intervals) {
  const counts = [];
  let [count, gone] = [0, 0];
  for (const interval of intervals) {
    count += 1;
    gone += interval;
    if (gone >= 1000) {
      counts.push((count * 1000) / gone);
      [count, gone] = [0, 0];
    }
  }
  return counts.sort((a, b) => a - b);
}

/** Nodes and pixels of the lane that has most nodes for its width. */
const lanes = (page) =>
  page.locator(".lane-bar").evaluateAll((bars) => {
    const all = bars.map((bar) => [bar.querySelectorAll("*").length, Math.round(bar.getBoundingClientRect().width)]);
    return all.reduce((most, one) => (one[0] * most[1] > most[0] * one[1] ? one : most), [0, 1]);
  });

/** Prints a figure of a case. */
const figure = (name) => (what, value) => process.stdout.write(`${name}\t${what}\t${value}\n`);

/** Twenty demos in a document: tasks of the document and its frames while engines take over and play, and how soon a pause has landed. */
async function demos(name) {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
  const planarium = (...words) =>
    execFileSync(process.env.PLANARIUM_BIN ?? path.join(root, "target", "debug", "planarium"), words, { cwd: root, encoding: "utf8" });
  const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-demos-"));
  planarium("embed", "--assets", folder);
  await symlink(DIST, path.join(folder, "planarium"));
  const demo = planarium("render", "examples/canary", "--html", "--engine", "planarium/embed.html");
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Demos</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="planarium-embed.css"><script src="planarium-embed.js" defer></script></head><body>${demo.repeat(20)}</body></html>`;
  const server = await serve(folder, { "/": { type: "text/html; charset=utf-8", body } });
  const opened = await open(server.url, { width: 1440, height: 900 });
  const told = await opened.page.evaluate(async () => {
    const all = [...document.querySelectorAll("planarium-embed")];
    await customElements.whenDefined("planarium-embed");
    await Promise.all(all.map((it) => it.ready));
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: "longtask" });
    const from = performance.now();
    await Promise.all(all.map((it) => it.snapshot()));
    const mounted = performance.now() - from;
    const mounting = [...tasks];
    await Promise.all(all.map((it) => it.play()));
    await new Promise((done) => setTimeout(done, 3000));
    const pauses = [];
    for (const it of all) {
      const asked = performance.now();
      await it.pause();
      pauses.push(performance.now() - asked);
    }
    observer.disconnect();
    return { mounted, mounting, playing: tasks.slice(mounting.length), pauses };
  });
  const most = (all) => Math.round(Math.max(0, ...all));
  const say = figure(name);
  say("milliseconds until twenty engines have taken over", Math.round(told.mounted));
  say("longest task while they take over, milliseconds; 0 for none above 50", most(told.mounting));
  say("number of such tasks", told.mounting.length);
  say("longest task while they play, milliseconds; 0 for none above 50", most(told.playing));
  say("milliseconds until a pause has landed, the slowest of twenty", most(told.pauses));
  await opened.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
}

const DEMOS = "twenty demos";
if (DEMOS.includes(process.argv[3] ?? "")) {
  await demos(DEMOS);
}
const server = await serve();
for (const [name, prepare] of Object.entries(CASES).filter(([name]) => name.includes(process.argv[3] ?? ""))) {
  const opened = await open(`${server.url}?example=hello-world`, { width: 1440, height: 900, before: counted });
  const { page } = opened;
  await started(page);
  const during = await prepare(page);
  const on = playground(page);
  await on.fast();
  await on.play();
  const third = Math.max(2, Math.floor(SECONDS / 3));
  const end = during?.(page);
  await frames(page, third);
  const early = await memory(page);
  await frames(page, third);
  const letters = await sent(page);
  const used = await processor(page);
  const { intervals, longest } = await frames(page, third);
  const each = ((await processor(page)) - used) / intervals.length;
  const kilobytes = ((await sent(page)) - letters) / intervals.length / 1000;
  await end?.();
  const counts = rates(intervals);
  const sorted = intervals.toSorted((a, b) => a - b);
  const [nodes, pixels] = await lanes(page);
  const say = figure(name);
  say("frames a second, median of the last third", Math.round(counts[Math.floor(counts.length / 2)]));
  say("frames a second, slowest of the last third", Math.round(counts[0]));
  say("milliseconds between frames, 95 of 100 are shorter", sorted[Math.floor(sorted.length * 0.95)].toFixed(1));
  say("longest task, milliseconds; 0 for none above 50", longest.toFixed(0));
  say("milliseconds of the processor for a frame", each.toFixed(1));
  say("kilobytes of the engine for a frame", kilobytes.toFixed(1));
  say("nodes of the fullest lane for each pixel", (nodes / pixels).toFixed(3));
  say("memory at the end, MB", Math.round(await memory(page)));
  say("memory gained in the last two thirds, MB", Math.round((await memory(page)) - early));
  say("virtual minutes played", Math.round((await on.now()) / 60_000));
  await opened.close();
}
await server.close();
process.exit(0);

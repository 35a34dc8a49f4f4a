/**
 * The page under crash loops, measured: frames a second, what a frame takes of the processor, nodes of the fullest lane beside its
 * pixels, memory of the page's process. `cargo xtask bench --page` runs this and prints the figures beside their budgets.
 *
 * Frames a second are those of a machine that does nothing else. What a frame takes of the processor says on a busy one, too, whether
 * the page is quick.
 *
 *   node bench.mjs [SECONDS [CASE]]        how long each case plays, 180 unless told; a case whose name has these words
 *
 * Prints one line per figure: case, figure, value.
 */
import { readFile } from "node:fs/promises";
import { open, serve, started } from "./harness.mjs";
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

const server = await serve();
for (const [name, prepare] of Object.entries(CASES).filter(([name]) => name.includes(process.argv[3] ?? ""))) {
  const opened = await open(`${server.url}?example=hello-world`, { width: 1440, height: 900 });
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
  const used = await processor(page);
  const { intervals, longest } = await frames(page, third);
  const each = ((await processor(page)) - used) / intervals.length;
  await end?.();
  const counts = rates(intervals);
  const sorted = intervals.toSorted((a, b) => a - b);
  const [nodes, pixels] = await lanes(page);
  const say = (figure, value) => process.stdout.write(`${name}\t${figure}\t${value}\n`);
  say("frames a second, median of the last third", Math.round(counts[Math.floor(counts.length / 2)]));
  say("frames a second, slowest of the last third", Math.round(counts[0]));
  say("milliseconds between frames, 95 of 100 are shorter", sorted[Math.floor(sorted.length * 0.95)].toFixed(1));
  say("longest task, milliseconds; 0 for none above 50", longest.toFixed(0));
  say("milliseconds of the processor for a frame", each.toFixed(1));
  say("nodes of the fullest lane for each pixel", (nodes / pixels).toFixed(3));
  say("memory at the end, MB", Math.round(await memory(page)));
  say("memory gained in the last two thirds, MB", Math.round((await memory(page)) - early));
  say("virtual minutes played", Math.round((await on.now()) / 60_000));
  await opened.close();
}
await server.close();
process.exit(0);

// No words are cut that have room, in the main states of every system, wide and narrow; and the page works enlarged, sideways and in
// a system's own colours.
import assert from "node:assert/strict";
import { journey } from "./harness.mjs";
import { playground } from "./playground.mjs";
import { BESIDE, SYSTEMS } from "./states.mjs";

/**
 * Words that are cut although their row has room for more of them: an element whose text is longer than itself, in a row whose parts
 * leave space unused.
 */
function cut(page) {
  return page.evaluate(() => {
    // Words for screen readers alone are one pixel wide.
    const seen = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
    const words = [...document.querySelectorAll("#app *")].filter((element) => {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      const style = getComputedStyle(element);
      if (!own || !seen(element) || style.overflowX === "visible" || style.overflowX === "auto") return false;
      return element.scrollWidth > element.clientWidth + 1 || style.webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight + 3;
    });
    // A reason could have what no name in its column needs. Columns go in steps of some pixels, which are left out of account.
    const STEP = 70;
    const width = (element) => element.getBoundingClientRect().width;
    const spare = (cell) => cell.clientWidth - [...cell.children].reduce((sum, part) => sum + width(part), 0);
    const unused = () => Math.min(...[...document.querySelectorAll(".row > .cell-name")].filter(seen).map(spare)) - STEP;
    // Tabs beside the plan fit at every width; below it, the bar at the bottom has them.
    const tabs = [...document.querySelectorAll("#inspector-panel")].flatMap((panel) => [...panel.parentElement.querySelectorAll("[role=tablist]")].slice(0, 1));
    const hidden = tabs.filter((list) => seen(list) && list.scrollWidth > list.clientWidth + 1).map((list) => ({ text: list.innerText, of: "tabs" }));
    const free = (row) => {
      const style = getComputedStyle(row);
      // An empty cell of a table keeps its column, which other rows need.
      const table = row.getAttribute("role") === "row";
      const isUsed = (part) => part.ariaHidden === "true" || part.role === "img" || part.textContent.trim() + part.innerHTML !== "";
      const parts = [...row.children].filter((part) => seen(part) && (table || isUsed(part)));
      const gap = (parseFloat(style.columnGap) || 0) * Math.max(0, parts.length - 1);
      const inner = row.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      return inner - gap - parts.reduce((sum, part) => sum + part.getBoundingClientRect().width, 0);
    };
    return words
      .map((element) => {
        const reason = element.matches(".cell-reason") && getComputedStyle(element).webkitLineClamp !== "none";
        const row = element.parentElement.closest("[role=gridcell], .pane-head, .transport, .status-line, header, li, .tab, .button, div");
        return { text: element.textContent.trim().slice(0, 60), of: element.className, missing: element.scrollWidth - element.clientWidth, free: Math.round(reason ? unused() : free(row)) };
      })
      .filter(({ free }) => free > 12)
      .concat(hidden);
  });
}

const TOO_BIG = `name: big
pods:
  big:
    count: 1
    tasks:
      server: {goal: RUNNING, cmd: ./big, cpus: 64, memory: 256}
`;

/** Rolls out what fits on no machine until nothing more happens, on a wide page; a phone has no room for the chip that says so beside the clock. */
async function stuck(on, { width, height, page }) {
  await page.setViewportSize({ width: 1440, height: 900 });
  await on.type(TOO_BIG);
  await page.getByRole("heading", { name: "Plans of big" }).waitFor();
  await on.fast();
  await on.play();
  await on.dock.getByRole("group", { name: "Stuck" }).waitFor({ timeout: 90_000 });
  await page.setViewportSize({ width, height });
}

/** Main states: example, what leads there, and what the state is called where the example does not say it. */
const STATES = [
  ["web-shop", async (on) => (await on.play(), await on.shows("shop-0:[server]", "STARTED"), await on.pause())],
  ["hello-world", async (on) => (await on.play(), await on.shows("hello-0:[server]", "(STARTING|STARTED|COMPLETE)"), await on.pause())],
  ["kudo-stuck-deploy", async (on) => (await on.fast(), await on.play(), await on.shows("servers", "IN_PROGRESS"), await on.pause())],
  ["hello-world", stuck, "a definition that fits nowhere"],
  ["waiting-for-memory", async (on) => (await on.fast(), await on.play(), await on.page.getByRole("region", { name: "The run has ended" }).waitFor())],
  ["kudo-first-operator", async (on) => (await on.play(), await on.shows("servers", "IN_PROGRESS"), await on.pause())],
  ["marathon-three-at-seventy-percent", async (on) => on.row("deployment-1").waitFor()],
  ["quality-gate", async () => {}],
];

/** Further states in which no words may be cut. */
const FURTHER = [...SYSTEMS, ...BESIDE];

for (const [width, height, touch] of [[1440, 900], [1280, 800], [390, 844, true]]) {
  for (const [name, path, reach] of FURTHER) {
    journey(`${name} at ${width}: nothing is cut that has room`, { width, height, touch, path }, async ({ page, shot }) => {
      await reach(page);
      await shot("state");
      assert.deepEqual(await cut(page), []);
    });
  }
  for (const [example, reach, name] of STATES) {
    journey(`${name ?? example} at ${width}: nothing is cut that has room`, { width, height, touch, path: `?example=${example}` }, async ({ page, shot }) => {
      const on = playground(page);
      await reach(on, { width, height, page });
      await shot("state");
      assert.deepEqual(await cut(page), []);
    });
  }
}

for (const [name, width, height] of [["sideways", 844, 390], ["enlarged four times", 320, 256]]) {
  journey(`the plan is seen and played, ${name}`, { width, height, touch: true, path: "?example=hello-world" }, async ({ page, scan, shot }) => {
    const on = playground(page);
    const row = on.row("hello-0:[server]");
    await row.scrollIntoViewIfNeeded();
    await row.waitFor();
    const { height: tall } = await on.tree.boundingBox();
    assert.ok(tall >= 90, `the tree is ${tall} pixels high`);
    await shot("tree");
    await on.fast();
    await on.play();
    await on.shows("deploy", "COMPLETE");
    await on.pause();
    await scan();
  });
}

/** Neighbours in heads and bars that cover each other, or are wider than their row. */
function covered(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".pane-head, .header, .transport")].flatMap((row) => {
      const boxes = [...row.children].map((part) => [part, part.getBoundingClientRect()]).filter(([part, { width, height }]) => part.checkVisibility() && width > 1 && height > 1);
      return boxes.slice(1).flatMap(([part, box], at) => {
        const [before, { right, top, bottom }] = boxes[at];
        const covers = box.left < right - 1 && box.top < bottom - 1 && box.bottom > top + 1;
        return covers || part.scrollWidth > part.clientWidth + 1 && part.matches("label, select") ? [`${before.className} and ${part.className}`] : [];
      });
    }),
  );
}

for (const [name, path, reach] of SYSTEMS) {
  journey(`${name} sideways: the example is named in full, nothing covers its neighbour, the plan is seen`, { width: 844, height: 390, touch: true, path }, async ({ page, shot }) => {
    await reach(page);
    await shot("sideways");
    assert.deepEqual(await covered(page), []);
    assert.deepEqual(await page.locator(".title-text").evaluate((text) => text.scrollWidth - text.clientWidth), 0);
    const seen = await page.evaluate(() => {
      const plan = document.querySelector(".tree .row, .flow-svg").getBoundingClientRect();
      const pane = document.querySelector(".tree-pane").getBoundingClientRect();
      return Math.min(plan.bottom, pane.bottom) - plan.top;
    });
    assert.ok(seen >= 44, `${seen} pixels of the plan are seen`);
  });
}

journey("the statuses differ in a system's own colours", { width: 1440, height: 900, path: "?example=hello-world" }, async ({ page, shot }) => {
  await page.emulateMedia({ forcedColors: "active" });
  const legend = page.getByRole("list", { name: "What the lanes show" });
  const looks = await legend.locator("rect").evaluateAll((all) => all.map((rect) => getComputedStyle(rect).fill));
  assert.equal(new Set(looks).size, looks.length, `two statuses look the same: ${looks}`);
  await shot("forced colours");
});

journey("the editor follows the system's colours", { width: 1440, height: 900, path: "?example=hello-world" }, async ({ page }) => {
  const editor = page.getByRole("textbox", { name: /^(Text of |Definition)/ });
  await editor.waitFor();
  const colour = () => editor.evaluate((element) => getComputedStyle(element).color);
  const light = await colour();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(
    ([light]) => [...document.querySelectorAll("[role=textbox], textarea")].some((element) => getComputedStyle(element).color !== light),
    [light],
  );
});

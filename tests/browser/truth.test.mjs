// The timeline tells the truth, a run ends with a card, many machines are seen at once.
import assert from "node:assert/strict";
import { SIZES, journey, soon } from "./harness.mjs";
import { stretches } from "./lanes.mjs";
import { playground } from "./playground.mjs";

const SERVICE = `name: typed
pods:
  node:
    count: 2
    tasks:
      server:
        goal: RUNNING
        cmd: ./node
        cpus: 0.5
        memory: 128
`;

/** Opens a text through the dialog. */
async function opened(page, text) {
  await page.getByRole("banner").getByRole("button", { name: "Open", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(text);
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await dialog.waitFor({ state: "hidden" });
}

const LOOKS = [
  ["wide and light", { width: 1440, height: 900 }],
  ["wide and dark", { width: 1440, height: 900, theme: "dark" }],
  ["narrow and light", { ...SIZES.phone }],
  ["narrow and dark", { ...SIZES.phone, theme: "dark" }],
];

/** Where the first stretch of a lane begins, as a share of the axis. */
const begins = async (lane) => (await stretches(lane))[0]?.from ?? -1;

journey("steps that come later, and recovery steps, do not exist before", { width: 1440, height: 900 }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await opened(page, SERVICE);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  const lane = (name) => on.dock.getByRole("img", { name }).first();
  assert.equal(await begins(lane(/^node-0:\[server\]/)), 0);
  await on.type(SERVICE.replace("count: 2", "count: 3"));
  await page.getByRole("button", { name: /^(Roll out|Update the service)/ }).first().click();
  await on.fast();
  await on.play();
  await on.shows("node-2:[server]", "COMPLETE");
  await soon(async () => assert.ok((await begins(lane(/^node-2:\[server\]/))) > 20, "it came with the update"));
  assert.equal(await begins(lane(/^node-0:\[server\]/)), 0, "the others were there before");
  await on.pause();
  await on.command("node-0:[server]", "node-0-server: Fail this task");
  await on.play();
  await soon(async () => assert.ok((await begins(lane(/^node-0:\[server\]: .*from/).last())) >= 0));
  const recovery = on.dock.getByRole("img", { name: /^node-0:\[server\]/ });
  await soon(async () => assert.equal(await recovery.count(), 2, "one in the plan, one of the recovery"));
  assert.ok((await begins(recovery.last())) > 20, "the recovery came with the failure");
  await on.pause();
  await on.dock.getByRole("list", { name: "What the lanes show" }).getByText("failed").waitFor();
  await scan();
  await shot("lanes");
  // Lanes fold by phase.
  const phase = on.dock.getByRole("button", { name: "node", exact: true });
  assert.equal(await phase.getAttribute("aria-expanded"), "true");
  await phase.click();
  await on.dock.getByRole("button", { name: "node (3)" }).waitFor();
  await shot("folded");
});

journey("tasks of a lost machine do not stay green", { width: 1440, height: 900 }, async ({ page, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await page.getByRole("button", { name: "Lose a machine at the worst moment" }).click();
  await on.dock.getByRole("button", { name: "Lanes by machine" }).click();
  await on.dock.getByRole("img", { name: /TASK_LOST from/ }).first().waitFor();
  await on.pause();
  await shot("lost");
});

journey("the axis does not jump under the playhead", {}, async ({ page }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  const places = await page.evaluate(
    () =>
      new Promise((done) => {
        const all = [];
        const tick = () => {
          const at = Number.parseFloat(document.querySelector("circle.thumb")?.getAttribute("cx") ?? "0");
          all.push(at);
          if (all.length < 240) requestAnimationFrame(tick);
          else done(all);
        };
        requestAnimationFrame(tick);
      }),
  );
  const back = places.slice(1).map((at, n) => places[n] - at);
  assert.ok(Math.max(...back) < 4, `the playhead went back by ${Math.max(...back)} %`);
});

for (const [name, options] of LOOKS) {
  journey(`a run ends with a card and dares, ${name}`, options, async ({ page, scan, shot }) => {
    const on = playground(page);
    await on.fast();
    await on.play();
    await on.shows("deploy", "COMPLETE");
    const card = page.getByRole("region", { name: "The run has ended" });
    await card.getByText(/^Done in/).waitFor();
    await card.getByText(/^Least available/).waitFor();
    await card.getByText(/Steps waited/).waitFor();
    await on.pause();
    await scan();
    await shot("card");
    assert.equal(await card.getByRole("group", { name: "What if" }).getByRole("button").count(), 3);
    await card.getByRole("button", { name: "Let a task crash for a minute" }).click();
    await card.waitFor({ state: "hidden" });
    await on.shows("deploy", "COMPLETE");
    await card.getByText(/^Done in/).waitFor();
    await card.getByRole("button", { name: "Close the card" }).click();
    await card.waitFor({ state: "hidden" });
  });

  journey(`five hundred machines are seen at once, ${name}`, options, async ({ page, scan, shot }) => {
    const on = playground(page);
    const small = options.width < 768;
    const tab = (label) => (small ? page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: label }) : on.inspector.getByRole("tab", { name: label }));
    if (small) await tab("Edit").click();
    await page.getByRole("tab", { name: "Machines" }).click();
    await page.getByLabel("Machines to start with").selectOption("500");
    await tab("Cluster").click();
    const grid = page.getByRole("listbox", { name: "Machines" });
    await soon(async () => assert.equal(await grid.getByRole("option").count(), 500));
    assert.equal(await grid.getByRole("group").count(), 5, "by zone");
    await grid.focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("article").getByText(/ free$/).first().waitFor();
    await scan();
    await shot("grid");
    await page.getByRole("button", { name: "Full width" }).click();
    const box = await grid.boundingBox();
    assert.ok(box.width > options.width * 0.8 && box.height < options.height, JSON.stringify(box));
    await shot("full");
    await page.getByRole("button", { name: "Full width" }).click();
  });
}

journey("the tree opens and shuts by level, the log opens at the newest", { width: 1440, height: 900 }, async ({ page, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  const rows = () => on.tree.getByRole("row").count();
  const levels = page.getByRole("combobox", { name: "Show rows down to" });
  await levels.selectOption("Collapse all");
  await soon(async () => assert.ok((await rows()) <= 2));
  await levels.selectOption("Phases");
  await on.row("hello").waitFor();
  assert.equal(await on.row("hello-0:[server]").count(), 0);
  await levels.selectOption("Expand all");
  await on.row("hello-0:[server]").waitFor();
  await on.tab("Log");
  const log = on.inspector.getByRole("log");
  await soon(async () => {
    const [top, height, all] = await log.evaluate((it) => [it.scrollTop, it.clientHeight, it.scrollHeight]);
    assert.ok(all <= height || top + height > all - height, `at ${top} of ${all}`);
  });
  await shot("log");
});

// The console: the service's own words, typed in the page.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { playground, until } from "./playground.mjs";

const NARROW = { width: 390, height: 844 };

/** The console as a user speaks of it. */
function prompt(page) {
  const on = playground(page);
  const line = on.inspector.getByRole("textbox", { name: "Command" });
  const answers = on.inspector.getByRole("log", { name: "Answers" });
  const words = on.inspector.getByRole("group", { name: "Words that fit here" }).getByRole("button");
  return {
    on,
    line,
    answers,
    words,
    open: () => on.tab("Console"),
    /** Types a line and waits for an answer that says something. */
    run: async (text, wanted) => {
      await line.fill(text);
      await line.press("Enter");
      await answers.getByText(wanted).last().waitFor();
      await until(page, "the line is free again", (element) => element.value === "", await line.elementHandle());
    },
    /** Waits until the line reads so. */
    reads: async (text) =>
      until(page, `the line reads "${text}"`, ([element, wanted]) => element.value === wanted, [await line.elementHandle(), text]),
    holdsFocus: () => line.evaluate((element) => element === document.activeElement),
  };
}

journey("the real words show trees and carry commands out", {}, async ({ page, shot }) => {
  const { on, open, run, answers } = prompt(page);
  await open();
  await run("plan status deploy", /deploy \(serial strategy\) \(PENDING\)\n└─ hello \(serial strategy\)|├─ hello/);
  await run("$ dcos hello-world plan pause deploy", '"deploy" plan has been paused.');
  await on.shows("deploy", "WAITING");
  await run("plan pause deploy", /Command has already been issued/);
  await answers.getByText("Turned down").waitFor();
  await answers.getByText("exit code 1").waitFor();
  await run("plan statsu deploy", /did you mean 'status'/);
  await answers.getByText("Not understood").waitFor();
  await run("plan resume deploy", '"deploy" plan has been resumed.');
  await shot("answers");
  await on.stepTo("deploy", "COMPLETE");
  await run("pod restart hello-0", /"hello-0-server"/);
  await on.play();
  await on.tree.getByRole("row").filter({ hasText: "hello-0:[server]" }).nth(1).waitFor();
  await on.pause();
  await on.tab("Log");
  await on.inspector.getByText(/hello-0/).first().waitFor();
  await on.tab("Console");
  await answers.getByText("Turned down").waitFor();
  await on.inspector.getByRole("button", { name: "Copy everything" }).click();
  await page.getByRole("region", { name: "Messages" }).getByText("Copied.").waitFor();
  await soon(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^\$ plan status deploy\ndeploy \(serial strategy\)/));
  await on.inspector.getByRole("button", { name: "Clear" }).click();
  await answers.getByText("Turned down").waitFor({ state: "detached" });
});

journey("a typed command in the past opens a branch", {}, async ({ page }) => {
  const { on, open, run } = prompt(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.slider.focus();
  await page.keyboard.press("Home");
  await on.shows("deploy", "PENDING");
  await open();
  await run("plan list", /recovery/);
  assert.equal(await on.dock.getByRole("tablist", { name: "Branches" }).count(), 0, "to look opens no branch");
  await run("plan pause deploy", "has been paused.");
  const message = page.getByRole("region", { name: "Messages" });
  await message.getByText(/New branch/).waitFor();
  await on.shows("deploy", "WAITING");
  await message.getByRole("button", { name: "Undo" }).click();
  await on.shows("deploy", "PENDING");
});

journey("keys complete, bring earlier lines back, and never hold the focus", {}, async ({ page }) => {
  const { open, run, reads, line, words, holdsFocus, on } = prompt(page);
  await open();
  await line.focus();
  await page.keyboard.press("Tab");
  await soon(async () => assert.equal(await holdsFocus(), false, "an empty line lets Tab pass"));
  await line.focus();
  await page.keyboard.type("pl");
  await page.keyboard.press("Tab");
  await reads("plan ");
  await page.keyboard.type("force-c");
  await page.keyboard.press("Tab");
  await reads("plan force-complete ");
  await page.keyboard.type("de");
  await page.keyboard.press("Tab");
  await reads("plan force-complete deploy ");
  await page.keyboard.type("w");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await reads("plan force-complete deploy world world-");
  await soon(async () => assert.equal(await words.count(), 2));
  await on.inspector.getByText(/^2 ways to go on/).waitFor({ state: "attached" });
  // The words do not agree any further: Tab moves to the words themselves.
  await page.keyboard.press("Tab");
  await soon(async () => assert.equal(await holdsFocus(), false));
  await words.nth(1).focus();
  await page.keyboard.press("Enter");
  await reads("plan force-complete deploy world 'world-1:[server, sidecar]' ");
  await soon(async () => assert.equal(await holdsFocus(), true, "a picked word gives the focus back"));
  await page.keyboard.press("Enter");
  await on.shows("world-1:[server, sidecar]", "COMPLETE\\s*forced");
  await run("plan list", /recovery/);
  await line.pressSequentially("pl");
  await page.keyboard.press("ArrowUp");
  await reads("plan list");
  await page.keyboard.press("ArrowUp");
  await reads("plan force-complete deploy world 'world-1:[server, sidecar]'");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await reads("pl");
  // After Esc, Tab leaves even where it could complete.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await reads("pl");
  await soon(async () => assert.equal(await holdsFocus(), false, "Esc, then Tab leaves"));
  await line.focus();
  await page.keyboard.press("Shift+Tab");
  await soon(async () => assert.equal(await holdsFocus(), false, "Shift+Tab leaves"));
});

for (const theme of ["light", "dark"]) {
  for (const [name, size] of Object.entries({ wide: {}, narrow: { ...NARROW, touch: true } })) {
    journey(`the console has no accessibility fault, ${name} and ${theme}`, { ...size, theme }, async ({ page, scan, shot }) => {
      const { on, open, run, line, words, reads } = prompt(page);
      await on.shows("deploy", "PENDING");
      if (name === "narrow") {
        await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Console" }).click();
      } else {
        await open();
      }
      await scan();
      await run("plan status deploy", /PENDING/);
      await run("plan statsu", /did you mean/);
      await run("help", /Usage:/);
      await run("plan pause nothing", /Turned down/);
      await line.fill("plan st");
      await words.filter({ hasText: "status" }).click();
      await reads("plan status ");
      await scan();
      await shot("console");
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      const [tab, pane] = name === "narrow"
        ? [await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Console" }).boundingBox(), { x: 0, width: NARROW.width }]
        : [await on.inspector.getByRole("tab", { name: "Console" }).boundingBox(), await on.inspector.boundingBox()];
      assert.ok(tab && pane && tab.x + tab.width <= pane.x + pane.width + 1, "the console's tab is cut off");
    });
  }
}

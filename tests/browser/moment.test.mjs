// The page shows the state of the selected branch and instant; every action can be undone.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { playground, until } from "./playground.mjs";

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

const definition = (page) => page.getByRole("region", { name: "Definition" });
const messages = (page) => page.getByRole("region", { name: "Messages" });

/** A run of a count of two, in which a count of three was rolled out. */
async function updated(page) {
  const on = playground(page);
  await on.type(SERVICE);
  await on.shows("node-0:[server]", "PENDING");
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.type(SERVICE.replace("count: 2", "count: 3"));
  await definition(page).getByText("Draft. At the moment shown another text runs.").waitFor();
  await definition(page).getByRole("button", { name: /^(Roll out|Update the service)/ }).click();
  await on.row("node-2:[server]").waitFor();
  await on.play();
  await on.shows("node-2:[server]", "COMPLETE");
  await on.pause();
  return on;
}

for (const [width, theme] of [[1440, "light"], [1440, "dark"]]) {
  journey(`the editor holds what runs at the moment shown (${theme})`, { width, theme }, async ({ page, shot }) => {
    const on = await updated(page);
    await page.keyboard.press("Escape");
    await on.slider.focus();
    await page.keyboard.press("Home");
    await definition(page).getByText("count: 2").waitFor();
    await definition(page).getByText("Your draft is kept").waitFor();
    await shot(`moment-${theme}`);
    await definition(page).getByRole("button", { name: "Show the draft" }).click();
    await definition(page).getByText("count: 3").waitFor();
    await definition(page).getByRole("button", { name: "Show what runs" }).click();
    await definition(page).getByText("count: 2").waitFor();
    await on.slider.focus();
    await page.keyboard.press("End");
    await definition(page).getByText("count: 3").waitFor();
  });
}

journey("own text over an example takes its own title", { width: 1440 }, async ({ page }) => {
  const on = playground(page);
  await on.type(SERVICE);
  await on.shows("node-0:[server]", "PENDING");
  await soon(async () => assert.match(await page.title(), /^typed/));
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  assert.equal(await page.locator(".narration").count(), 0, "the example's story is not told");
});

for (const [width, theme] of [[1440, "light"], [390, "dark"]]) {
  journey(`a command at the head is undone and done again (${width})`, { width, theme }, async ({ page, shot }) => {
    const on = playground(page);
    await on.command("deploy", /^Interrupt/, 1);
    await on.shows("deploy", "WAITING");
    const undo = messages(page).getByRole("button", { name: "Undo" });
    await undo.waitFor();
    await shot(`undo-${width}`);
    await undo.click();
    await on.shows("deploy", "PENDING");
    await messages(page).getByRole("button", { name: "Redo" }).click();
    await on.shows("deploy", "WAITING");
    await on.tree.getByRole("row").first().click();
    await page.keyboard.press("Control+z");
    await on.shows("deploy", "PENDING");
    if (width > 1000) {
      const branches = page.getByRole("tablist", { name: "Branches" });
      await branches.getByRole("tab", { name: "main (undone)" }).waitFor();
      await branches.getByRole("tab", { name: "main", exact: true }).waitFor();
    }
    await page.keyboard.press("Control+Shift+Z");
    await on.shows("deploy", "WAITING");
    assert.equal(await page.getByRole("tablist", { name: "Branches" }).count(), 0, "one branch has no tab");
  });
}

journey("a dialog stops the clock", { width: 1440 }, async ({ page, shot }) => {
  const on = playground(page);
  await on.speed("1×");
  await on.play();
  await on.shows("hello-0:[server]", "STARTING");
  await page.keyboard.press("i");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.getByText("stands meanwhile").waitFor();
  const before = await on.now();
  await shot("held");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await until(page, "the clock goes on", (was) => Number(document.querySelector("[role=slider]").getAttribute("aria-valuenow")) > was, before);
});

journey("a reload keeps branches, edits and view", { width: 1440 }, async ({ page }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "COMPLETE");
  await on.slider.focus();
  await page.keyboard.press("Home");
  await on.command("deploy", /^Interrupt/, 1);
  const branches = page.getByRole("tablist", { name: "Branches" });
  await branches.waitFor();
  await on.type(SERVICE);
  await on.tab("Log");
  const before = await on.text();
  await page.reload();
  await branches.waitFor();
  await soon(async () => assert.equal(await branches.getByRole("tab").count(), 2));
  await soon(async () => assert.equal(await on.text(), before));
  await definition(page).getByText("name: typed").waitFor();
  assert.equal(await on.inspector.getByRole("tab", { name: "Log" }).getAttribute("aria-selected"), "true");
  assert.equal(await messages(page).getByRole("button").count(), 0, "nothing has to be brought back by hand");
});

journey("what was done is undone and done again after the page is loaded again", { width: 1440 }, async ({ page }) => {
  const on = playground(page);
  const title = await page.title();
  await on.command("deploy", /^Interrupt/, 1);
  await on.shows("deploy", "WAITING");
  await on.example("Force-complete does not open a canary");
  await soon(async () => assert.match(await page.title(), /^Force-complete/));
  const again = async (keys) => {
    await page.reload();
    await on.tree.getByRole("row").first().click();
    await page.keyboard.press(keys);
  };
  await again("Control+z");
  await soon(async () => assert.equal(await page.title(), title));
  await on.shows("deploy", "WAITING");
  await again("Control+z");
  await on.shows("deploy", "PENDING");
  await again("Control+Shift+Z");
  await on.shows("deploy", "WAITING");
  await again("Control+Shift+Z");
  await soon(async () => assert.match(await page.title(), /^Force-complete/));
});

journey("a second tab has a draft of its own", { width: 1440 }, async ({ page }) => {
  const on = playground(page);
  const examples = await on.text();
  await on.type(SERVICE);
  await definition(page).getByText("name: typed").waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  const beside = playground(other);
  await soon(async () => assert.equal(await beside.text(), examples, "it does not begin with another tab's draft"));
  await beside.type(SERVICE.replace("typed", "elsewhere"));
  await definition(other).getByText("name: elsewhere").waitFor();
  await page.reload();
  await definition(page).getByText("name: typed").waitFor();
  await other.reload();
  await definition(other).getByText("name: elsewhere").waitFor();
});

journey("Back goes to the example before", { width: 1440 }, async ({ page }) => {
  const on = playground(page);
  const title = await page.title();
  await on.example("Force-complete does not open a canary");
  await soon(async () => assert.match(await page.title(), /^Force-complete/));
  await page.goBack();
  await soon(async () => assert.equal(await page.title(), title));
  await page.goForward();
  await soon(async () => assert.match(await page.title(), /^Force-complete/));
});

journey("a canary is continued from its plan", { width: 1440, path: "?example=held-canary" }, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "WAITING");
  await on.command("deploy", "Continue phase web");
  await on.row("web").getByText("1 to continue").waitFor();
});

// Several services in one page, definitions that lack values or machines, and edits rolled out in a run.
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

const TEMPLATE = SERVICE.replace("name: typed", "name: {{FRAMEWORK_NAME}}").replace("count: 2", "count: {{NODE_COUNT}}");

/** Opens a text through the dialog, in place of what is there or beside it. */
async function opened(page, text, beside = false) {
  await page.getByRole("banner").getByRole("button", { name: "Open", exact: true }).click();
  const dialog = page.getByRole("dialog");
  if (beside) {
    await dialog.getByRole("radio", { name: "Another service on these machines" }).check();
  }
  await dialog.getByRole("textbox").fill(text);
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await dialog.waitFor({ state: "hidden" });
}

const definition = (page) => page.getByRole("region", { name: "Definition" });

journey("an unknown example shows the first one and says so", { path: "?example=no-such-thing" }, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  await page.getByRole("region", { name: "Messages" }).getByText(/no example named no-such-thing/).waitFor();
});

journey("two services have an editor each, and keep their drafts", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await opened(page, SERVICE, true);
  await on.row("typed", 1).waitFor();
  const services = definition(page).getByRole("tablist", { name: "Services" });
  await soon(async () => assert.equal(await services.getByRole("tab").count(), 2));
  await services.getByRole("tab", { name: "typed", selected: true }).waitFor();
  await on.row("hello-world", 1).waitFor();
  await on.fast();
  await on.play();
  await on.shows("node-0:[server]", "COMPLETE");
  await on.pause();
  await on.type(SERVICE.replace("count: 2", "count: 3"));
  await services.getByRole("tab", { name: "typed •" }).waitFor();
  await services.getByRole("tab", { name: "hello-world" }).click();
  await definition(page).getByText("hello-world", { exact: false }).first().waitFor();
  await services.getByRole("tab", { name: /typed/ }).click();
  await definition(page).getByText("count: 3").waitFor();
  await shot("two services");
  await scan();
  // The edit is rolled out in the run, which continues from its present instant.
  const before = await on.now();
  await definition(page).getByRole("button", { name: "Update the service" }).click();
  await on.row("node-2:[server]").waitFor();
  assert.equal(await on.now(), before);
  await on.play();
  await on.shows("node-2:[server]", "COMPLETE");
});

journey("variables without a value have rows with the finding, and usual values", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await opened(page, TEMPLATE);
  await definition(page).getByRole("tab", { name: /Environment/, selected: true }).waitFor();
  const name = definition(page).getByRole("textbox", { name: "Value of FRAMEWORK_NAME" });
  await name.waitFor();
  await definition(page).getByRole("button", { name: /needed, line 1/ }).waitFor();
  await page.getByRole("region", { name: "Plans" }).getByText("This cannot run yet.").waitFor();
  await scan();
  await shot("rows");
  await page.getByRole("button", { name: "Give them values" }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Value of FRAMEWORK_NAME");
  await page.keyboard.type("mine");
  await page.keyboard.press("Tab");
  await definition(page).getByRole("button", { name: "Fill in usual values" }).click();
  await on.shows("node-1:[server]", "PENDING");
  await soon(async () => assert.equal(await name.inputValue(), "mine", "what was typed stays"));
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
});

journey("machines that suffice are offered where those in use do not", {}, async ({ page, shot }) => {
  const on = playground(page);
  await opened(page, SERVICE.replace("cpus: 0.5", "cpus: 0.5\n        gpus: 1"));
  const plans = page.getByRole("region", { name: "Plans" });
  await plans.getByText(/The rollout gets further with: .*GPUs/).waitFor();
  await shot("offered");
  await plans.getByRole("button", { name: "Use them" }).click();
  await plans.getByText(/The rollout gets further with/).waitFor({ state: "hidden" });
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
});

journey("what was left for something else can be gone back to", {}, async ({ page }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "STARTED");
  const before = await on.text();
  await opened(page, SERVICE);
  await on.shows("node-0:[server]", "PENDING");
  await page.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Undo" }).first().click();
  await on.shows("hello-0:[server]", "STARTED");
  await soon(async () => assert.equal(await on.text(), before));
  await definition(page).getByText("hello-world", { exact: false }).first().waitFor();
});

journey("a link carries the moment", {}, async ({ page }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.slider.focus();
  for (let times = 0; times < 5; times += 1) {
    await page.keyboard.press("Shift+ArrowLeft");
  }
  await page.getByRole("banner").getByRole("button", { name: "Share" }).click();
  const link = await page.getByRole("dialog").getByRole("textbox").first().inputValue();
  assert.match(link, /#p1:[\w-]+~\d+$/);
  const now = Number(/~(\d+)$/.exec(link)[1]);
  await soon(async () => assert.equal(await on.now(), now));
  const rows = await on.text();
  const other = await page.context().newPage();
  await other.goto(link);
  await other.waitForFunction(() => document.documentElement.dataset.boot === "started");
  const there = playground(other);
  await there.shows("deploy", "IN_PROGRESS");
  await soon(async () => assert.equal(await there.now(), now));
  await soon(async () => assert.equal(await there.text(), rows));
  await there.slider.focus();
  await other.keyboard.press("End");
  await there.shows("deploy", "COMPLETE");
  await other.close();
});

journey("a dropped file is opened, and the page says that it may be let go", {}, async ({ page }) => {
  const on = playground(page);
  const held = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "svc.yml", { type: "text/yaml" }));
    return transfer;
  }, SERVICE);
  await page.dispatchEvent("body", "dragover", { dataTransfer: held });
  await soon(async () => assert.equal(await page.locator("html[data-drop]").count(), 1));
  await page.dispatchEvent("body", "drop", { dataTransfer: held });
  await soon(async () => assert.equal(await page.locator("html[data-drop]").count(), 0));
  await on.shows("node-0:[server]", "PENDING");
});

journey("edits of a service survive a reload", {}, async ({ page }) => {
  const on = playground(page);
  await opened(page, SERVICE, true);
  await on.row("typed", 1).waitFor();
  await on.stepTo("hello-0:[server]", "STARTED");
  await on.type(SERVICE.replace("count: 2", "count: 4"));
  await page.getByRole("region", { name: "Plans" }).getByText("The definition was edited").waitFor();
  await until(page, "the address names the run", () => location.hash.length > 10);
  await page.reload();
  const services = definition(page).getByRole("tablist", { name: "Services" });
  await services.getByRole("tab", { name: "typed •" }).click();
  await definition(page).getByText("count: 4").waitFor();
  await services.getByRole("tab", { name: "hello-world", exact: true }).waitFor();
});

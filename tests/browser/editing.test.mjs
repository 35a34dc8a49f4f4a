// The definition: findings at their place as one types, the last good world, applying an edit, sharing a run.
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

journey("broken YAML is shown at its place and the last good world runs on", {}, async ({ page, shot }) => {
  const on = playground(page);
  await on.play();
  await on.shows("hello-0:[server]", "STARTING");
  await on.type("name: x\npods:\n  hello: [1, 2\n");
  const plans = page.getByRole("region", { name: "Plans" });
  await plans.getByText("Showing the last valid version").waitFor();
  await on.shows("deploy", "COMPLETE");
  await shot("banner");
  await plans.getByRole("button", { name: "Show" }).click();
  const definition = page.getByRole("region", { name: "Definition" });
  await definition.getByText("YAML001").first().waitFor();
  await soon(async () => assert.match(await definition.innerText(), /svc\.yml|\b[34]:\d+/, "a finding names its line and column"));
});

journey("a misspelt word is underlined and mended", {}, async ({ page }) => {
  const on = playground(page);
  await on.type(SERVICE.replace("memory", "memroy"));
  const plans = page.getByRole("region", { name: "Plans" });
  await plans.getByText("Showing the last valid version").waitFor();
  await plans.getByRole("button", { name: "Show" }).click();
  const definition = page.getByRole("region", { name: "Definition" });
  await definition.getByText(/did you mean .?memory/).first().waitFor();
});

journey("an edit before anything was done is the new world at once", {}, async ({ page }) => {
  const on = playground(page);
  await on.type(SERVICE);
  await on.shows("node-0:[server]", "PENDING");
  await soon(async () => assert.equal(await on.tree.getByText("world", { exact: true }).count(), 0));
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
});

journey("an edit of a run waits until it is applied", {}, async ({ page }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "COMPLETE");
  await on.type(SERVICE);
  const apply = page.getByRole("region", { name: "Plans" }).getByRole("button", { name: "Start over with this" });
  await apply.waitFor();
  await soon(async () => assert.equal(await on.status("hello-0:[server]"), "COMPLETE", "the run goes on as it was"));
  await apply.click();
  await on.shows("node-0:[server]", "PENDING");
  await soon(async () => assert.equal(await on.now(), 0));
});

journey("a link brings the run to another reader", {}, async ({ page, url }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "COMPLETE");
  await on.command("world", /^Interrupt/);
  await on.shows("world", "WAITING");
  const before = await on.text();
  const now = await on.now();
  // The address follows the last change a moment later: the share dialog has the link at once.
  await page.getByRole("banner").getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  const link = await dialog.getByRole("textbox").first().inputValue();
  assert.match(link, /#p1:[\w-]+$/);
  await page.keyboard.press("Escape");
  await until(page, "the address bar shows the link", (wanted) => location.href === wanted, link);
  const other = await page.context().newPage();
  await other.goto(link);
  await other.waitForFunction(() => document.documentElement.dataset.boot === "started");
  const there = playground(other);
  await there.shows("world", "WAITING");
  await soon(async () => assert.equal(await there.text(), before));
  await soon(async () => assert.equal(await there.now(), now));
  assert.ok(link.startsWith(url));
  await other.close();
});

journey("a broken link is explained", { path: "#p1:nonsense!" }, async ({ page }) => {
  await page.getByRole("heading").first().waitFor();
  await soon(async () => assert.match(await page.locator("body").innerText(), /link/i));
  await soon(async () => assert.match(await page.locator("body").innerText(), /damaged|cannot/i));
});

// The seed's walk-through in the page: play, scrub, branch, break, command, ask.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const STEPS = ["hello-0:[server]", "world-0:[server, sidecar]", "world-1:[server, sidecar]"];

/** Plays the loaded example until its deploy plan is done, and stops the clock. */
async function deployed(page) {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  return on;
}

journey("the page opens with an example loaded and not yet run", {}, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  for (const step of STEPS) {
    await soon(async () => assert.equal(await on.status(step), "PENDING"));
  }
  await soon(async () => assert.equal(await on.now(), 0));
  await on.editor().waitFor();
});

journey("pressing play takes the walk-through to COMPLETE", {}, async ({ page, shot }) => {
  const on = playground(page);
  // Slow enough for every status to be seen on a slow machine, too.
  await on.speed("2×");
  await on.play();
  for (const status of ["PREPARED", "STARTING", "STARTED", "COMPLETE"]) {
    await on.shows(STEPS[0], status);
  }
  await shot("on the way");
  await on.fast();
  await on.shows("deploy", "COMPLETE");
  for (const step of STEPS) {
    await soon(async () => assert.equal(await on.status(step), "COMPLETE"));
  }
  await soon(async () => assert.equal(await on.status("recovery"), "COMPLETE"));
  await shot("done");
});

journey("a scrub back shows the earlier tree, and forward the later one again", {}, async ({ page }) => {
  const on = await deployed(page);
  const end = await on.text();
  const head = await on.now();
  await on.slider.focus();
  await page.keyboard.press("Home");
  await on.shows("deploy", "PENDING");
  await soon(async () => assert.equal(await on.status(STEPS[2]), "PENDING"));
  await soon(async () => assert.equal(await on.now(), 0));
  await page.keyboard.press("End");
  await on.shows("deploy", "COMPLETE");
  await soon(async () => assert.equal(await on.text(), end));
  await soon(async () => assert.equal(await on.now(), head));
});

journey("a command in the past opens a branch and the original is kept", {}, async ({ page, shot }) => {
  const on = await deployed(page);
  const head = await on.now();
  await on.slider.focus();
  await page.keyboard.press("Home");
  await on.shows("deploy", "PENDING");
  await on.command("deploy", /^Interrupt/);
  await page.getByRole("region", { name: "Messages" }).getByText(/branch/i).first().waitFor();
  await on.shows("deploy", "WAITING");
  const branches = on.dock.getByRole("tablist", { name: "Branches" }).getByRole("tab");
  await branches.nth(1).waitFor();
  await soon(async () => assert.equal(await branches.count(), 2));
  await shot("two branches");
  await branches.first().click();
  await on.slider.focus();
  await page.keyboard.press("End");
  await on.shows("deploy", "COMPLETE");
  await soon(async () => assert.equal(await on.now(), head));
});

journey("a killed task comes back through the recovery plan", {}, async ({ page, shot }) => {
  const on = await deployed(page);
  await soon(async () => assert.equal(await on.tree.getByRole("row").filter({ hasText: "hello-0:[server]" }).count(), 1));
  await on.command(STEPS[0], "hello-0-server: Fail this task");
  await on.play();
  await on.tree.getByRole("row").filter({ hasText: "hello-0:[server]" }).nth(1).waitFor();
  await on.shows("recovery", "COMPLETE");
  await shot("recovered");
  await soon(async () => assert.equal(await on.status("deploy"), "COMPLETE", "the deploy plan has nothing to do with it"));
  await on.tab("Log");
  await on.inspector.getByText(/hello-0-server/).first().waitFor();
});

journey("a canary is continued from the tree", {}, async ({ page }) => {
  const on = playground(page);
  await on.example(/Canary/);
  await on.shows("web-deploy", "WAITING");
  await soon(async () => assert.equal(await on.status("web-0:[server]"), "WAITING"));
  await soon(async () => assert.equal(await on.status("web-2:[server]"), "PENDING"));
  // The operator is faster than the script: both gates are open before the script reaches them.
  await on.command("web-deploy", /^Continue/);
  await on.shows("web-0:[server]", "PENDING");
  await on.stepTo("web-0:[server]", "COMPLETE");
  await soon(async () => assert.equal(await on.status("web-1:[server]"), "WAITING"));
  await on.command("web-deploy", /^Continue/);
  await on.shows("web-1:[server]", "PENDING");
  await on.stepTo("deploy", "COMPLETE");
});

journey("why says what a pending step waits for, and leads there", {}, async ({ page, shot }) => {
  const on = playground(page);
  await on.select(STEPS[2]);
  await on.tab("Why");
  const why = on.why();
  await why.getByRole("heading", { name: STEPS[2] }).waitFor();
  await soon(async () => assert.match(await why.innerText(), /serial/));
  const link = why.getByRole("button", { name: /PENDING|WAITING|IN_PROGRESS/ }).first();
  await link.waitFor();
  await shot("why");
  await link.click();
  await why.getByRole("heading", { name: /hello|world/ }).first().waitFor();
  // A command that is not allowed stays, with its reason.
  await on.select("recovery");
  const interrupt = why.getByRole("button", { name: /^Interrupt/ });
  await soon(async () => assert.equal(await interrupt.getAttribute("aria-disabled"), "true"));
  assert.match((await interrupt.innerText()).trim(), /Interrupt/);
  assert.notEqual(await interrupt.getAttribute("title"), null);
});

journey("a pod that fits nowhere says which machine lacks what", {}, async ({ page }) => {
  const on = playground(page);
  await on.example(/fits nowhere/);
  await on.stepTo("big-0:[server]", "PREPARED");
  // Five seconds on it has been offered machines, and the script has not yet helped.
  await on.slider.focus();
  await page.keyboard.press("ArrowRight");
  await on.select("big-0:[server]");
  await on.tab("Why");
  await on.why().getByRole("heading", { name: /Offers looked at/ }).waitFor();
  await on.why().getByRole("rowheader", { name: "small-1" }).waitFor();
  await soon(async () => assert.match(await on.why().innerText(), /cpus/));
});

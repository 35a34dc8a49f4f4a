// Stuck elements, their reasons and ways out: a way out has the effect that it announces.
import assert from "node:assert/strict";
import { SIZES, journey, soon } from "./harness.mjs";
import { playground, until } from "./playground.mjs";

journey("while offers are withheld the end of the fault is offered, and a machine is not", {}, async ({ page, shot }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "PREPARED");
  await on.select("deploy", 1);
  const why = on.why();
  // A plan's explanation opens on its deepest blocker.
  await why.getByText("Waits for", { exact: true }).waitFor();
  const end = why.getByRole("button", { name: /^End fault-1/ });
  await end.waitFor();
  assert.equal(await why.getByRole("button", { name: /Add a machine/ }).count(), 0, "it would change nothing");
  // The fix precedes the reasons, and no sentence occurs twice.
  const text = await why.innerText();
  assert.ok(text.indexOf("What would help") < text.indexOf("Commands"), text);
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line.length > 30);
  assert.equal(new Set(lines).size, lines.length, `twice the same:\n${text}`);
  await shot("withheld");
  await end.click();
  await on.play();
  await on.shows("hello-0:[server]", "(STARTING|STARTED|COMPLETE)");
  await on.pause();
});

journey("a finished step says where its time went, and its causes reach back to an input", {}, async ({ page, shot }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "COMPLETE");
  await on.select("hello-0:[server]");
  const why = on.why();
  await why.getByRole("heading", { name: /^Where its .* went$/ }).waitFor();
  const chain = why.locator("details", { hasText: "How it came to this" });
  await chain.locator("summary").click();
  await soon(async () => assert.ok((await chain.getByRole("listitem").count()) > 2, "a chain"));
  const last = chain.getByRole("listitem").last();
  assert.equal(await last.locator("use").getAttribute("href"), "#i-flag", `it ends at what somebody put in: ${await last.innerText()}`);
  await shot("finished");
});

const TOO_BIG = `name: big
pods:
  big:
    count: 1
    tasks:
      server: {goal: RUNNING, cmd: ./big, cpus: 64, memory: 256}
`;

/** Rolls out what fits on no machine, until nothing more happens. */
async function stuck(page, on) {
  await on.type(TOO_BIG);
  // Nothing has run yet, so the typed text is what runs.
  await page.getByRole("heading", { name: "Plans of big" }).waitFor();
  await on.fast();
  await on.play();
  const chip = on.dock.getByRole("group", { name: "Stuck" });
  await chip.waitFor({ timeout: 90_000 });
  return chip;
}

journey("a chip beside the clock says what is stuck and takes the way out", {}, async ({ page, shot }) => {
  const on = playground(page);
  const chip = await stuck(page, on);
  await shot("stuck");
  // The tree keeps its place with any message above it.
  const top = await on.tree.evaluate((element) => element.getBoundingClientRect().top);
  await chip.getByRole("button").first().click();
  await on.why().getByText("Offers looked at").or(on.why().getByText("What would help")).first().waitFor();
  assert.equal(await on.tree.evaluate((element) => element.getBoundingClientRect().top), top);
  const way = chip.getByRole("button").nth(1);
  await way.waitFor();
  await way.click();
  await chip.waitFor({ state: "hidden" });
  await shot("moving");
});

journey("a plan tells what failed first and folds away what passed", {}, async ({ page, shot }) => {
  const on = playground(page);
  const chip = await stuck(page, on);
  await chip.getByRole("button").first().click();
  const why = on.why();
  await why.getByRole("heading", { name: /Offers looked at/ }).waitFor();
  await until(page, "the failing requirement comes first", () => {
    const list = document.querySelector(".funnel .stages");
    return list?.firstElementChild?.getAttribute("data-family") === "error";
  });
  await why.getByText(/^Met by all/).first().waitFor();
  await shot("funnel");
});

journey("the row of what is stuck says so and takes the way out by keyboard", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await stuck(page, on);
  const row = on.tree.getByRole("row").filter({ hasText: "stuck because" }).first();
  await row.getByRole("gridcell").nth(3).getByRole("button").waitFor();
  await scan();
  await shot("row");
  // On a phone all of it stays within the page.
  await page.setViewportSize(SIZES.phone);
  await row.waitFor();
  await soon(async () => {
    const [seen, whole] = await on.tree.evaluate((tree) => [tree.clientWidth, tree.scrollWidth]);
    assert.ok(whole <= seen, `the tree is ${whole} wide in ${seen}`);
  });
  await shot("row-narrow");
  await page.setViewportSize(SIZES.desktop);
  await row.getByRole("gridcell").first().click();
  for (let cells = 0; cells < 4; cells += 1) {
    await page.keyboard.press("ArrowRight");
  }
  await page.keyboard.press("Enter");
  await row.waitFor({ state: "hidden" });
});

// The first minute: a web shop in plain words, one thing to dare, a gallery of questions; branches and times by name.
import assert from "node:assert/strict";
import { SIZES, journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const START = "?intro=0";

for (const [size, options] of [
  ["wide", { width: 1440, height: 900 }],
  ["narrow", { ...SIZES.phone, touch: true }],
]) {
  journey(`a visitor sees a shop rolled out and dares to lose a machine, ${size}`, { ...options, path: START }, async ({ page, scan, shot }) => {
    const on = playground(page);
    await page.getByRole("button", { name: "Examples: A web shop is rolled out" }).waitFor();
    await on.row("shop").waitFor();
    // In sight from the start, and why it does nothing yet is said.
    const later = page.getByRole("button", { name: /^Lose a machine now\s*: nothing runs yet; press Play/ });
    await later.waitFor();
    assert.equal(await later.getAttribute("aria-disabled"), "true");
    await shot("start");
    await on.play();
    const dare = page.getByRole("button", { name: "Lose a machine now", exact: true });
    await dare.waitFor();
    await on.pause();
    await shot("dare");
    await scan();
    await dare.click();
    await dare.waitFor({ state: "hidden" });
    // The first consequence is announced, and seen within fifteen seconds.
    const notice = page.getByText(/^The master notices at \d+:\d\d\.$/);
    await notice.waitFor();
    await on.pause();
    const [, minutes, seconds] = /at (\d+):(\d\d)/.exec(await notice.innerText());
    const due = 1000 * (60 * Number(minutes) + Number(seconds));
    const factor = Number.parseFloat(await page.getByRole("combobox", { name: "Speed" }).locator("option:checked").innerText());
    const wait = (due - (await on.now())) / factor;
    assert.ok(wait > 0 && wait <= 15_000, `${wait} ms at ${factor}×`);
    await shot("lost");
    await scan();
    await on.tab("Cluster");
    await on.inspector.getByRole("region", { name: "Failures in force" }).waitFor();
    await shot("dared");
    await on.tab(size === "narrow" ? "Plan" : "Log");
    await page.getByRole("button", { name: "Go there" }).click();
    await notice.waitFor({ state: "hidden" });
    assert.ok((await on.now()) >= due);
    await shot("noticed");
  });
}

journey("the gallery asks questions, and every example has a picture", { width: 1440, height: 900 }, async ({ page, scan, shot }) => {
  await page.getByRole("banner").getByRole("button", { name: /^Examples/ }).click();
  const dialog = page.getByRole("dialog", { name: "Examples" });
  const questions = await dialog.getByRole("heading", { level: 3 }).allInnerTexts();
  assert.ok(questions.length > 5 && questions.every((question) => question.startsWith("What happens")), questions.join("\n"));
  const cards = dialog.getByRole("listitem");
  const empty = await cards.evaluateAll((all) => all.filter((card) => !card.querySelector("svg rect")).map((card) => card.innerText));
  assert.ok(empty.length < 8, `only the cluster alone has no plans to draw: ${empty.join()}`);
  await shot("gallery");
  await scan();
});

for (const [size, options] of [
  ["wide", { width: 1280, height: 800 }],
  ["narrow", { ...SIZES.phone, touch: true }],
]) {
  journey(`a branch is called by what was done on it and is chosen, and a click on the clock goes to a time, ${size}`, options, async ({ page, scan, shot }) => {
    const on = playground(page);
    await on.fast();
    await on.play();
    await on.shows("deploy", "COMPLETE");
    await on.pause();
    await on.dock.getByRole("button", { name: /^Go to a time/ }).click();
    const field = on.dock.getByRole("textbox", { name: "Go to the time" });
    await field.fill("0:10");
    await page.keyboard.press("Enter");
    await soon(async () => assert.match(await on.slider.getAttribute("aria-valuetext"), /^10 seconds/));
    await page.keyboard.press("i");
    const dialog = page.getByRole("dialog", { name: "Inject a failure" });
    await dialog.getByRole("button", { name: "Lose a machine" }).click();
    await on.dock.getByRole("tab", { name: /lost at 0:10$/ }).waitFor();
    await shot("branch");
    const main = on.dock.getByRole("tablist", { name: "Branches" }).getByRole("tab", { name: "main" });
    await main.click();
    await on.answered();
    await soon(async () => assert.equal(await main.getAttribute("aria-selected"), "true"));
    await scan();
  });
}

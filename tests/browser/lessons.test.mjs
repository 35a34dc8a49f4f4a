// Lessons by keyboard: one is solved, one is lost and taken back, one is made of a run and played from its link.
import assert from "node:assert/strict";
import { SIZES, journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

/** Goes to an element with Tab and presses a key there, as somebody without a mouse does. */
async function press(page, locator, key = "Enter") {
  await locator.waitFor();
  await locator.focus();
  await soon(async () => assert.ok(await locator.evaluate((element) => element === document.activeElement)));
  await page.keyboard.press(key);
}

const lesson = (page) => page.getByRole("region", { name: "Lesson", exact: true }).first();
const checks = (page) => page.getByRole("list").filter({ hasText: "Three servers stay available." });
const state = (page, pattern) => lesson(page).getByRole("status").filter({ hasText: pattern }).first().waitFor();
const button = (page, name) => lesson(page).getByRole("button", { name });

/** Plays at the fastest until the clock stops by itself. */
async function playOn(page, pattern) {
  await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
  await page.getByRole("heading", { name: "Checks" }).click();
  await page.keyboard.press("Space");
  await state(page, pattern);
}

journey("a lesson is chosen, predicted, solved and followed by the next, by keyboard", {}, async ({ page, scan, shot }) => {
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Lessons" });
  await dialog.waitFor();
  await scan();
  await shot("course");
  await press(page, dialog.getByRole("button", { name: /^A canary/ }));
  await page.waitForURL(/#lesson=canary$/);
  await state(page, /Answer the question/);
  await scan();
  await shot("question");
  // Time does not run before the question is answered.
  await page.keyboard.press("Space");
  await page.getByRole("alert").filter({ hasText: "Answer the question" }).waitFor();
  await press(page, button(page, "COMPLETE"));
  await state(page, /0 of 2 goals met/);
  await shot("open");
  const on = playground(page);
  await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
  await page.getByRole("heading", { name: "Checks" }).click();
  await page.keyboard.press("Space");
  await on.shows("deploy", "WAITING");
  await page.keyboard.press("Space");
  // A forbidden command is refused with the reason.
  await on.tab("Console");
  await page.getByRole("textbox", { name: "Command" }).fill("pod restart web-0");
  await page.keyboard.press("Enter");
  await page.getByText(/does not allow `pod restart`/).waitFor();
  await press(page, button(page, /Show a hint/));
  await lesson(page).getByText("The plan is not slow").waitFor();
  await press(page, lesson(page).getByText(/^Commands at this moment/));
  await press(page, button(page, /ontinue deploy\/web$/));
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Checks" }).click();
  await page.keyboard.press("Space");
  await state(page, /1 of 2 goals met/);
  await page.keyboard.press("Space");
  await press(page, button(page, /ontinue deploy\/web$/));
  await playOn(page, /^Passed at/);
  await lesson(page).getByRole("heading", { name: /^Passed, \d of 3 stars/ }).waitFor();
  // The run has shown the right answer, and the solution may be shown.
  await lesson(page).getByText("You said: COMPLETE").waitFor();
  await scan();
  await shot("passed");
  await press(page, lesson(page).getByText("Compare", { exact: true }));
  await press(page, button(page, "Compare with the solution"));
  await page.getByRole("heading", { name: "This run and the solution" }).waitFor();
  await press(page, button(page, /^Next: /));
  await page.waitForURL(/#lesson=status$/);
  await page.keyboard.press("l");
  await dialog.getByText("1 of 26 passed").waitFor();
  await page.keyboard.press("Escape");
  // It is still so when the page is loaded again.
  await page.reload();
  await lesson(page).waitFor();
  await page.keyboard.press("l");
  await dialog.getByText("1 of 26 passed").waitFor();
});

for (const theme of ["light", "dark"]) {
  journey(`a lost lesson says when and why and is taken back on a phone, ${theme}`, { ...SIZES.phone, touch: true, theme, path: "?lesson=canary" }, async ({ page, scan, shot }) => {
    await button(page, "WAITING").click();
    await button(page, /Show a hint/).click();
    await scan();
    await shot("lesson");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${overflow} px too wide`);
    await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
    await page.getByRole("button", { name: /^Play/ }).click();
    // Nothing is done: the first goal is lost, and the clock stops there.
    await state(page, /^Lost at 1:30/);
    await page.getByRole("button", { name: /^Play/ }).waitFor();
    await scan();
    await shot("lost");
    await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Plan", exact: true }).click();
    await page.getByRole("status").filter({ hasText: /^Lost at 1:30/ }).first().waitFor();
    await shot("lost-plan");
    await page.getByRole("button", { name: "Go back", exact: true }).click();
    await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Lesson", exact: true }).click();
    await state(page, /0 of 2 goals met/);
    await page.getByRole("heading", { name: /Lost/ }).waitFor({ state: "hidden" });
    await lesson(page).getByText("Compare", { exact: true }).click();
    await lesson(page).getByText(/^Try 1: Lost at 1:30/).waitFor();
  });
}

journey("a lesson is made of a run, played from its link and handed in", { path: "#lesson=canary" }, async ({ page, url, scan, shot }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const on = playground(page);
  await press(page, button(page, "WAITING"));
  await press(page, button(page, "Leave for the sandbox"));
  await page.getByRole("region", { name: "Definition" }).waitFor();
  await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
  await on.play();
  await on.shows("deploy", "WAITING");
  await on.pause();
  await on.command("web", /Continue/, 2);
  await on.play();
  await on.shows("web-0:[server]", "COMPLETE");
  await on.shows("deploy", "WAITING");
  await on.pause();
  await on.command("web", /Continue/, 2);
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await page.keyboard.press("l");
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Make a lesson from this run" }));
  const dialog = page.getByRole("dialog", { name: "Make a lesson from this run" });
  await dialog.getByRole("textbox", { name: "Title" }).fill("Our canary");
  await press(page, dialog.getByRole("button", { name: "Make the lesson and prove it" }));
  await dialog.getByText("the task is missing").waitFor();
  await dialog.getByRole("textbox", { name: /^Task/ }).fill("Let one server go first.\n\nThen the rest.");
  await dialog.getByRole("textbox", { name: /^Hints/ }).fill("Continue the phase web.");
  await dialog.getByRole("textbox", { name: /^Said when/ }).fill("That is a canary.");
  await scan();
  await shot("make");
  await press(page, dialog.getByRole("button", { name: "Make the lesson and prove it" }));
  await dialog.getByText(/runs were made to prove it/).waitFor();
  await shot("made");
  await press(page, dialog.getByRole("button", { name: "Copy its link" }));
  await page.getByText("Copied.").first().waitFor();
  const link = await copied();
  assert.match(link, /#l1:[\w-]+$/);

  // Somebody of the class opens it.
  await page.goto(url);
  await page.goto(link);
  await page.reload();
  await lesson(page).getByText("A lesson from a link").waitFor();
  await page.getByRole("heading", { name: "Our canary" }).first().waitFor();
  await playOn(page, /^Lost at/);
  await press(page, lesson(page).getByText("Hand in", { exact: true }));
  await lesson(page).getByRole("textbox", { name: "Your name" }).fill("Ada");
  await press(page, button(page, "Copy the link to hand in"));
  await page.getByText("Copied.").first().waitFor();
  const handed = await copied();
  assert.match(handed, /#h1:[\w-]+$/);

  await page.keyboard.press("l");
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Results of a class" }));
  const results = page.getByRole("dialog", { name: "Results of a class" });
  await results.getByRole("textbox", { name: "Links" }).fill(`${handed}\nnonsense`);
  await press(page, results.getByRole("button", { name: "Play them again" }));
  await results.getByRole("row", { name: /Ada Our canary not passed/ }).waitFor();
  await results.getByRole("row", { name: /Line 2/ }).waitFor();
  await scan();
  await shot("results");
});

journey("progress comes with a link, and blocked storage is said", { path: "#progress=canary.3.2.95000.0.0.0,status.2.1.60000.0.1.0" }, async ({ page, scan, shot }) => {
  await page.getByText("Progress taken over: 2 of 2 new or better.").waitFor();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Lessons" });
  await dialog.getByText("2 of 26 passed").waitFor();
  await dialog.getByText("passed, 3 of 3 stars").waitFor();
  await shot("passed");
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("blocked", "SecurityError"); } });
  });
  await page.reload();
  await page.keyboard.press("l");
  await dialog.getByRole("alert").filter({ hasText: "keeps nothing" }).waitFor();
  await scan();
});

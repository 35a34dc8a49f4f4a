// Actions that come before the page has drawn the previous one: each continues from the previous result, and no typed
// text is lost.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { atOnce, playground, until } from "./playground.mjs";

const TEMPLATE = `name: {{FRAMEWORK_NAME}}
pods:
  node:
    count: {{NODE_COUNT}}
    tasks:
      server:
        goal: RUNNING
        cmd: ./node
        cpus: 0.5
        memory: 128
`;

const definition = (page) => page.getByRole("region", { name: "Definition" });
const value = (page, name) => definition(page).getByRole("textbox", { name: `Value of ${name}` });

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

journey("usual values leave alone what was typed just before", {}, async ({ page }) => {
  const on = playground(page);
  await opened(page, TEMPLATE);
  const fill = definition(page).getByRole("button", { name: "Fill in usual values" });
  await fill.waitFor();
  await atOnce(page, [value(page, "FRAMEWORK_NAME"), "type", "mine"], [fill, "click"]);
  await on.shows("node-1:[server]", "PENDING");
  await soon(async () => assert.equal(await value(page, "FRAMEWORK_NAME").inputValue(), "mine"));
});

journey("a value being typed outlives what arrives meanwhile", {}, async ({ page }) => {
  const on = playground(page);
  await opened(page, TEMPLATE);
  const name = value(page, "FRAMEWORK_NAME");
  await name.focus();
  await page.keyboard.type("mi");
  await atOnce(page, [value(page, "NODE_COUNT"), "type", "3"]);
  // The other row is drawn anew, and so is the table once the definition was read.
  await definition(page).getByRole("button", { name: "Remove NODE_COUNT" }).waitFor();
  await soon(async () => assert.equal(await name.inputValue(), "mi"));
  await page.keyboard.type("ne");
  await page.getByRole("heading", { name: "Plans of mine" }).waitFor();
  await on.shows("node-2:[server]", "PENDING");
  await soon(async () => assert.equal(await name.inputValue(), "mine"));
});

journey("machines are added as the form was filled in last, and once", {}, async ({ page }) => {
  const on = playground(page);
  await on.tab("Cluster");
  await on.inspector.getByRole("button", { name: "Add machines" }).click();
  const dialog = page.getByRole("dialog", { name: "Add machines" });
  const field = (name) => dialog.getByRole("textbox", { name });
  const add = dialog.getByRole("button", { name: /^Add/ });
  await field("How many").fill("none");
  await until(page, "the form says what is wrong", (button) => button.getAttribute("aria-disabled") === "true", await add.elementHandle());
  await atOnce(
    page,
    [field("How many"), "type", "3"],
    [field("Hostname"), "type", "extra-{n}"],
    [field("Attributes"), "type", "rack: r7"],
    [add, "click"],
    [add, "click"],
  );
  await dialog.waitFor({ state: "hidden" });
  await on.inspector.getByRole("article", { name: "extra-1" }).getByText("rack: r7").waitFor();
  await soon(async () => assert.equal(await on.inspector.getByRole("article", { name: /^extra-/ }).count(), 3));
});

journey("a failure lasts as long as was typed last", {}, async ({ page }) => {
  const on = playground(page);
  await on.tab("Cluster");
  await on.inspector.getByRole("button", { name: "Inject a failure" }).click();
  const dialog = page.getByRole("dialog", { name: "Inject a failure" });
  await dialog.getByRole("radio", { name: /^Lose a machine/ }).check();
  const seconds = dialog.getByRole("textbox", { name: /^For how many seconds/ });
  await atOnce(page, [seconds, "type", "7"], [dialog.getByRole("button", { name: /^Lose a machine/ }), "click"]);
  await dialog.waitFor({ state: "hidden" });
  await on.inspector.getByRole("region", { name: "Failures in force" }).getByText(/until 00:07/).waitFor();
});

journey("both halves of the log's filter count", {}, async ({ page }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "COMPLETE");
  await on.tab("Log");
  const text = on.inspector.getByRole("searchbox", { name: "Filter events by text" });
  const level = on.inspector.getByRole("combobox", { name: "Which events" });
  await atOnce(page, [text, "type", "world"], [level, "pick", "low"]);
  const rows = on.inspector.getByRole("log", { name: "Events" });
  await until(
    page,
    "the level is drawn",
    (select) => select.selectedOptions[0].hasAttribute("selected") || select.value === "low",
    await level.elementHandle(),
  );
  await rows.getByText("hello-0", { exact: false }).first().waitFor({ state: "detached" });
  assert.deepEqual([await text.inputValue(), await level.inputValue()], ["world", "low"]);
});

journey("keys in the tree, on the slider, on tabs and on borders go on from each other", {}, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  const first = on.row("deploy");
  await first.getByText("deploy", { exact: true }).click();
  await atOnce(page, [first, "press", "ArrowDown"], [first, "press", "ArrowDown"]);
  await on.tree.getByRole("row", { selected: true }).filter({ hasText: "hello-0:[server]" }).waitFor();

  await atOnce(page, [on.slider, "press", "ArrowRight"], [on.slider, "press", "ArrowRight"]);
  await until(page, "ten seconds have passed", (slider) => slider.getAttribute("aria-valuenow") === "10000", await on.slider.elementHandle());

  const why = on.inspector.getByRole("tab", { name: "Why" });
  await why.focus();
  await atOnce(page, [why, "press", "ArrowRight"], [why, "press", "ArrowRight"]);
  await on.inspector.getByRole("tab", { name: "Pods", selected: true }).waitFor();

  const border = page.getByRole("separator", { name: "Timeline height" });
  const before = Number(await border.getAttribute("aria-valuenow"));
  await atOnce(page, [border, "press", "ArrowUp"], [border, "press", "ArrowUp"]);
  await until(page, "the border moved twice", ([element, wanted]) => Number(element.getAttribute("aria-valuenow")) === wanted, [
    await border.elementHandle(),
    before + 32,
  ]);
});

journey("the console takes the line as it is typed", {}, async ({ page }) => {
  const on = playground(page);
  await on.tab("Console");
  const line = on.inspector.getByRole("textbox", { name: "Command" });
  const reads = async (text) =>
    until(page, `the line reads "${text}"`, ([element, wanted]) => element.value === wanted, [await line.elementHandle(), text]);
  await line.focus();
  await atOnce(page, [line, "type", "pl"], [line, "press", "Tab"], [line, "more", "stat"], [line, "press", "Tab"]);
  await reads("plan status ");
  await atOnce(page, [line, "type", "help"], [on.inspector.getByRole("button", { name: "Run the command" }), "click"], [line, "more", "p"]);
  await on.inspector.getByRole("log", { name: "Answers" }).getByText(/Usage:/).first().waitFor();
  await reads("p");
});

journey("the second of two clicks undoes nothing and removes nothing more", {}, async ({ page }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "STARTED");
  const before = await on.now();
  await on.dock.getByRole("button", { name: "Start over" }).click();
  await on.shows("deploy", "PENDING");
  const undo = page.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Undo" });
  await atOnce(page, [undo, "click"], [undo, "click"]);
  await undo.waitFor({ state: "detached" });
  await on.shows("hello-0:[server]", "STARTED");
  assert.equal(await on.now(), before);

  await on.row("world", 2).hover();
  await on.row("world", 2).getByRole("button", { name: "Commands for world" }).click();
  const interrupt = page.getByRole("menu").getByRole("menuitem", { name: /^Interrupt/ });
  await atOnce(page, [interrupt, "click"], [interrupt, "click"]);
  await on.shows("world", "WAITING", 2);
  assert.equal(await page.getByRole("region", { name: "Messages" }).getByRole("alert").count(), 0, "asked for once");

  const service = (name) => TEMPLATE.replace("{{FRAMEWORK_NAME}}", name).replace("{{NODE_COUNT}}", "1");
  for (const name of ["second", "third"]) {
    await opened(page, service(name), true);
    await on.row(name, 1).waitFor();
  }
  const services = definition(page).getByRole("tablist", { name: "Services" });
  await services.getByRole("tab", { name: "hello-world" }).click();
  const remove = definition(page).getByRole("button", { name: /^Remove the service hello-world/ });
  await remove.waitFor();
  await atOnce(page, [remove, "click"], [remove, "click"]);
  await on.row("hello-world", 1).waitFor({ state: "detached" });
  await on.row("second", 1).waitFor();
  await on.row("third", 1).waitFor();
});

journey("the clock goes on after a pause that was never drawn", {}, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  await on.play();
  await until(page, "the clock runs", (slider) => Number(slider.getAttribute("aria-valuenow")) > 0, await on.slider.elementHandle());
  // The next frame is kept back until it can come between the pause and the play.
  await page.evaluate(() => {
    globalThis.kept = [];
    globalThis.frame = window.requestAnimationFrame;
    window.requestAnimationFrame = (callback) => kept.push(callback);
  });
  await until(page, "a frame is asked for", () => kept.length > 0);
  const before = await on.now();
  await page.evaluate(() => {
    window.requestAnimationFrame = globalThis.frame;
    const space = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true }));
    space();
    for (const callback of kept) callback(performance.now());
    space();
  });
  await until(page, "the clock goes on", ([slider, was]) => Number(slider.getAttribute("aria-valuenow")) > was, [
    await on.slider.elementHandle(),
    before,
  ]);
});

journey("the focus comes as soon as its place is there, unless it was put elsewhere", {}, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  const filter = page.getByRole("searchbox", { name: "Filter steps" });
  const handle = await filter.elementHandle();
  const show = (hidden) => handle.evaluate((field, on) => field.toggleAttribute("hidden", on), hidden);
  const frames = () =>
    page.evaluate(async () => {
      for (let n = 0; n < 12; n += 1) await new Promise((done) => requestAnimationFrame(done));
    });
  const holds = () => handle.evaluate((field) => field === document.activeElement);

  await show(true);
  await page.keyboard.press("/");
  await frames();
  await show(false);
  await until(page, "the filter has the focus", (field) => field === document.activeElement, handle);

  await on.row("hello").getByText("hello", { exact: true }).click();
  await show(true);
  await page.keyboard.press("/");
  await on.row("world").getByText("world", { exact: true }).click();
  await show(false);
  await frames();
  assert.equal(await holds(), false);
});

journey("typing goes on in the rich editor when it comes in place of the plain field", {}, async ({ page }) => {
  let come;
  const held = new Promise((done) => {
    come = done;
  });
  await page.route(/\/editor\/editor-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  const plain = definition(page).getByRole("textbox", { name: /^Text of/ });
  await plain.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# abc");
  come();
  const rich = definition(page).getByRole("textbox", { name: "Definition" });
  await rich.waitFor();
  await plain.waitFor({ state: "detached" });
  await until(page, "the rich editor has the focus", (field) => field === document.activeElement, await rich.elementHandle());
  await page.keyboard.type("de");
  await soon(async () => assert.match(await rich.innerText(), /^# abcde/));
});

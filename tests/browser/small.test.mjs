// Small screens: a phone upright and held sideways, a tablet's drawer.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const box = (locator) => locator.evaluate((element) => {
  const { top, bottom, left, right, height, width } = element.getBoundingClientRect();
  return { top, bottom, left, right, height, width };
});

journey("a phone has one bar of tabs, hints that speak of touch, and messages beside the console", { width: 390, height: 844, touch: true }, async ({ page, shot }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  await page.getByText("Tap Play").waitFor();
  await soon(async () => assert.equal(await page.getByText("Press Space").isVisible(), false));
  const name = await box(page.getByRole("heading", { name: "Planarium" }));
  assert.ok(name.height < 40, "the name does not wrap");
  const pane = (label) => page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: label, exact: true });
  for (const label of ["Why", "Pods", "Cluster", "Log"]) {
    await pane(label).click();
    assert.equal(await page.getByRole("tablist", { name: "Inspector" }).isVisible(), false, "one bar of tabs");
  }
  await pane("Console").click();
  await page.getByRole("textbox", { name: "Command" }).fill("plann status deploy");
  await page.keyboard.press("Enter");
  // A typo is answered by one line and the nearest command, which a tap writes.
  await page.getByText("did you mean 'plan'?").waitFor();
  assert.equal(await page.getByText("Usage:").isVisible(), false, "the table is folded away");
  await shot("typo");
  await page.getByRole("button", { name: "plan status deploy" }).last().click();
  await soon(async () => assert.equal(await page.getByRole("textbox", { name: "Command" }).inputValue(), "plan status deploy"));
  await page.getByRole("button", { name: "Copy everything" }).click();
  const message = page.getByRole("region", { name: "Messages" }).getByRole("status").or(page.getByRole("region", { name: "Messages" }).getByRole("alert")).first();
  await message.waitFor();
  const [said, line] = [await box(message), await box(page.getByRole("textbox", { name: "Command" }))];
  assert.ok(said.bottom < line.top || said.top > line.bottom, "the message leaves the line free");
  await shot("console");
});

for (const [width, height] of [[390, 844], [844, 390]]) {
  journey(`messages cover neither the narration, nor the bar of the selected element, nor the transport, ${width}x${height}`, { width, height, touch: true }, async ({ page, shot }) => {
    const on = playground(page);
    await page.keyboard.press(">");
    await on.answered();
    // A command in the past, and one that is refused: both are told.
    await on.slider.focus();
    await page.keyboard.press("Home");
    await on.shows("deploy", "PENDING");
    await on.command("deploy", /^Interrupt/, 1);
    const messages = page.getByRole("region", { name: "Messages" });
    await messages.getByText(/./).first().waitFor();
    await on.answered();
    await shot("message");
    const boxes = (selector) =>
      page.locator(selector).evaluateAll((all) =>
        all.filter((one) => one.checkVisibility()).map((one) => {
          const { top, bottom, left, right } = one.getBoundingClientRect();
          return { top, bottom, left, right };
        }),
      );
    const said = await boxes(".toast");
    assert.ok(said.length > 0, "something is told");
    const free = [...(await boxes(".status-line")), ...(await boxes(".selected-bar")), ...(await boxes(".transport"))];
    assert.equal(free.length, width < 768 ? 3 : 2, "narration and transport are seen, and a bar on a narrow screen");
    for (const toast of said) {
      assert.ok(toast.top >= 0 && toast.bottom <= height && toast.left >= 0 && toast.right <= width, JSON.stringify(toast));
      for (const other of free) {
        const apart = toast.bottom <= other.top || toast.top >= other.bottom || toast.right <= other.left || toast.left >= other.right;
        assert.ok(apart, `${JSON.stringify(toast)} covers ${JSON.stringify(other)}`);
      }
    }
  });
}

for (const [width, height] of [[844, 390], [667, 375]]) {
  journey(`a phone held sideways shows the tree, ${width} wide`, { width, height, touch: true }, async ({ page, shot }) => {
    const on = playground(page);
    await on.shows("deploy", "PENDING");
    const tree = await box(on.tree);
    assert.ok(tree.height >= 100, `${tree.height} pixels of tree`);
    assert.ok(tree.bottom <= height, "all of it on the screen");
    await shot("tree");
  });
}

journey("the drawer of a tablet closes and opens", { width: 900, height: 1100 }, async ({ page, shot }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  const definition = page.getByRole("region", { name: "Definition" });
  const drawer = page.getByRole("banner").getByRole("button", { name: "Editor" });
  await definition.waitFor();
  const before = await box(on.tree);
  await drawer.click();
  await definition.waitFor({ state: "hidden" });
  const after = await box(on.tree);
  assert.ok(after.width > before.width + 200, "the tree takes the room");
  await shot("shut");
  await drawer.click();
  await definition.waitFor();
  // Escape leaves it, too.
  await definition.getByRole("tab").first().focus();
  await page.keyboard.press("Escape");
  await definition.waitFor({ state: "hidden" });
});

journey("keys have their place in the dialog, and the palette finds what is meant", {}, async ({ page, shot }) => {
  const on = playground(page);
  await on.stepTo("hello-0:[server]", "COMPLETE");
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  const overlaps = await dialog.evaluate((element) =>
    [...element.querySelectorAll("dl > div")].filter((row) => {
      const [key, words] = [row.querySelector("kbd"), row.querySelector("dd")].map((part) => part.getBoundingClientRect());
      return key.right > words.left + 1;
    }).length,
  );
  assert.equal(overlaps, 0, "keys over words");
  await shot("keys");
  await page.keyboard.press("Escape");
  const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  const found = async (text) => {
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox", { name: /^Find/ }).fill(text);
    await drawn();
    const words = await page.getByRole("listbox").getByRole("option").allInnerTexts();
    await page.keyboard.press("Escape");
    return words.slice(0, 6).map((one) => one.replaceAll(/\s+/g, " "));
  };
  assert.match((await found("kill"))[0], /^Kill hello-0-server/);
  assert.match((await found("crash"))[0], /^Crash hello-0-server/);
  assert.match((await found("lose agent"))[0], /^Lose the machine/);
  assert.match((await found("theme"))[0], /^Colours/);
  // Among equal entries, recently used ones come first.
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: /^Find/ }).fill("theme dark");
  await drawn();
  await page.keyboard.press("Enter");
  assert.match((await found("theme"))[0], /^Colours: dark/);
});

journey("the example menu tells system, difficulty and what each teaches", {}, async ({ page, shot }) => {
  await page.getByRole("banner").getByRole("button", { name: /^Examples/ }).click();
  const card = page.getByRole("dialog").getByRole("button", { name: /Hello, world/ });
  await soon(async () => assert.match(await card.innerText(), /SDK/));
  await shot("gallery");
});

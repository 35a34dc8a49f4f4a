// Keyboard, themes, small screens, accessibility.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { playground, until } from "./playground.mjs";

const WIDTHS = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };

journey("the whole walk-through by keyboard alone", {}, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to the plan" });
  await soon(async () => assert.ok(await skip.evaluate((element) => element === document.activeElement), "the first stop is the way past the head"));
  await page.keyboard.press("Enter");
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest("[role=row]")?.innerText.replaceAll(/\s+/g, " ").trim() ?? "");
  const onRow = (what, name, value) =>
    until(
      page,
      what,
      ([attribute, wanted]) =>
        document.activeElement?.getAttribute("role") === "row" && (!attribute || document.activeElement.getAttribute(attribute) === wanted),
      [name, value],
    );
  await onRow("the link goes to a row");
  await page.keyboard.press("Home");
  await onRow("Home goes to the first row", "aria-rowindex", "1");
  await soon(async () => assert.match(await focused(), /^deploy/));
  await page.keyboard.press("ArrowDown");
  await onRow("Down goes to the next row", "aria-rowindex", "2");
  await soon(async () => assert.match(await focused(), /^hello/));
  await page.keyboard.press("ArrowLeft");
  await onRow("Left shuts the row", "aria-expanded", "false");
  await soon(async () => assert.equal(await on.tree.getByText("hello-0:[server]", { exact: true }).count(), 0));
  await page.keyboard.press("ArrowRight");
  await onRow("Right opens the row", "aria-expanded", "true");
  await page.keyboard.press("ArrowRight");
  await until(page, "Right again goes to a cell", () => document.activeElement?.getAttribute("role") === "gridcell");
  await page.keyboard.press("ArrowLeft");
  await onRow("Left goes back to the row");
  // The clock, the menu and the commands have keys.
  for (let n = 0; n < 10; n += 1) {
    await page.keyboard.press("+");
  }
  await page.keyboard.press("Space");
  await on.shows("hello-0:[server]", "COMPLETE");
  await on.shows("deploy", "COMPLETE");
  await page.keyboard.press("Space");
  await on.dock.getByRole("button", { name: /^Play/ }).waitFor();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "hidden" });
  await onRow("the menu gives the focus back");
  await page.keyboard.press("r");
  await on.shows("hello", "PENDING");
  await on.stepTo("hello", "COMPLETE");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
});

journey("colours follow the choice and the choice is kept", {}, async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  const button = page.getByRole("banner").getByRole("button", { name: /^Colours/ });
  await button.click();
  await page.getByRole("banner").getByRole("button", { name: "Colours: light" }).waitFor();
  await soon(async () => assert.equal(await background(), light));
  await button.click();
  await page.getByRole("banner").getByRole("button", { name: "Colours: dark" }).waitFor();
  await page.waitForFunction((before) => getComputedStyle(document.body).backgroundColor !== before, light);
  const dark = await background();
  await page.reload();
  await page.getByRole("treegrid").waitFor();
  await soon(async () => assert.equal(await background(), dark));
});

for (const [name, size] of Object.entries(WIDTHS)) {
  for (const theme of ["light", "dark"]) {
    journey(`no accessibility fault, ${name} and ${theme}`, { ...size, theme, reducedMotion: true }, async ({ page, scan, shot }) => {
      const on = playground(page);
      await on.shows("deploy", "PENDING");
      await scan();
      await on.speed("2×");
      await on.play();
      await on.shows("hello-0:[server]", "STARTED");
      await scan();
      await on.select("world-1:[server, sidecar]");
      if (name === "narrow") {
        await page.getByRole("button", { name: "Why?" }).click();
      }
      await page.getByRole("heading", { name: "world-1:[server, sidecar]" }).waitFor();
      await scan();
      await shot("why");
      for (const pane of ["Cluster", "Log"]) {
        const button = name === "narrow"
          ? page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: pane })
          : on.inspector.getByRole("tab", { name: pane });
        await button.click();
        await scan();
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
    });
  }
}

journey("on a phone every pane is one tap away", { ...WIDTHS.narrow, touch: true }, async ({ page, shot }) => {
  const on = playground(page);
  const pane = (name) => page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name });
  await on.shows("deploy", "PENDING");
  await pane("Edit").click();
  await on.editor().waitFor();
  await shot("edit");
  await pane("Cluster").click();
  await page.getByRole("article").first().waitFor();
  await pane("Log").click();
  await pane("Plan").click();
  await on.shows("deploy", "PENDING|IN_PROGRESS");
  const small = await page.getByRole("navigation", { name: "Panes" }).getByRole("button").evaluateAll((buttons) =>
    buttons.filter((button) => button.getBoundingClientRect().height < 44).length,
  );
  assert.equal(small, 0, "targets are at least 44 pixels high");
});

// The command palette: everything by name, without a mouse.
import assert from "node:assert/strict";
import { SIZES, journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const palette = (page) => page.getByRole("dialog", { name: "Commands" });

async function called(page, words) {
  await page.keyboard.press("Control+k");
  await palette(page).getByRole("combobox").fill(words);
}

journey("the palette finds commands, elements and examples by name", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  await called(page, "interrupt");
  await scan();
  await shot("open");
  await soon(async () => assert.match(await palette(page).getByRole("option", { selected: true }).innerText(), /Interrupt deploy/));
  await page.keyboard.press("Enter");
  await on.shows("deploy", "WAITING");

  // An element: it is selected and has the focus.
  await called(page, "go world-1");
  await page.keyboard.press("Enter");
  await palette(page).waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("world-1"));
  await page.getByRole("heading", { name: "world-1:[server, sidecar]" }).waitFor();

  // A refused entry stays, with its reason, and does nothing.
  await called(page, "roll the definition");
  const refused = palette(page).getByRole("option").first();
  await soon(async () => assert.equal(await refused.getAttribute("aria-disabled"), "true"));
  await soon(async () => assert.match(await refused.innerText(), /nothing was edited/));
  await page.keyboard.press("Enter");
  await palette(page).getByRole("combobox").fill("canary");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await on.shows("web-deploy", "WAITING");

  await called(page, "nothing of this name");
  await palette(page).getByText("Nothing of that name.").waitFor();
  await page.keyboard.press("Control+k");
  await palette(page).waitFor({ state: "hidden" });
});

journey("keys that come faster than the list is drawn mean what was typed", {}, async ({ page }) => {
  const on = playground(page);
  await on.shows("deploy", "PENDING");
  await page.keyboard.press("Control+k");
  await palette(page).getByRole("combobox").evaluate((field) => {
    const press = (key) => field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    field.value = "interrupt";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    for (const key of ["ArrowDown", "ArrowUp", "Enter", "Enter"]) press(key);
  });
  await on.shows("deploy", "WAITING");
  await palette(page).waitFor({ state: "hidden" });
  assert.equal(await page.getByRole("region", { name: "Messages" }).getByRole("alert").count(), 0, "it is done once");
});

journey("on a phone the palette is a button away", { ...SIZES.phone, touch: true, theme: "dark" }, async ({ page, scan, shot }) => {
  await page.getByRole("banner").getByRole("button", { name: "Commands" }).click();
  await palette(page).getByRole("option").first().waitFor();
  const low = await palette(page).getByRole("option").evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 44).length);
  assert.equal(low, 0, "targets are at least 44 pixels high");
  await scan();
  await shot("phone");
});

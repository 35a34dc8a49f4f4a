// Every further system in the page: an example runs, shows its own words, and has its own panel; wide and narrow, light
// and dark.
import assert from "node:assert/strict";
import { SIZES, journey } from "./harness.mjs";
import { playground } from "./playground.mjs";

const WIDE = { width: 1440, height: 900 };

/** Example, the element that ends, its status at the end, the tab with the system's panel, the panel's name, what it says then. */
const SYSTEMS = [
  ["kudo-first-operator", "deploy", "COMPLETE", "Instance", "Instance shop", /Deployment\/shop-web/],
  ["quality-gate", "deploy", "failed", undefined, /^Plan of /, /Where it goes next|failed/],
  ["marathon-three-at-seventy-percent", "deployment-2", "Finished", "Apps", /^Apps of /, /healthy/],
];

for (const [example, element, status, tab, panel, says] of SYSTEMS) {
  for (const [size, options] of [
    ["wide and light", WIDE],
    ["narrow and dark", { ...SIZES.phone, touch: true, theme: "dark" }],
  ]) {
    journey(`${example}, ${size}`, { ...options, path: `?example=${example}` }, async ({ page, scan, shot }) => {
      const on = playground(page);
      if (!tab) {
        await on.looks("Rows");
      }
      await on.fast();
      await on.play();
      if (example.startsWith("marathon")) {
        // Finished deployments are folded.
        await on.select("Finished deployments");
        await page.keyboard.press("ArrowRight");
      }
      await on.shows(element, status);
      await on.pause();
      await shot("tree");
      await (tab ? on.tab(tab) : on.looks("Drawing"));
      const own = page.getByRole("region", { name: panel }).first();
      await own.getByText(says).first().waitFor();
      await shot("panel");
      await scan();
    });
  }
}

journey("a rolling restart shows its capacity with axes, beside the rows and in Why", { ...WIDE, path: "?example=marathon-three-at-seventy-percent" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.row("deployment-1").waitFor();
  const [first] = await on.tree.getByRole("row").allInnerTexts();
  assert.match(first, /deployment-1/, "the running deployment stands first");
  await on.speed("8×");
  await on.play();
  await on.row("deployment-2").waitFor();
  const below = page.getByRole("group", { name: "In brief" });
  const curve = below.getByRole("img", { name: /^Restart of \/web from / });
  await curve.waitFor();
  await on.pause();
  await curve.getByText("0:", { exact: false }).first().waitFor();
  await on.select("deployment-2");
  await on.inspector.getByRole("img", { name: /^Restart of \/web from / }).waitFor();
  await on.row("web").getByText(/^\d\/3$/).waitFor();
  await shot("curve");
  await scan();
});

journey("each system offers its own failures", { ...WIDE, path: "?example=kudo-first-operator" }, async ({ page }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await page.keyboard.press("i");
  const dialog = page.getByRole("dialog", { name: "Inject a failure" });
  await dialog.getByRole("radio", { name: /^Take an image away/ }).waitFor();
  assert.equal(await dialog.getByRole("radio", { name: /offers|master/i }).count(), 0);
  await dialog.getByRole("radio", { name: /^Lose a node/ }).check();
  const target = await dialog.getByRole("combobox", { name: "Which machine" }).inputValue();
  await dialog.getByRole("button", { name: "Lose a node" }).click();
  await on.tab("Cluster");
  await on.inspector.getByText(target).first().waitFor();
});

journey("four systems on the same machines", { ...WIDE, path: "?example=marathon-beside-the-others" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  for (const system of ["DC/OS SDK", "Marathon", "KUDO", "Skopos"]) {
    await on.tree.getByText(`(${system})`).first().or(on.tree.getByTitle(new RegExp(`\\(${system}\\)`))).first().waitFor();
  }
  await on.pause();
  await shot("trees");
  await on.tab("Cluster");
  await shot("machines");
  await scan();
});

// Every further system in the page: an example of it runs, shows its own words, and has a panel of its own; wide and narrow, light
// and dark.
import { SIZES, journey } from "./harness.mjs";
import { playground } from "./playground.mjs";

const WIDE = { width: 1440, height: 900 };

/** Example, the element that ends, its status at the end, the panel's name, and what the panel says then. */
const SYSTEMS = [
  ["kudo-first-operator", "deploy", "COMPLETE", "Instance shop", /Deployment\/shop-web/],
  ["quality-gate", "deploy", "failed", /^Plan of /, /Where it goes next|failed/],
  ["marathon-three-at-seventy-percent", "deployment-2", "Finished", /^Apps of /, /healthy/],
];

for (const [example, element, status, panel, says] of SYSTEMS) {
  for (const [size, options] of [
    ["wide and light", WIDE],
    ["narrow and dark", { ...SIZES.phone, touch: true, theme: "dark" }],
  ]) {
    journey(`${example}, ${size}`, { ...options, path: `?example=${example}` }, async ({ page, scan, shot }) => {
      const on = playground(page);
      await on.fast();
      await on.play();
      await on.shows(element, status);
      await on.pause();
      await shot("tree");
      if (options.touch) {
        await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Cluster" }).click();
      }
      await on.tab("Pods");
      const own = page.getByRole("region", { name: panel }).first();
      await own.getByText(says).first().waitFor();
      await shot("panel");
      await scan();
    });
  }
}

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

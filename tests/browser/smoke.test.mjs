// The built page starts, at both widths and in both themes, and reports no error.
import assert from "node:assert/strict";
import { SIZES, journey } from "./harness.mjs";

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const theme of ["light", "dark"]) {
    journey(`the page starts on a ${size} in the ${theme} theme`, { ...viewport, theme }, async ({ page, shot }) => {
      assert.match(await page.title(), /Planarium/);
      assert.notEqual((await page.locator("#app").innerText()).trim(), "", "the page shows nothing");
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `the page is ${overflow} px wider than its window`);
      await shot("start");
    });
  }
}

journey("the page works from any folder of a host", { mount: "/some/folder/", path: "" }, async ({ page, url }) => {
  assert.equal(page.url(), url);
  assert.match(url, /\/some\/folder\/$/);
});

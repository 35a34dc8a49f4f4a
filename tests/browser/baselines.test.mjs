// Each system in the middle of a run looks as it did when its picture was kept: four sizes, both themes. `PLANARIUM_BLESS=1` keeps the
// pictures anew; look at them before they are committed.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { journey } from "./harness.mjs";
import { KEPT, apart, compared, reduced } from "./pictures.mjs";
import { FURTHER, SYSTEMS } from "./states.mjs";

/** The share of blocks that may differ. Another font differs in less, a pane that is gone or elsewhere in more, see the last journeys. */
const MOST = 0.01;
const SIZES = [[1440, 900], [1280, 800], [390, 844], [844, 390]];

const fileName = (system, width, height, theme) => `${system.toLowerCase().replaceAll(/[^a-z]+/g, "-")}-${width}x${height}-${theme}`;

/** A picture of the page once nothing moves any more. */
async function still(page) {
  await page.evaluate(() => document.fonts.ready);
  let before = "";
  for (let looks = 0; looks < 20; looks += 1) {
    const png = await page.screenshot({ animations: "disabled", caret: "hide" });
    if (png.toString("base64") === before) return png;
    before = png.toString("base64");
    await page.evaluate(() => new Promise((done) => setTimeout(done, 150)));
  }
  assert.fail("the page never came to rest");
}

const all = SYSTEMS.flatMap(([system, path, reach]) =>
  SIZES.flatMap(([width, height]) => ["light", "dark"].map((theme) => ({ system, path, reach, width, height, theme }))),
);

for (const { system, path, reach, width, height, theme } of all) {
  const options = { width, height, theme, path, touch: width < 500 || height < 500, reducedMotion: true };
  journey(`${system} at ${width}x${height}, ${theme}, looks as before`, options, async ({ page }) => {
    await reach(page);
    const name = fileName(system, width, height, theme);
    const share = await compared(await still(page), name, MOST);
    assert.notEqual(share, -1, `no picture is kept; PLANARIUM_BLESS=1 keeps one`);
    const percent = `${(100 * share).toFixed(1)} %`;
    assert.ok(share <= MOST, `${percent} of the page look different; shots/baseline-${name}.png has both, the kept one on the left`);
  });
}

/** States that are pictured of one page, with their names: the state itself, and its explanation where there is one. */
const pictured = ([state, , , why]) => [state, ...(why ? [`${state} why`] : [])];

for (const further of FURTHER) {
  const [state, path, reach, why] = further;
  // Loaded on a short screen, the page has its drawer shut there.
  journey(`${state}, looks as before in every size and theme`, { width: 844, height: 390, path, reducedMotion: true }, async ({ page }) => {
    const touch = await page.context().newCDPSession(page);
    await page.setViewportSize({ width: SIZES[0][0], height: SIZES[0][1] });
    await reach(page);
    const differ = [];
    for (const name of pictured(further)) {
      if (name !== state) await why(page);
      for (const [width, height] of SIZES) {
        const small = width < 500 || height < 500;
        await touch.send("Emulation.setTouchEmulationEnabled", { enabled: small });
        await page.setViewportSize({ width, height });
        for (const theme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
          const file = fileName(name, width, height, theme);
          const share = await compared(await still(page), file, MOST);
          if (share === -1) differ.push(`${file}: no picture is kept; PLANARIUM_BLESS=1 keeps one`);
          if (share > MOST) differ.push(`${file}: ${(100 * share).toFixed(1)} % look different; shots/baseline-${file}.png has both, the kept one on the left`);
        }
      }
    }
    assert.deepEqual(differ, []);
  });
}

test("every kept picture belongs to a state", async () => {
  const further = FURTHER.flatMap(pictured).flatMap((system) => SIZES.flatMap(([width, height]) => ["light", "dark"].map((theme) => ({ system, width, height, theme }))));
  const wanted = [...all, ...further].map(({ system, width, height, theme }) => `${fileName(system, width, height, theme)}.png`);
  assert.deepEqual((await readdir(KEPT)).sort(), wanted.sort());
});

/** Changes of the page, whether they have to be seen, and what is done: an element, a property of its style, a value. */
const CHANGES = [
  ["another font", false, "html", "--pl-font", "serif"],
  ["letters of one width", false, "html", "--pl-font", "monospace"],
  ["another font of code", false, "html", "--pl-mono", "serif"],
  ["no inspector", true, "#pane-inspector", "visibility", "hidden"],
  ["no timeline", true, "#dock", "visibility", "hidden"],
  ["no plan", true, ".tree-pane", "visibility", "hidden"],
  ["no editor", true, "#pane-editor", "visibility", "hidden"],
  ["no lanes", true, ".lanes", "visibility", "hidden"],
  ["a wider editor", true, "html", "--editor-size", "37%"],
  ["a higher timeline", true, "html", "--dock-size", "276px"],
];

const [, path, reach] = SYSTEMS[0];
journey("what is gone or elsewhere is seen, another font is not", { width: 1440, height: 900, path, reducedMotion: true }, async ({ page }) => {
  await reach(page);
  const before = reduced(await still(page));
  const set = (place, property, value) =>
    page.evaluate(
      ([selector, property, value]) => {
        const { style } = document.querySelector(selector);
        const old = style.getPropertyValue(property);
        style.setProperty(property, value);
        return old;
      },
      [place, property, value],
    );
  for (const [name, seen, place, property, value] of CHANGES) {
    const old = await set(place, property, value);
    const share = apart(before, reduced(await still(page)));
    if (process.env.PLANARIUM_SHARES) console.log(name, share);
    assert.equal(share > MOST, seen, `${name}: ${(100 * share).toFixed(1)} % of the page differ`);
    await set(place, property, old);
  }
});

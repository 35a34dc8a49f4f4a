// A second browser: a run that is played, broken and shared in Firefox is the same run in Chromium and natively.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { SIZES, journey, open, soon, started } from "./harness.mjs";
import { playground } from "./playground.mjs";

/** When the native engine is done with an example, and the digest that it gives, from the reviewed table. */
async function native(example) {
  const table = await readFile(new URL("../golden/digests.txt", import.meta.url), "utf8");
  const row = table.split("\n").find((line) => line.startsWith(`example ${example}: `));
  const [end, , digest] = row.split(": ")[1].split(" ");
  return { end: Number(end), digest };
}

/** Drags the thumb of the timeline to a share of its length. */
async function scrub(page, on, share) {
  const box = await on.slider.boundingBox();
  const thumb = await page.locator("circle.thumb").boundingBox();
  const y = thumb.y + thumb.height / 2;
  await page.mouse.move(thumb.x + thumb.width / 2, y);
  await page.mouse.down();
  for (const way of [0.25, 0.5, 0.75, 1]) {
    const from = thumb.x + thumb.width / 2;
    await page.mouse.move(from + (box.x + box.width * share - from) * way, y);
  }
  await page.mouse.up();
}

for (const [width, theme] of [[1440, "light"], [SIZES.phone.width, "dark"]]) {
  const options = { browser: "firefox", width, height: 900, theme };
  journey(`in Firefox a run is played, scrubbed, broken and shared (${width}, ${theme})`, options, async ({ page, scan, shot }) => {
    const on = playground(page);
    assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), theme === "dark");
    await shot("start");

    // Played: what the first example comes to with its last status change is what the native engine says.
    await on.fast();
    await on.play();
    await on.shows("deploy", "COMPLETE", 1);
    await on.pause();
    const head = await on.now();
    const { end, digest } = await native("hello-world");
    await page.keyboard.press("<");
    await soon(async () => assert.equal(await on.now(), end));
    assert.equal((await on.shared()).digest, digest);

    // Scrubbed.
    await scrub(page, on, 0.7);
    await soon(async () => assert.ok((await on.now()) < end, `${await on.now()} of ${head}`));
    await on.shows("deploy", "IN_PROGRESS", 1);

    // Broken: from here on it is another run.
    await page.keyboard.press("i");
    const fault = page.getByRole("dialog", { name: "Inject a failure" });
    await fault.getByRole("radio", { name: /^Lose a machine/ }).check();
    await shot("fault");
    await fault.getByRole("button", { name: "Lose a machine" }).click();
    await fault.waitFor({ state: "hidden" });
    await on.dock.getByText(/^agent-\d/).first().waitFor({ state: "attached" });
    await on.play();
    await soon(async () => assert.ok((await on.now()) > head, "the clock runs"));
    await on.pause();
    await scan();
    await shot("broken");

    // Shared: copied by the button, pasted by the keyboard.
    await page.getByRole("banner").getByRole("button", { name: "Share" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy the link" }).click();
    await page.getByText("Copied.").waitFor();
    await shot("share");
    await page.keyboard.press("Escape");
    const told = { ...(await on.shared()), now: await on.now(), rows: await on.text() };
    assert.match(told.link, /#p1:[\w-]+/);
    await page.getByRole("banner").getByRole("button", { name: "Open", exact: true }).click();
    const field = page.getByRole("dialog").getByRole("textbox");
    await field.click();
    await page.keyboard.press("ControlOrMeta+V");
    await soon(async () => assert.equal(await field.inputValue(), told.link));
    await page.keyboard.press("Escape");

    // Opened: the same run in another tab and in another browser.
    const tab = await page.context().newPage();
    await tab.goto(told.link);
    const chromium = await open(told.link, { width });
    for (const other of [tab, chromium.page]) {
      await started(other);
      const there = playground(other);
      await soon(async () => assert.equal(await there.now(), told.now));
      await soon(async () => assert.equal(await there.text(), told.rows));
      assert.equal((await there.shared()).digest, told.digest);
    }
    chromium.check();
    await chromium.close();
  });
}

// The documentation's own book, as `cargo xtask site` builds it. PLANARIUM_SITE names its folder; without it the tests are skipped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, scan, serve, soon } from "./harness.mjs";

const SITE = process.env.PLANARIUM_SITE;
const skip = SITE ? false : "the documentation's book was not built";

async function visited(file, steps) {
  const server = await serve(SITE, {}, "/book/");
  let opened;
  try {
    opened = await open(new URL(file, server.url).href, {});
    await steps(opened.page);
    opened.check();
  } finally {
    await opened?.close();
    await server.close();
  }
}

for (const [file, count] of [
  ["index.html", 3],
  ["systems/dcos-sdk.html", 5],
  ["systems/marathon.html", 3],
  ["systems/kudo.html", 4],
  ["systems/kubernetes.html", 3],
  ["systems/skopos.html", 4],
  ["systems/mesos.html", 3],
  ["guide.html", 1],
  ["examples/canary/index.html", 1],
]) {
  test(`every demo of ${file} plays`, { skip }, async () => {
    await visited(file, async (page) => {
      const embeds = page.locator("planarium-embed");
      assert.equal(await embeds.count(), count);
      for (let at = 0; at < count; at += 1) {
        const embed = embeds.nth(at);
        await embed.evaluate((it) => (it.speed = 64));
        await embed.evaluate((it) => it.seek(Math.max(0, it.duration - 1)));
        await embed.getByRole("button", { name: "Play" }).click();
        await soon(async () => assert.equal(await embed.evaluate((it) => it.playing || it.time < it.duration), false));
      }
      await scan(page, { include: "planarium-embed" });
    });
  });
}

// Attributes of a picture that the options of a fence become: autoplay, loop, theme, controls.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { journey, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-attributes-"));
after(() => rm(folder, { recursive: true, force: true }));
const planarium = (words, input = "") => execFileSync(PLANARIUM, words, { cwd: ROOT, input, encoding: "utf8" });
planarium(["embed", "--assets", folder]);

/** A page with a fence of these options, far below its top where `tall`. */
function page(options, tall = false) {
  const info = `planarium src="examples/canary" plan="deploy" speed="64" ${options}`;
  const picture = planarium(["embed", "--fence", "--info", info, "--root", "."]);
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="planarium-embed.css"><link rel="stylesheet" href="tall.css"><script src="planarium-embed.js" defer></script></head>
<body><main><p class="before">Before.</p>${picture}</main></body></html>`;
  return {
    boot: false,
    folder,
    extra: {
      "/": { type: "text/html; charset=utf-8", body },
      "/tall.css": { type: "text/css; charset=utf-8", body: tall ? ".before{height:3000px}" : "" },
    },
  };
}

const element = (page) => page.locator("planarium-embed").first();
const state = (page) => element(page).evaluate(({ playing, time, duration }) => ({ playing, time, duration }));

journey("autoplay begins when the picture is seen, and not before", page("autoplay", true), async ({ page: shown }) => {
  await element(shown).evaluate((it) => it.ready);
  const before = await state(shown);
  assert.equal(before.playing, false);
  assert.equal(before.time, before.duration, "it stands where the build drew it");
  await element(shown).evaluate((it) => it.addEventListener("planarium:complete", () => (globalThis.complete = true)));
  await element(shown).scrollIntoViewIfNeeded();
  await shown.waitForFunction(() => globalThis.complete);
});

journey("autoplay is not for readers who prefer reduced motion", { ...page("autoplay"), reducedMotion: true }, async ({ page: shown }) => {
  await element(shown).evaluate((it) => it.ready);
  const { playing, time, duration } = await state(shown);
  assert.deepEqual({ playing, time }, { playing: false, time: duration });
});

journey("a loop begins again at its end", page("loop"), async ({ page: shown }) => {
  const rounds = await element(shown).evaluate(async (it) => {
    await it.ready;
    let last = 0;
    let rounds = 0;
    it.play();
    for (let frame = 0; frame < 600 && rounds < 2; frame += 1) {
      await new Promise(requestAnimationFrame);
      if (it.time < last) rounds += 1;
      last = it.time;
    }
    return it.playing ? rounds : -1;
  });
  assert.equal(rounds, 2);
});

journey("a theme that is given holds in a page of another one", page('theme="dark"'), async ({ page: shown }) => {
  await element(shown).evaluate((it) => it.ready);
  await soon(async () => assert.equal(await element(shown).evaluate((it) => it.dataset.theme), "dark"));
});

journey("without controls the table stays, and the methods play it", page('controls="none"'), async ({ page: shown }) => {
  const embed = element(shown);
  await embed.evaluate((it) => it.ready);
  assert.equal(await embed.getByRole("button", { name: "Play" }).isVisible(), false);
  assert.equal(await embed.getByRole("slider").isVisible(), false);
  assert.equal(await embed.getByRole("row").first().isVisible(), true);
  await embed.evaluate((it) => it.seek(9));
  assert.equal((await state(shown)).time, 9);
});

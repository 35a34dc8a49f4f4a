// The documentation's own book, as `cargo xtask site` builds it. PLANARIUM_SITE names its folder; without it the tests are skipped.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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

/** Number of demos and of lessons that a chapter's source has; those shown inside a longer fence are text. */
async function demos(file) {
  const source = await readFile(new URL(`../../docs/site/src/${file.replace(".html", ".md")}`, import.meta.url), "utf8");
  const fences = source.replace(/^````markdown\n[^]*?^````$/gm, "").match(/^```planarium .*$/gm) ?? [];
  assert.ok(fences.length > 0, `${file} has demos`);
  const lessons = fences.filter((info) => info.includes(" lesson=")).length;
  return { runs: fences.length - lessons, lessons };
}

const systems = ["dcos-sdk", "marathon", "kudo", "kubernetes", "skopos", "mesos"].map((name) => `systems/${name}.html`);
const guide = ["page", "command-line", "serve", "scenarios", "element"].map((name) => `guide/${name}.html`);

/** Chapters of what no lesson is about. */
const WITHOUT_LESSON = ["systems/kubernetes.html"];

for (const file of ["index.html", ...systems].filter((name) => !WITHOUT_LESSON.includes(name))) {
  test(`the lesson of ${file} starts in the book's own playground`, { skip }, async () => {
    await visited(file, async (page) => {
      const { lessons } = await demos(file);
      assert.ok(lessons > 0, `${file} has a lesson`);
      await page.getByRole("button", { name: "Start the lesson" }).first().press("Enter");
      const pane = page.frameLocator(".pl-engine iframe").getByRole("region", { name: "Lesson", exact: true }).first();
      await pane.getByText("Before you begin:").waitFor();
      await scan(page, { include: "planarium-embed" });
    });
  });
}

for (const file of ["index.html", ...systems, ...guide, "examples/canary/index.html"]) {
  test(`every demo of ${file} plays`, { skip }, async () => {
    await visited(file, async (page) => {
      const embeds = page.locator("planarium-embed:not([lesson])");
      const { runs, lessons } = file.startsWith("examples/") ? { runs: 1, lessons: 0 } : await demos(file);
      assert.equal(await embeds.count(), runs);
      assert.equal(await page.locator("planarium-embed[lesson]").count(), lessons);
      for (let at = 0; at < runs; at += 1) {
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

// Real builds of documents with demos in them, opened in a browser: a table of hosts and of what each has to do.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { missing } from "./browsers.mjs";
import { HOSTS, once } from "./documents.mjs";
import { conforms } from "./fences.mjs";
import { open, scan, serve, shot, soon } from "./harness.mjs";

const element = (page, at = 0) => page.locator("planarium-embed").nth(at);
/** Waits until a demo has been read; one that never is fails the test rather than holding it up. */
const ready = (embed) =>
  embed.evaluate(async (it) => {
    await customElements.whenDefined("planarium-embed");
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error(`the demo is never ready: ${it.innerText}`)), 20_000));
    await Promise.race([it.ready, late]);
  });
const theme = (embed) => embed.evaluate((it) => it.dataset.theme);
const word = (embed, name) => embed.getByRole("row").filter({ hasText: name }).first().locator(".pl-word").innerText();
const inside = (page) => page.evaluate(() => document.activeElement?.closest("planarium-embed") !== null);

/** What a demo does in whatever page it is. */
async function plays(page, embed) {
  await ready(embed);
  assert.equal(await word(embed, "deploy"), "COMPLETE");
  const height = (await embed.boundingBox())?.height;
  await embed.evaluate((it) => (it.speed = 64));
  await embed.getByRole("button", { name: "Play" }).click();
  await soon(async () => assert.equal(await embed.evaluate((it) => !it.playing && it.time === it.duration), true));
  await embed.evaluate((it) => it.seek(2));
  assert.equal(await word(embed, "hello-1"), "PENDING");
  assert.equal((await embed.boundingBox())?.height, height, "no height jumps");
}

/** Keeps the keys that the document hears, those of demos included. */
const listen = (page) =>
  page.evaluateHandle(() => {
    const keys = [];
    document.addEventListener("keydown", (event) => event.key !== "Tab" && keys.push(event.key));
    return keys;
  });

/** Policy of a careful site: files of its own, and the scripts and styles that the host itself writes into the page. */
function policy(html) {
  const outside = html.replace(/<planarium-embed[^]*?<\/planarium-embed>/g, "");
  const hashes = (tag) => [...outside.matchAll(new RegExp(`<${tag}(?![^>]* src=)[^>]*>([^]*?)</${tag}>`, "g"))]
    .map(([, text]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(" ");
  return `default-src 'none'; script-src 'self' ${hashes("script")}; style-src 'self' ${hashes("style")}; img-src 'self' data:; font-src 'self'; connect-src 'self'`;
}

/** Serves the host's pages, opens one, runs the steps, and fails on what the page reported about demos. */
async function visited(one, steps, options = {}) {
  const { folder, file, files = [file] } = await once(one);
  for (const name of options.all ? files : [file]) {
    const extra = { "/favicon.ico": { type: "image/x-icon", body: "" } };
    if (!path.extname(name) || options.strict) {
      const html = await readFile(path.join(folder, path.extname(name) ? name : `${name}.html`), "utf8");
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy(html)}">`;
      extra[`/${name}`] = { type: "text/html; charset=utf-8", body: options.strict ? html.replace(/<head[^>]*>/, (head) => head + meta) : html };
    }
    const server = await serve(folder, extra);
    const url = options.disk ? pathToFileURL(path.join(folder, name)).href : new URL(name, server.url).href;
    const opened = await open(url, options);
    try {
      await steps(opened.page, opened, server.url);
      opened.check();
    } catch (error) {
      const picture = await shot(opened.page, `failed-host-${one.name}`).catch(() => "none");
      error.message += `\nThe page ${name} reported:\n${opened.problems.join("\n")}\nPicture: ${picture}`;
      throw error;
    } finally {
      await opened.close();
      await server.close();
    }
  }
}

/** The columns of the table: what a demo has to do in every host. */
const PROPERTIES = {
  "demos play": (one) =>
    visited(one, async (page) => {
      await plays(page, element(page));
      assert.equal(await page.locator("planarium-embed").count(), 2, "a demo in a list, a note or a quotation, too");
      await ready(element(page, 1));
      assert.equal(await word(element(page, 1), "deploy"), "COMPLETE");
      await element(page).locator("summary").first().click();
      assert.match(await element(page).locator("pre").first().innerText(), /cmd: .\/hello\n\n {8}cpus: 0\.1[^]*status at 0:02: deploy STARTING/);
      await shot(page, `host-${one.name}`);
    }, { all: true }),

  "strict policy": async (one) => {
    const told = [];
    await visited(one, async (page) => {
      await plays(page, element(page));
      await soon(async () => assert.deepEqual(told.filter((line) => line.startsWith("ours")), []));
    }, {
      all: true,
      strict: true,
      // What the host itself writes against the policy (styles in attributes, mostly) is not for us to judge.
      expected: (text) => text.includes("Content Security Policy") || text.includes("Content-Security-Policy"),
      before: async (page) => {
        await page.exposeFunction("toldOfPolicy", (line) => told.push(line));
        await page.addInitScript(() => {
          document.addEventListener("securitypolicyviolation", (event) => {
            const demo = event.composedPath().some((node) => node.localName === "planarium-embed") || /planarium/.test(event.sourceFile + event.blockedURI);
            globalThis.toldOfPolicy(`${demo ? "ours" : "host"}: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile} ${event.sample}`);
          });
        });
      },
    });
  },

  offline: (one) =>
    visited(one, async (page) => {
      await ready(element(page));
      await page.waitForLoadState("networkidle");
      const asked = [];
      // A host's own font is asked for when a letter first needs it.
      page.on("request", (request) => request.resourceType() === "font" || asked.push(request.url()));
      await page.context().setOffline(true);
      await plays(page, element(page));
      assert.deepEqual(asked, [], "nothing is requested");
    }, { expected: (text) => /woff2|ERR_INTERNET_DISCONNECTED/.test(text) && !text.includes("planarium") }),

  "from a disk": (one) =>
    // Fonts, search index and modules of the host are not allowed there.
    visited(one, (page) => plays(page, element(page)), { disk: true, expected: (text) => !text.includes("planarium-embed") }),

  print: (one) =>
    visited(one, async (page) => {
      await ready(element(page));
      await page.emulateMedia({ media: "print" });
      for (const at of [0, 1]) {
        assert.equal(await word(element(page, at), "deploy"), "COMPLETE");
        assert.equal(await element(page, at).getByRole("row").first().isVisible(), true);
        assert.equal(await element(page, at).locator(".pl-play").isVisible(), false, "nobody presses a button on paper");
      }
      assert.ok((await page.pdf()).length > 5_000);
    }),

  "without script": (one) =>
    visited(one, async (page) => {
      const embed = element(page);
      assert.equal(await word(embed, "deploy"), "COMPLETE");
      assert.equal(await word(embed, "hello-1"), "COMPLETE");
      assert.equal(await embed.locator(".pl-play").isDisabled(), true);
      await embed.locator("summary").first().click();
      assert.match(await embed.locator("pre").first().innerText(), /count: 2/);
    }, { scripts: false, all: true }),

  "two themes": (one) =>
    visited(one, async (page) => {
      const embed = element(page);
      await ready(embed);
      await embed.evaluate((it) => it.seek(2));
      assert.equal(await theme(embed), "light");
      await one.dark(page);
      await soon(async () => assert.equal(await theme(embed), "dark"));
      assert.equal(await embed.evaluate((it) => it.time), 2, "time is kept");
      await soon(() => scan(page, { include: "planarium-embed" }));
      await shot(page, `host-${one.name}-dark`);
    }),

  keyboard: (one) =>
    visited(one, async (page) => {
      const embed = element(page);
      await ready(embed);
      const [url, heard] = [page.url(), await listen(page)];
      await embed.evaluate((it) => (it.speed = 0.25));
      for (let presses = 0; presses < 80 && !(await inside(page)); presses += 1) await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Play", "Tab comes to the button first");
      await page.keyboard.press("Enter");
      assert.equal(await embed.evaluate((it) => it.playing), true);
      await page.keyboard.press("Space");
      assert.equal(await embed.evaluate((it) => it.playing), false);
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.type), "range");
      const before = await heard.evaluate((keys) => keys.splice(0));
      assert.deepEqual(before.filter((key) => key.startsWith("Arrow")), []);
      // Left and right would turn the page of a book.
      for (const key of ["Home", "ArrowRight", "ArrowLeft", "End"]) await page.keyboard.press(key);
      assert.equal(await word(embed, "hello-1"), "COMPLETE");
      await page.keyboard.press("Tab");
      for (const key of ["ArrowDown", "ArrowLeft", "ArrowRight", "Home"]) await page.keyboard.press(key);
      assert.deepEqual(await heard.jsonValue(), [], "the document hears no key that the demo handles");
      assert.equal(page.url(), url);
      for (let presses = 0; presses < 12 && (await inside(page)); presses += 1) await page.keyboard.press("Tab");
      assert.equal(await embed.evaluate((it) => it.contains(document.activeElement)), false, "Tab leads out again");
    }),

  accessibility: (one) =>
    visited(one, async (page) => {
      await ready(element(page, 1));
      await scan(page, { include: "planarium-embed" });
      await page.setViewportSize({ width: 390, height: 844 });
      await scan(page, { include: "planarium-embed" });
      await shot(page, `host-${one.name}-narrow`);
    }, { all: true }),

  Firefox: (one) => visited(one, (page) => plays(page, element(page)), { browser: "firefox" }),

  "a false claim ends the build": async (one) => {
    const done = await one.fails();
    assert.notEqual(done.status, 0, done.said);
    assert.ok(done.said.includes(`${done.place}: `), done.said);
    assert.match(done.said, /`deploy` is COMPLETE at 0:07\.2, not by 0:01; then deploy is STARTING/);
  },

  "the set of fences": conforms,
};

/** The cells that are left out, each with its reason. */
const LEFT_OUT = {
  "Docusaurus: from a disk": "a site of Docusaurus names its files from the server's root",
};
for (const { name } of HOSTS) {
  if (name !== "mdBook 0.5") LEFT_OUT[`${name}: Firefox`] = "one host is enough: the script is the same in each";
}

for (const one of HOSTS) {
  for (const [property, check] of Object.entries(PROPERTIES)) {
    const cell = `${one.name}: ${property}`;
    if (LEFT_OUT[cell]) continue;
    test(cell, { skip: one.missing ?? false }, async (context) => {
      const reason = property === "Firefox" ? await missing("firefox") : undefined;
      if (reason) context.skip(reason);
      else await check(one);
    });
  }
}

test("every host has every property, but for those that are left out with a reason", () => {
  const cells = HOSTS.flatMap(({ name }) => Object.keys(PROPERTIES).map((property) => `${name}: ${property}`));
  assert.equal(new Set(cells).size, 7 * 12);
  assert.deepEqual(Object.keys(LEFT_OUT).filter((cell) => !cells.includes(cell)), [], "nothing is left out that is not in the table");
  assert.equal(Object.keys(LEFT_OUT).length, 7);
});

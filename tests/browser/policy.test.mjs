// What a policy refuses: the document's own, and the one that a server sends with the engine's page. The recording plays on, one line says
// what is refused and what allows it, and the reader may try again.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DIST, SIZES, journey, soon } from "./harness.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");
const run = promisify(execFile);
const planarium = async (...words) => (await run(PLANARIUM, words, { cwd: ROOT, maxBuffer: 1 << 24 })).stdout;

const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-policy-"));
after(() => rm(folder, { recursive: true, force: true }));
await planarium("embed", "--assets", folder);
await symlink(DIST, path.join(folder, "planarium"));
const canary = await planarium("render", "examples/canary", "--html", "--engine", "planarium/embed.html");
const frame = await readFile(path.join(DIST, "embed.html"), "utf8");

const HEARD = 'globalThis.heard = [];\naddEventListener("planarium:error", ({ detail }) => globalThis.heard.push(detail.reason));';
/** A document under a policy of its own, with an engine's page that its server sends with these headers. */
const options = (body, { policy = "", headers = {}, ...how } = {}) => ({
  boot: false,
  folder,
  extra: {
    "/": {
      type: "text/html; charset=utf-8",
      headers: policy ? { "content-security-policy": policy } : {},
      body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A book</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="planarium-embed.css"><script src="heard.js"></script>
<script src="planarium-embed.js" defer></script></head><body><main><h1>Canaries</h1>${body}</main></body></html>`,
    },
    "/heard.js": { type: "text/javascript; charset=utf-8", body: HEARD },
    "/planarium/embed.html": { type: "text/html; charset=utf-8", body: frame, headers },
  },
  // What the browser, the page in the frame and the loader write of a refusal.
  expected: (text) => /Content Security Policy|Content-Security-Policy|X-Frame-Options|planarium-embed: The engine did not start|engine was not loaded|WebAssembly|worker|Failed to fetch|\(csp\)|ERR_BLOCKED_BY_RESPONSE/.test(text),
  ...how,
});

const embed = (page) => page.locator("planarium-embed").first();
const ready = (page) => embed(page).evaluate(async (it) => (await customElements.whenDefined("planarium-embed"), await it.ready, true));
const word = (page) => embed(page).getByRole("row").filter({ hasText: "deploy" }).first().locator(".pl-word").innerText();

/** Presses the button; the line says the reason, and everything else is as before. */
async function refused(page, reason, shot) {
  await ready(page);
  await embed(page).getByRole("button", { name: "Try it" }).click();
  const line = embed(page).getByRole("status");
  for (let wait = 0; wait < 3; wait += 1) {
    try {
      await soon(async () => assert.match(await line.innerText(), /^The engine did not start: /));
      break;
    } catch (error) {
      if (wait === 2) throw error;
    }
  }
  const said = await line.innerText();
  assert.match(said, reason);
  assert.match(said, /\. The recording still plays\.$/);
  assert.ok(await line.evaluate((node) => node.scrollHeight <= node.clientHeight && node.scrollWidth <= node.clientWidth), "all of it is seen");
  assert.ok(await embed(page).locator(".pl-bar").evaluate((bar) => bar.scrollWidth <= bar.clientWidth), "the bar has room for its buttons");
  await shot?.("refused");
  assert.deepEqual(await page.evaluate(() => globalThis.heard), [said], "it is told once");
  assert.equal(await page.locator("iframe").count(), 0);
  assert.equal(await embed(page).locator(".pl-figure").isVisible(), true);
  assert.equal(await embed(page).getByRole("button", { name: "Try it" }).isEnabled(), true);
  await embed(page).evaluate((it) => it.seek(9));
  assert.equal(await word(page), "WAITING");
  await embed(page).evaluate((it) => ((it.speed = 64), it.play()));
  await soon(async () => assert.equal(await word(page), "COMPLETE"));
}

const SERVED = "default-src 'none'; img-src data:; ";
for (const [what, policy, reason] of [
  ["WebAssembly", "script-src 'self'; style-src 'self'; worker-src 'self'; connect-src 'self'", /refuses WebAssembly; it has to allow script-src 'wasm-unsafe-eval'/],
  ["a worker", "script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'none'; connect-src 'self'", /refuses the engine's worker; it has to allow worker-src 'self'/],
  ["styles", "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'", /refuses the styles of its page; it has to allow style-src 'self'/],
  ["the engine's file", "script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self'", /refuses the engine's file; it has to allow connect-src 'self'/],
]) {
  const headers = { "content-security-policy": SERVED + policy };
  const size = what === "WebAssembly" ? { ...SIZES.phone, touch: true } : {};
  journey(`a server that refuses ${what} is named in one line`, options(canary, { headers, ...size }), async ({ page, scan, shot }) => {
    await refused(page, reason, shot);
    assert.match(await page.evaluate(() => globalThis.heard[0]), /the policy of 127\.0\.0\.1:\d+ refuses/);
    await scan();
  });

  // Without styles its page runs.
  if (what === "styles") continue;
  journey(`a frame without a picture says that ${what} is refused`, options('<div id="out"></div>', { headers }), async ({ page }) => {
    await page.evaluate(() => {
      const one = Object.assign(document.createElement("iframe"), { title: "Demo", src: "planarium/embed.html?example=canary" });
      document.querySelector("#out").append(one);
    });
    const alert = page.frameLocator("iframe").getByRole("alert").filter({ hasText: "refuse" });
    await alert.waitFor({ state: "attached" });
    assert.match(await alert.textContent(), reason);
  });
}

for (const [what, headers] of [
  ["frames", { "x-frame-options": "DENY" }],
  ["every script", { "content-security-policy": "script-src 'none'" }],
]) {
  journey(`a server that refuses ${what} cannot answer, and the line says so`, options(canary, { headers }), async ({ page }) => {
    await refused(page, /it did not answer within 10 seconds; its server may forbid frames/);
  });
}

journey("a document that refuses the frame is told the directive, and again where it is tried again", options(canary, {
  policy: "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:",
}), async ({ page, url }) => {
  const reason = new RegExp(`this document's policy does not allow it \\(frame-src ${new URL(url).origin}\\)`);
  await refused(page, reason);
  await embed(page).getByRole("button", { name: "Try it" }).click();
  await soon(async () => assert.equal(await page.evaluate(() => globalThis.heard.length), 2));
});

journey("a document that refuses every style sheet shows the picture with the script's own", options(canary, {
  policy: "default-src 'none'; script-src 'self'; style-src 'none'; frame-src 'self'; img-src data:",
}), async ({ page, scan, shot }) => {
  await ready(page);
  const look = await embed(page).evaluate((it) => ({
    display: getComputedStyle(it).display,
    border: getComputedStyle(it.querySelector(".pl-figure")).borderTopWidth,
    tick: [...it.querySelectorAll(".pl-tick")].map((tick) => getComputedStyle(tick).position)[0] ?? "absolute",
  }));
  assert.deepEqual(look, { display: "block", border: "1px", tick: "absolute" });
  await shot("own styles");
  await scan();
  await embed(page).getByRole("button", { name: "Try it" }).click();
  await soon(async () => assert.equal(await embed(page).getAttribute("data-engine"), "on"));
});

const pictureOf = (attributes) => canary.replace("<planarium-embed ", `<planarium-embed ${attributes} `);
journey("a file that the document may not fetch is named with its directive", options(pictureOf('src="svc.yml"'), {
  policy: "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'; img-src data:",
}), async ({ page }) => {
  await refused(page, /this document's policy does not allow it \(connect-src http:\/\/127\.0\.0\.1:\d+\)/);
});

journey("a file that is not there is named with the server's answer", options(pictureOf('src="svc.yml"'), {
  expected: (text) => /404|planarium-embed: The engine did not start/.test(text),
}), async ({ page }) => {
  await refused(page, /\/svc\.yml cannot be read \(404\)/);
});

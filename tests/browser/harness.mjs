/**
 * What every browser test stands on: a server for the built page on this machine only, a browser (`browsers.mjs`), and a
 * collector that fails a test when the page logs an error or a request fails.
 *
 *   import { journey } from "./harness.mjs";
 *   journey("the page starts", { width: 1280 }, async ({ page, scan, shot }) => { ... });
 *
 * Tests find elements by role and label only. They never wait for wall-clock time; `page.waitFor...` and `soon` wait for a state.
 *
 * PLANARIUM_DIST names the built page (default: dist/). PLANARIUM_SLOWDOWN runs the page in Chromium as on a machine that many
 * times slower, which shows what a hurried hand meets. Pictures go to shots/, which git ignores.
 */
import assert from "node:assert/strict";
import { mkdir, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missing, profile } from "./browsers.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/** The built page. */
export const DIST = path.resolve(process.env.PLANARIUM_DIST ?? path.join(here, "..", "..", "dist"));

/** How much slower the page runs. */
const SLOWDOWN = Number(process.env.PLANARIUM_SLOWDOWN ?? 1);

/** Where a journey starts that names no path: an example that shows every word of a plan. */
const START = "?example=hello-world";

/** Sizes at which a page is looked at. */
export const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".yaml": "text/yaml; charset=utf-8",
  ".yml": "text/yaml; charset=utf-8",
};

/** The hash of `body {}`, a style that the library tries in a page of Firefox before a picture; the page's policy refuses it. */
const TRIED_STYLE = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=";

/**
 * Serves a folder on a free port of the loopback interface.
 *
 * @param {string} [folder] default: the built page
 * @param {Record<string, { type: string, body: string | Buffer, status?: number, headers?: Record<string, string> }>} [extra] further answers by path
 * @param {string} [mount] the path under which the folder appears; starts and ends with a slash
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve(folder = DIST, extra = {}, mount = "/") {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const answer = (status, type, body, headers = {}) => {
      response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers });
      response.end(request.method === "HEAD" ? undefined : body);
    };
    const known = extra[pathname];
    if (known) {
      answer(known.status ?? 200, known.type, known.body, known.headers);
      return;
    }
    try {
      if (!pathname.startsWith(mount)) {
        throw new Error("not below the mount");
      }
      let file = path.join(folder, path.normalize(decodeURIComponent(pathname.slice(mount.length))));
      if (pathname.endsWith("/")) {
        file = path.join(file, "index.html");
      }
      const inside = path.relative(folder, file);
      if (inside.startsWith("..") || path.isAbsolute(inside) || !(await stat(file)).isFile()) {
        throw new Error("not a file of the page");
      }
      answer(200, TYPES[path.extname(file)] ?? "application/octet-stream", await readFile(file));
    } catch {
      answer(404, "text/plain; charset=utf-8", `no ${pathname}`);
    }
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}${mount}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Opens a page of the server and collects what goes wrong on it.
 *
 * @param {string} url
 * @param {object} [options]
 * @param {number} [options.width]
 * @param {number} [options.height]
 * @param {"light"|"dark"} [options.theme]
 * @param {boolean} [options.reducedMotion]
 * @param {boolean} [options.touch]
 * @param {number} [options.density] pixels of the screen for one of the page
 * @param {"chromium"|"firefox"} [options.browser] default: chromium
 * @param {(text: string) => boolean} [options.expected] problems that belong to the test
 * @param {string} [options.home] the server's address, where `url` is another one
 * @param {boolean} [options.scripts] default: true; without them, the page's scripts do not run
 * @param {(page: import("playwright-core").Page) => Promise<void>} [options.before] runs before the page is loaded
 * @param {boolean} [options.offline] the page may keep itself for offline use; elsewhere it would load everything twice
 */
export async function open(url, options = {}) {
  const { width = SIZES.desktop.width, height = SIZES.desktop.height, expected = () => false } = options;
  const kind = options.browser ?? "chromium";
  const context = await profile(kind, {
    width,
    height,
    theme: options.theme ?? "light",
    reducedMotion: Boolean(options.reducedMotion),
    touch: Boolean(options.touch),
    offline: Boolean(options.offline),
    scripts: options.scripts ?? true,
    density: options.density ?? 1,
  });
  const page = await context.newPage();
  if (SLOWDOWN > 1) {
    page.setDefaultTimeout(30_000 * SLOWDOWN);
  }
  if (SLOWDOWN > 1 && kind === "chromium") {
    const debug = await context.newCDPSession(page);
    await debug.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  }
  const problems = [];
  const note = (text) => {
    if (!expected(text) && !text.includes(TRIED_STYLE)) {
      problems.push(text);
    }
  };
  page.on("console", (message) => {
    if (message.type() === "error") {
      note(`console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => note(`exception: ${error.stack ?? error.message}`));
  page.on("crash", () => note("the page crashed"));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // A page that is left drops its running requests.
    if (reason !== "net::ERR_ABORTED" && reason !== "NS_BINDING_ABORTED") {
      note(`request failed: ${request.url()} (${reason})`);
    }
  });
  page.on("response", (response) => {
    if (response.status() >= 400) {
      note(`answer ${response.status()}: ${response.url()}`);
    }
  });
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (target.protocol.startsWith("http") && target.origin !== new URL(options.home ?? url).origin) {
      note(`request to a third party: ${request.url()}`);
    }
  });
  await options.before?.(page);
  await page.goto(url, { waitUntil: "load" });
  return {
    page,
    problems,
    /** Fails when anything went wrong so far. */
    check: () => assert.deepEqual(problems, [], "the page reported problems"),
    close: () => context.close(),
  };
}

/**
 * Asserts what the page comes to: the check is made again until it holds, for ten seconds at most. A page that is slow to draw
 * answers an action a little later.
 *
 * @param {() => Promise<void>} check
 */
export async function soon(check) {
  const end = Date.now() + 10_000 * SLOWDOWN;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > end) {
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until the engine runs; says what the page says when it does not. */
export async function started(page) {
  await page.waitForFunction(() => ["started", "failed"].includes(document.documentElement.dataset.boot ?? ""));
  const [state, text] = await page.evaluate(() => [
    document.documentElement.dataset.boot,
    document.getElementById("boot")?.textContent ?? "",
  ]);
  assert.equal(state, "started", `the page did not start: ${text}`);
}

/**
 * Fails when axe finds anything against WCAG 2.2 A or AA, content outside of landmarks, or a heading that skips a level.
 *
 * @param {import("playwright-core").Page} page
 * @param {{ include?: string, exclude?: string[] }} [options]
 */
export async function scan(page, options = {}) {
  const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  // Through the debugger, so that the page's policy on scripts stays as it is.
  await page.evaluate(axe);
  await atRest(page);
  const violations = await page.evaluate(
    async ({ include, exclude }) => {
      const context = { include: [include ?? "html"], exclude: (exclude ?? []).map((selector) => [selector]) };
      const result = await globalThis.axe.run(context, {
        runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
        rules: { region: { enabled: true }, "heading-order": { enabled: true } },
        resultTypes: ["violations"],
      });
      return result.violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
      }));
    },
    { include: options.include, exclude: options.exclude },
  );
  assert.deepEqual(violations, [], "accessibility");
}

/** Waits until what fades in is all there: half faded in, a text has less contrast than at rest. */
async function atRest(page) {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ effect, playState }) => playState !== "running" || effect.getComputedTiming().iterations === Infinity),
  );
}

/** Keeps a picture of the page in shots/. */
export async function shot(page, name, options = {}) {
  const folder = path.join(here, "shots");
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${name.replaceAll(/[^\w.-]+/g, "-")}.png`);
  await page.screenshot({ path: file, animations: "disabled", ...options });
  return file;
}

/**
 * A test with a page of its own: serves the built page, opens it, runs `steps`, and fails on any error that the page
 * reported meanwhile. On a failure a picture is kept. Where there is no Firefox, a journey in Firefox is skipped.
 *
 * @param {string} name
 * @param {object} options as for `open`; further `path` (default: the walk through of a plan), `folder`, `extra`, `mount` (as for
 *   `serve`), `boot: false` for pages without the engine
 * @param {(tools: object) => Promise<void>} steps
 */
export function journey(name, options, steps) {
  test(name, async (context) => {
    const reason = options.browser === "firefox" ? await missing("firefox") : undefined;
    if (reason) {
      context.skip(reason);
      return;
    }
    const server = await serve(options.folder, options.extra, options.mount);
    let opened;
    try {
      opened = await open(new URL(options.path ?? START, server.url).href, options);
      const { page } = opened;
      if (options.boot !== false) {
        await started(page);
      }
      await steps({
        page,
        url: server.url,
        problems: opened.problems,
        scan: (more) => scan(page, more),
        shot: (label, more) => shot(page, `${name}-${label}`, more),
      });
      opened.check();
    } catch (error) {
      if (opened) {
        const file = await shot(opened.page, `failed-${name}`).catch(() => "none");
        const said = opened.problems.length > 0 ? `\nThe page reported:\n${opened.problems.join("\n")}` : "";
        error.message += `${said}\nPicture: ${path.relative(process.cwd(), file)}`;
      }
      throw error;
    } finally {
      await opened?.close();
      await server.close();
    }
  });
}

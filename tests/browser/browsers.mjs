/**
 * The browsers that the page is driven in: headless Chromium, and Firefox over WebDriver BiDi. One of each kind and theme per
 * test file, started when the first test asks and closed after the last.
 *
 * PLANARIUM_CHROMIUM and PLANARIUM_FIREFOX name their programs.
 *
 * playwright-core stays at 1.64 for now: 1.65 asks every Firefox for `emulation.setMediaFeaturesOverride`, which firefox-esr 153 does
 * not know yet.
 */
import { access, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { chromium, firefox } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** Beside the library's own settings, which turn off updates, reports and first pages. */
const PREFERENCES = {
  // Whatever is not on this machine goes to a port at which nobody listens.
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "network.proxy.no_proxies_on": "127.0.0.1, localhost",
  "browser.newtabpage.activity-stream.asrouter.providers.cfr": "null",
  "browser.newtabpage.activity-stream.asrouter.providers.message-groups": "null",
};

const KINDS = {
  chromium: {
    variable: "PLANARIUM_CHROMIUM",
    names: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    hint:
      "no browser: install chromium (on Debian, as root: apt-get install chromium chromium-driver) or set " +
      "PLANARIUM_CHROMIUM to the program of a Chromium or Chrome",
    launch: (executablePath, home) =>
      chromium.launch({
        executablePath,
        // The flags above are complete; the library's own would add to them and warn about `--headless`.
        headless: true,
        args: [...FLAGS, `--disk-cache-dir=${path.join(home, "cache")}`],
      }),
    context: ({ theme, reducedMotion, touch, offline }) => ({
      serviceWorkers: offline ? "allow" : "block",
      colorScheme: theme,
      reducedMotion: reducedMotion ? "reduce" : "no-preference",
      hasTouch: touch,
      // A page that reads its own address bar and clipboard (share links) may do so.
      permissions: ["clipboard-read", "clipboard-write"],
    }),
  },
  firefox: {
    variable: "PLANARIUM_FIREFOX",
    names: ["/usr/bin/firefox-esr"],
    hint:
      "no Firefox: install firefox-esr (on Debian, as root: apt-get install firefox-esr) or set PLANARIUM_FIREFOX to the " +
      "program of a Firefox",
    launch: (executablePath, home, theme) =>
      firefox.launch({
        // What Mozilla builds, over WebDriver BiDi; without a channel it would be the library's own patched Firefox.
        channel: "moz-firefox",
        executablePath,
        headless: true,
        // It refuses a home that is somebody else's, and leaves no traces in ours.
        env: { ...process.env, HOME: home },
        // BiDi sets no media features yet.
        firefoxUserPrefs: { ...PREFERENCES, "layout.css.prefers-color-scheme.content-override": theme === "dark" ? 0 : 1 },
      }),
    context: () => ({}),
  },
};

async function program({ variable, names }) {
  for (const candidate of process.env[variable] ? [process.env[variable]] : names) {
    if (await access(candidate).then(() => true, () => false)) {
      return candidate;
    }
  }
  if (process.env[variable]) {
    throw new Error(`${variable} names ${process.env[variable]}, which is no file`);
  }
  return undefined;
}

/**
 * Why a kind of browser cannot be driven on this machine; nothing when it can.
 *
 * @param {"chromium" | "firefox"} kind
 */
export async function missing(kind) {
  return (await program(KINDS[kind])) ? undefined : KINDS[kind].hint;
}

const running = new Map();

async function started(kind, theme) {
  const executablePath = await program(KINDS[kind]);
  if (!executablePath) {
    throw new Error(KINDS[kind].hint);
  }
  const home = await mkdtemp(path.join(os.tmpdir(), "planarium-browser-"));
  return { home, browser: await KINDS[kind].launch(executablePath, home, theme) };
}

/**
 * A fresh profile in a browser.
 *
 * @param {"chromium" | "firefox"} kind
 * @param {{ width: number, height: number, theme: "light" | "dark", reducedMotion: boolean, touch: boolean, offline: boolean,
 *   scripts: boolean, density: number }} wanted
 */
export async function profile(kind, wanted) {
  // Firefox has one theme for all its pages.
  const name = kind === "firefox" ? `${kind}, ${wanted.theme}` : kind;
  if (!running.has(name)) {
    running.set(name, started(kind, wanted.theme));
  }
  const { browser } = await running.get(name);
  return browser.newContext({
    viewport: { width: wanted.width, height: wanted.height },
    locale: "en-US",
    timezoneId: "UTC",
    deviceScaleFactor: wanted.density,
    ...(wanted.scripts ? {} : { javaScriptEnabled: false }),
    ...KINDS[kind].context(wanted),
  });
}

after(async () => {
  for (const one of running.values()) {
    const { browser, home } = await one.catch(() => ({}));
    await browser?.close();
    if (home) {
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  }
});

/**
 * The playground as a user speaks of it: rows of the plan tree, the clock, commands, messages. Elements are found by role
 * and label only, so that what a test can find a screen reader can find too.
 */
import assert from "node:assert/strict";

/** Longest wait for a condition. Virtual time runs at up to 64x, so that a deployment takes seconds. */
const PATIENCE = { timeout: 60_000 };

/** Waits until a function of the page answers true; says what was waited for when it never does. */
export async function until(page, what, test, argument) {
  try {
    await page.waitForFunction(test, argument);
  } catch (error) {
    assert.fail(`${what}: never came about (${error.message.split("\n")[0]})`);
  }
}

/**
 * Does several things in one task of the page, so that nothing is drawn in between: what a hurried hand does on a slow
 * machine. Each deed is a place, what is done there, and a text.
 *
 * - `type`: the text stands in the field now; `more`: it comes after what stands there; `pick`: it is chosen
 * - `press`: a key; `click`: a click
 *
 * @param {import("playwright-core").Page} page
 * @param {...[import("playwright-core").Locator, "type" | "more" | "pick" | "press" | "click", string?]} deeds
 */
export async function atOnce(page, ...deeds) {
  const given = await Promise.all(
    deeds.map(async ([place, what, text]) => ({ element: await place.elementHandle(), what, text })),
  );
  await page.evaluate((list) => {
    const write = (element, text) => {
      element.value = text;
      element.dispatchEvent(new InputEvent("input", { bubbles: true }));
      element.dispatchEvent(new Event("change", { bubbles: true }));
    };
    const acts = {
      type: write,
      more: (element, text) => write(element, element.value + text),
      pick: write,
      press: (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })),
      click: (element) => element.click(),
    };
    for (const { element, what, text } of list) acts[what](element, text);
  }, given);
}

/** @param {import("playwright-core").Page} page */
export function playground(page) {
  const tree = page.getByRole("treegrid", { name: "Plans, phases and steps" });
  const dock = page.getByRole("region", { name: "Time" });
  const inspector = page.getByRole("region", { name: "Inspector" });

  /** The row of an element by its exact name; `within` tells rows of the same name apart by their level. */
  const row = (name, level) =>
    tree
      .getByRole("row", level ? { level } : {})
      .filter({ has: page.getByText(name, { exact: true }) })
      .first();
  const statusCell = (name, level) => row(name, level).getByRole("gridcell").nth(1);

  const status = async (name, level) => (await statusCell(name, level).innerText()).trim().split(/\s/)[0];

  /** Waits until the engine beside the page has answered everything, and the answer is drawn. */
  const answered = async () => {
    await page.locator("html:not([data-waiting])").waitFor({ state: "attached", ...PATIENCE });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  };

  /** Waits until an element shows a status. */
  const shows = async (name, wanted, level) => {
    try {
      await statusCell(name, level).filter({ hasText: new RegExp(`^\\s*${wanted}\\b`) }).waitFor(PATIENCE);
    } catch (error) {
      assert.fail(`${name} never came to ${wanted}. The tree:\n${await text()}\n${error.message}`);
    }
  };

  /** All rows: indented name and status. */
  const text = () =>
    tree.getByRole("row").evaluateAll((rows) =>
      rows
        .map((one) => {
          const cells = [...one.querySelectorAll("[role=gridcell]")].map((cell) => cell.innerText.replaceAll(/\s+/g, " ").trim());
          return `${"  ".repeat(Number(one.ariaLevel ?? one.getAttribute("aria-level")) - 1)}${cells[0]} (${cells[1]})`;
        })
        .join("\n"),
    );

  const slider = dock.getByRole("slider").first();
  const now = async () => Number(await slider.getAttribute("aria-valuenow"));

  return {
    page,
    tree,
    dock,
    inspector,
    slider,
    row,
    status,
    shows,
    answered,
    text,
    now,

    play: () => dock.getByRole("button", { name: /^Play/ }).click(),
    /** Stops the clock, which else stays on where nothing more happens. */
    pause: async () => {
      const [pause, play] = [/^Pause/, /^Play/].map((name) => dock.getByRole("button", { name }));
      await pause.or(play).waitFor();
      if (await pause.isVisible()) {
        await pause.click();
      }
      await play.waitFor();
    },
    /** Goes on from status change to status change until an element shows a status. */
    stepTo: async (name, wanted, level) => {
      const next = dock.getByRole("button", { name: "To the next status change" });
      await answered();
      for (let steps = 0; steps < 200 && (await status(name, level)) !== wanted; steps += 1) {
        await next.click();
        await answered();
      }
      assert.equal(await status(name, level), wanted, await text());
    },
    /** How fast the clock runs, e.g. `2×`. */
    speed: async (label) => {
      await page.getByRole("combobox", { name: "Speed" }).selectOption({ label });
    },
    /** The fastest clock. */
    fast: async () => {
      await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "64×" });
    },

    /** Selects an element, which also asks why. */
    select: (name, level) => row(name, level).getByText(name, { exact: true }).click(),
    /** Opens an element's menu and picks a command. */
    command: async (name, command, level) => {
      await row(name, level).hover();
      await row(name, level).getByRole("button", { name: `Commands for ${name}` }).click();
      await page.getByRole("menu").getByRole("menuitem", { name: command }).click();
    },
    /** Shows a tab of the inspector; on a phone they stand in the bar at the bottom. */
    tab: async (name) => {
      const bar = page.getByRole("navigation", { name: "Panes" });
      const small = await bar.isVisible();
      await (small ? bar.getByRole("button", { name, exact: true }) : inspector.getByRole("tab", { name })).click();
    },
    why: () => inspector.getByRole("tabpanel"),

    /** Shows plans as rows, or as the drawing that a system has for them. */
    looks: async (name) => {
      const button = page.getByRole("group", { name: "Show the plan as" }).getByRole("button", { name });
      if ((await button.getAttribute("aria-pressed")) !== "true") {
        await button.click();
      }
      await (name === "Rows" ? tree : page.getByRole("region", { name: /^Plan of / }).first()).waitFor();
    },

    /** The link to the run and the digest of all that happened, as the share dialog tells them. */
    shared: async () => {
      await page.getByRole("banner").getByRole("button", { name: "Share" }).click();
      const dialog = page.getByRole("dialog");
      const link = await dialog.getByRole("textbox").first().inputValue();
      const [digest] = /\b[0-9a-f]{16}\b/.exec(await dialog.getByText(/the digest of all that happened/).innerText()) ?? [];
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      return { link, digest };
    },

    /** Opens an example from the gallery. */
    example: async (title) => {
      await page.getByRole("banner").getByRole("button", { name: /Examples|:/ }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: title }).first().click();
      await dialog.waitFor({ state: "hidden" });
      await answered();
    },

    /** The editor's text field, rich or plain. */
    editor: () => page.getByRole("region", { name: "Definition" }).getByRole("textbox").first(),
    /** Replaces the whole definition. */
    type: async (text) => {
      const field = page.getByRole("region", { name: "Definition" }).getByRole("textbox").first();
      await field.click();
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.insertText(text);
    },
  };
}

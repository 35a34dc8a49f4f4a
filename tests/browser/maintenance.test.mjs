// Maintenance in the page: windows in the dialog and on the timeline, modes, refusals, answers to inverse offers.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { atOnce, playground } from "./playground.mjs";

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844, touch: true };

/** The maintenance dialog as a user speaks of it. */
function maintenance(page) {
  const on = playground(page);
  const dialog = page.getByRole("dialog", { name: "Maintenance" });
  const form = dialog.getByRole("group", { name: /^(Add a window|Change the window)$/ });
  const windows = dialog.getByRole("list", { name: "Windows" }).locator(":scope > li");
  return {
    on,
    dialog,
    form,
    windows,
    json: async () => JSON.parse(await dialog.getByLabel("The schedule as JSON").innerText()),
    open: async () => {
      await on.tab("Cluster");
      await on.inspector.getByRole("button", { name: "Maintenance", exact: true }).click();
      await dialog.waitFor();
    },
    close: async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
    },
    add: async (machines, begins, lasts) => {
      for (const machine of machines) {
        await form.getByRole("checkbox", { name: machine, exact: true }).check();
      }
      await form.getByRole("textbox", { name: /^Begins/ }).fill(begins);
      await form.getByRole("textbox", { name: /^Lasts/ }).fill(lasts);
      await form.getByRole("button", { name: "Post the schedule with it" }).click();
    },
    messages: dialog.getByRole("region", { name: "What came of it" }),
    machine: (name) => dialog.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) }).first(),
  };
}

/** Nanoseconds since 1970 are larger than a number here can hold, so they are read off the text. */
const nanoseconds = (text) => [...text.matchAll(/"nanoseconds": (\d+)/g)].map((found) => BigInt(found[1]));

async function deployed(page) {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
}

journey("windows are added, edited and cancelled, and the JSON follows", WIDE, async ({ page, scan, shot }) => {
  const it = maintenance(page);
  await deployed(page);
  await it.open();
  assert.deepEqual(await it.json(), {});
  await it.dialog.getByText("Nothing is scheduled.").waitFor();
  await it.add(["agent-1", "agent-2"], "+60s", "1h");
  await it.windows.first().waitFor();
  let text = await it.dialog.getByLabel("The schedule as JSON").innerText();
  assert.deepEqual((await it.json()).windows[0].machine_ids.map((id) => id.hostname), ["agent-1", "agent-2"]);
  assert.equal(nanoseconds(text)[1] ?? nanoseconds(text)[0], 3_600_000_000_000n);
  await soon(async () => assert.match(await it.machine("agent-1").innerText(), /draining/));
  await scan();
  await shot("one window");

  await it.add(["agent-3"], "1:02:00", "");
  await it.windows.nth(1).waitFor();
  await soon(async () => assert.match(await it.windows.nth(1).innerText(), /from 1:02:00, open-ended/));

  await it.windows.nth(1).getByRole("button", { name: /^Edit/ }).click();
  await it.form.getByRole("textbox", { name: /^Lasts/ }).fill("90s");
  await it.form.getByRole("button", { name: "Post the change" }).click();
  await it.windows.filter({ hasText: /1 m 30 s/ }).waitFor();
  await soon(async () => assert.equal(await it.windows.count(), 2));

  await it.windows.first().getByRole("button", { name: /^Cancel the window/ }).click();
  await it.windows.filter({ hasText: "agent-1" }).waitFor({ state: "hidden" });
  assert.deepEqual((await it.json()).windows.map((window) => window.machine_ids.map((id) => id.hostname)), [["agent-3"]]);
  await soon(async () => assert.match(await it.machine("agent-1").innerText(), /up/));
});

journey("what the master refuses is said in its own words and changes nothing", WIDE, async ({ page }) => {
  const it = maintenance(page);
  await deployed(page);
  await it.open();
  await it.add([], "+60s", "1m");
  await it.messages.getByRole("alert").filter({ hasText: "empty list of machines" }).waitFor();
  assert.deepEqual(await it.json(), {});
  await soon(async () => assert.equal(await it.form.getByRole("textbox", { name: /^Lasts/ }).inputValue(), "1m", "what was written stays"));
  // Down without schedule: the button says why, and the call is refused for the same reason.
  const start = it.machine("agent-1").getByRole("button", { name: /^Start agent-1/ });
  await soon(async () => assert.match(await start.getAttribute("aria-label"), /not in DRAINING mode/));
  await start.click();
  await it.messages.getByRole("alert").filter({ hasText: "cannot be brought down: not in DRAINING mode" }).waitFor();
  await it.add(["agent-1"], "+60s", "1m");
  await it.machine("agent-1").getByRole("button", { name: "Start agent-1", exact: true }).click();
  await it.machine("agent-1").filter({ hasText: "down" }).waitFor();
  // A DOWN machine has to stay in the schedule.
  await it.windows.first().getByRole("button", { name: /^Cancel the window/ }).click();
  await it.messages.getByRole("alert").filter({ hasText: "has to stay in the schedule" }).waitFor();
  await soon(async () => assert.equal(await it.windows.count(), 1));
  await it.machine("agent-1").getByRole("button", { name: "Stop agent-1", exact: true }).click();
  await it.dialog.getByText("Nothing is scheduled.").waitFor();
});

journey("a window is posted as it was written last, and once", WIDE, async ({ page }) => {
  const it = maintenance(page);
  await deployed(page);
  await it.open();
  const [begins, lasts] = [/^Begins/, /^Lasts/].map((name) => it.form.getByRole("textbox", { name }));
  const post = it.form.getByRole("button", { name: /^Post the schedule with it/ });
  await lasts.fill("soon");
  await it.form.getByText(/soon/).first().waitFor();
  await atOnce(
    page,
    [begins, "type", "1:02:00"],
    [it.form.getByRole("checkbox", { name: "agent-1", exact: true }), "click"],
    [lasts, "type", "90s"],
    [post, "click"],
    [post, "click"],
  );
  await it.windows.filter({ hasText: "1:02:00 to 1:03:30" }).waitFor();
  await soon(async () => assert.equal(await it.windows.count(), 1));
  await soon(async () => assert.equal(await it.messages.getByRole("alert").count(), 0));

  // Cancelling one window keeps the text about another one.
  await lasts.fill("5m");
  const cancel = it.windows.first().getByRole("button", { name: /^Cancel the window/ });
  await atOnce(page, [cancel, "click"], [cancel, "click"]);
  await it.dialog.getByText("Nothing is scheduled.").waitFor();
  await soon(async () => assert.equal(await lasts.inputValue(), "5m"));
  await it.add(["agent-2"], "+60s", "1m");
  await it.windows.first().waitFor();
  await it.close();

  // On the timeline: a key and Enter before the band is drawn anew.
  const grip = it.on.dock.getByRole("slider", { name: "Window of agent-2", exact: true });
  const start = Number(await grip.getAttribute("aria-valuenow"));
  await grip.focus();
  await atOnce(page, [grip, "press", "ArrowRight"], [grip, "press", "ArrowRight"], [grip, "press", "Enter"]);
  await page.waitForFunction(
    (wanted) => {
      const slider = document.querySelector("[aria-label='Window of agent-2']");
      return Number(slider?.getAttribute("aria-valuenow")) === wanted && !slider.getAttribute("aria-valuetext").includes("Enter");
    },
    start + 10_000,
  );
  await soon(async () => assert.equal(await it.dialog.count(), 0));
});

journey("agents are drained, and brought back when they are done", WIDE, async ({ page }) => {
  const it = maintenance(page);
  await deployed(page);
  await it.open();
  await it.machine("agent-1").getByRole("button", { name: "Drain agent-1", exact: true }).click();
  await it.machine("agent-1").filter({ hasText: /draining|drained/ }).waitFor();
  await it.machine("agent-2").getByRole("button", { name: "Deactivate agent-2", exact: true }).click();
  await it.machine("agent-2").filter({ hasText: "deactivated" }).waitFor();
  await it.machine("agent-2").getByRole("button", { name: "Reactivate agent-2", exact: true }).click();
  await it.machine("agent-2").filter({ hasText: "up" }).waitFor();
});

journey("a band on the timeline is moved and resized by keys and by pointer", WIDE, async ({ page, scan, shot }) => {
  const it = maintenance(page);
  await deployed(page);
  await it.open();
  await it.add(["agent-1"], "+60s", "1m");
  await it.windows.first().waitFor();
  const before = nanoseconds(await it.dialog.getByLabel("The schedule as JSON").innerText());
  await it.close();
  const bands = it.on.dock.getByRole("group", { name: "Maintenance windows" });
  const grip = bands.getByRole("slider", { name: "Window of agent-1", exact: true });
  const end = bands.getByRole("slider", { name: "End of the window of agent-1" });
  const start = Number(await grip.getAttribute("aria-valuenow"));
  await scan();

  // By keys: shown first, posted with Enter; Escape puts it back.
  await grip.focus();
  await page.keyboard.press("ArrowRight");
  await soon(async () => assert.match(await grip.getAttribute("aria-valuetext"), /Enter posts it/));
  await page.keyboard.press("Escape");
  assert.equal(Number(await grip.getAttribute("aria-valuenow")), start);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    (wanted) => {
      const slider = document.querySelector("[aria-label='Window of agent-1']");
      return Number(slider.getAttribute("aria-valuenow")) === wanted && !slider.getAttribute("aria-valuetext").includes("Enter");
    },
    start + 10_000,
  );
  await end.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");

  // By pointer.
  const box = await grip.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2, { steps: 4 });
  await shot("held");
  await page.mouse.up();
  await it.open();
  const after = nanoseconds(await it.dialog.getByLabel("The schedule as JSON").innerText());
  const total = (all) => all.reduce((sum, one) => (one > sum ? one : sum), 0n);
  const length = (all) => all.reduce((least, one) => (one < least ? one : least));
  assert.equal(length(after), length(before) + 30_000_000_000n, "the end was moved by half a minute");
  assert.ok(total(after) > total(before) + 10_000_000_000n, "the window was moved further by the pointer");
  await it.close();

  // In the past it forks, like any input.
  await it.on.slider.focus();
  await page.keyboard.press("ArrowLeft");
  await soon(async () => assert.equal(await bands.count(), 0, "at that instant nothing was scheduled"));
  await it.open();
  await it.add(["agent-2"], "+60s", "1m");
  await it.messages.getByText(/New branch/).waitFor();
  await it.windows.filter({ hasText: "agent-2" }).waitFor();

  // Delete cancels a window; the focus stays on the timeline.
  await it.close();
  await bands.getByRole("slider", { name: "Window of agent-2", exact: true }).focus();
  await page.keyboard.press("Delete");
  await bands.waitFor({ state: "detached" });
  await soon(async () => assert.ok(await it.on.slider.evaluate((element) => element === document.activeElement)));
});

journey("frameworks are asked, and the map shows the mode", WIDE, async ({ page, shot }) => {
  const it = maintenance(page);
  await deployed(page);
  await it.open();
  await it.add(["agent-1", "agent-2", "agent-3"], "+30s", "2m");
  await it.windows.first().waitFor();
  await it.windows.getByText(/hello-world \w+: \d of \d there/).first().waitFor();
  await it.close();
  await it.on.inspector.getByRole("article", { name: "agent-1" }).getByText(/Expected away/).waitFor();
  await it.on.play();
  await it.open();
  // The SDK's scheduler leaves inverse offers unanswered, as the real one does.
  await it.dialog.getByRole("row").filter({ hasText: "hello-world" }).filter({ hasText: "none yet" }).first().waitFor();
  await shot("asked");
});

journey("on a phone the dialog has room and passes the scan", { ...PHONE, theme: "dark" }, async ({ page, scan, shot }) => {
  const it = maintenance(page);
  await page.getByRole("navigation").getByRole("button", { name: /Cluster/ }).first().click();
  await it.on.inspector.getByRole("button", { name: "Maintenance", exact: true }).click();
  await it.add(["agent-1", "agent-2"], "+20s", "40s");
  await it.windows.first().waitFor();
  const wide = await it.dialog.evaluate((element) => element.querySelector(".dialog-body").scrollWidth > element.clientWidth);
  assert.equal(wide, false, "nothing runs out at the side");
  await scan();
  await shot("phone");
  // The lanes with their bands are a button away.
  await it.close();
  await page.getByRole("navigation").getByRole("button", { name: /Plan/ }).first().click();
  await it.on.dock.getByRole("button", { name: /timeline|lanes/i }).first().click();
  await it.on.dock.getByRole("slider", { name: "Window of agent-1, agent-2", exact: true }).waitFor();
  await scan();
  await shot("phone lanes");
});

journey("answers to inverse offers are shown per framework", { ...WIDE, theme: "dark" }, async ({ page, scan, shot }) => {
  const it = maintenance(page);
  await it.on.example(/inverse offer is declined/i);
  await it.on.slider.focus();
  // Beyond the head the world is run on; five seconds at a time.
  for (let n = 1; n <= 6; n += 1) {
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((ms) => Number(document.querySelector("[role=slider]").getAttribute("aria-valuenow")) >= ms, n * 5_000);
  }
  await it.open();
  const answer = (framework) => it.dialog.getByRole("row").filter({ has: page.getByRole("rowheader", { name: framework, exact: true }) });
  await answer("agreeable").getByText("ACCEPT", { exact: true }).waitFor();
  await answer("stubborn").getByText("DECLINE", { exact: true }).waitFor();
  await answer("stubborn").scrollIntoViewIfNeeded();
  await scan();
  await shot("answers");
});

journey("two machines, then the third: the page says when a majority is lost", WIDE, async ({ page, shot }) => {
  const it = maintenance(page);
  await it.on.example(/Two machines for an hour/i);
  await it.on.stepTo("deploy", "COMPLETE");
  await it.on.slider.focus();
  await page.keyboard.press("ArrowRight");
  await it.on.dock.getByRole("group", { name: "Maintenance windows" }).getByRole("slider").first().waitFor();
  await it.open();
  await it.windows.nth(1).waitFor();
  await soon(async () => assert.match(await it.windows.first().innerText(), /2 of 3 there, 1 left, no majority/));
  await soon(async () => assert.match(await it.windows.nth(1).innerText(), /1 of 3 there, the other 2 are a majority/));
  await shot("quorum");
});

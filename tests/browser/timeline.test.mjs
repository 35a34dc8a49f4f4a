// The timeline: zooming in, idle stretches, and a second run on the same clock.
import assert from "node:assert/strict";
import { SIZES, journey, soon } from "./harness.mjs";
import { stretches } from "./lanes.mjs";
import { playground, until } from "./playground.mjs";

const zoom = (on, name) => on.dock.getByRole("button", { name });

/** Where the thumb of the slider is, as a share of it. */
const thumb = (page) => page.locator("circle.thumb").getAttribute("cx").then((x) => Number.parseFloat(x ?? "-1"));

journey("the timeline zooms in around the cursor and out again", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.slider.focus();
  const head = await thumb(page);
  await page.keyboard.press("Shift+ArrowLeft");
  await soon(async () => assert.notEqual(await thumb(page), head));
  const [now, before] = [await on.now(), await thumb(page)];
  await soon(async () => assert.equal(await zoom(on, "Zoom out").getAttribute("aria-disabled"), "true"));
  await zoom(on, "Zoom in").click();
  await zoom(on, "Zoom in").click();
  await soon(async () => assert.equal(await zoom(on, "Zoom out").getAttribute("aria-disabled"), null));
  await soon(async () => {
    const after = await thumb(page);
    assert.ok(Math.abs(after - before) < 2, `the cursor keeps its place: ${before}, ${after}`);
  });
  await scan();
  await shot("zoomed");
  // A position on the slider is an instant of the visible part.
  const box = await on.slider.boundingBox();
  await page.mouse.click(box.x + box.width * (before / 100) - box.width / 10, box.y + 12);
  await soon(async () => {
    const moved = now - (await on.now());
    assert.ok(moved > 0 && moved < 4000, `a tenth of a zoomed axis is little time: ${moved}`);
  });
  // A cursor that leaves the visible part moves it along.
  await on.slider.focus();
  await page.keyboard.press("Home");
  await until(page, "the start is seen", () => document.querySelector("circle.thumb") !== null);
  await zoom(on, "Show all of the run").click();
  await soon(async () => assert.equal(await thumb(page), 0));
});

journey("idle stretches are short until they are asked for in full", {}, async ({ page, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.slider.focus();
  // Beyond the head the world is run on: five minutes in which nothing changes, and then something does.
  for (let times = 0; times < 60; times += 1) {
    await page.keyboard.press("ArrowRight");
  }
  await on.command("deploy", /^Restart/);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  const button = zoom(on, "Short idle stretches");
  await soon(async () => assert.equal(await button.getAttribute("aria-pressed"), "true"));
  await soon(async () => assert.equal(await page.locator(".break").count(), 1));
  const fold = await page.locator(".break-gap").evaluate((gap) => gap.getBoundingClientRect().width);
  assert.ok(fold <= 49, `a fold is ${fold} pixels wide`);
  await shot("short");
  await page.keyboard.press("Escape");
  const lanes = on.dock.getByRole("group", { name: "Statuses of steps over time" }).getByRole("img");
  const wide = async () => {
    let count = 0;
    for (const lane of await lanes.all()) count += (await stretches(lane)).filter(({ px }) => px > 40).length;
    return count;
  };
  const before = await wide();
  await button.click();
  await soon(async () => assert.equal(await page.locator(".break").count(), 0));
  const after = await wide();
  assert.ok(before > after, `what changed is easier to see when the rest is short: ${before}, ${after}`);
});

journey("lanes by machine show where tasks ran", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.command("hello-0:[server]", "hello-0-server: Fail this task");
  await zoom(on, "Lanes by machine").click();
  const lanes = on.dock.getByRole("group", { name: "Tasks of machines over time" });
  await lanes.getByRole("img", { name: /^hello-0-server: .*TASK_FAILED from .*TASK_STAGING from / }).first().waitFor();
  await on.pause();
  await scan();
  await shot("machines");
  await zoom(on, "Lanes by machine").click();
  await on.dock.getByRole("group", { name: "Statuses of steps over time" }).waitFor();
});

journey("lanes are drawn in the colours of the page, and tell what is under the pointer", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  const lane = on.dock.getByRole("img", { name: /^hello-0:\[server\]: .*COMPLETE from / });
  /** The colour of a token, or a system's colour, as the page has it now. */
  const colour = (value) =>
    page.evaluate((text) => {
      const probe = document.body.appendChild(document.createElement("i"));
      Object.assign(probe.style, { color: text, forcedColorAdjust: "none" });
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    }, value);
  const complete = async (value) => {
    const wanted = await colour(value);
    await soon(async () => {
      const drawn = await stretches(lane);
      assert.ok(drawn.length > 1, "it has a past");
      assert.equal(drawn.at(-1).colour, wanted, value);
    });
  };
  await complete("var(--pl-f-complete)");
  const light = await colour("var(--pl-f-complete)");
  await page.emulateMedia({ colorScheme: "dark" });
  await soon(async () => assert.notEqual(await colour("var(--pl-f-complete)"), light));
  await complete("var(--pl-f-complete)");
  await shot("dark");
  await page.emulateMedia({ colorScheme: "light" });
  await complete("var(--pl-f-complete)");
  // The statuses of a lane with the pointer, and with a picture of it.
  const past = await stretches(lane);
  const box = await lane.boundingBox();
  const over = async ({ from, to }, words) => {
    await page.mouse.move(box.x + (box.width * (from + to)) / 200, box.y + box.height / 2);
    await soon(async () => assert.match((await lane.getAttribute("title")) ?? "", words));
  };
  await over(past.at(-1), /^COMPLETE from \d\d:/);
  await over(past.at(0), /^PENDING from 00:00/);
  await scan();
  // Where the system has its own colours, they are those of the lanes.
  await page.emulateMedia({ forcedColors: "active" });
  await complete("CanvasText");
  await shot("forced");
});

for (const density of [1, 2]) {
  journey(`lanes have the pixels of the screen, ${density} for one of the page`, { density }, async ({ page, shot }) => {
    const on = playground(page);
    await on.fast();
    await on.play();
    await on.shows("deploy", "COMPLETE");
    await on.pause();
    const pixels = () =>
      on.dock.locator("canvas").evaluate((sheet) => {
        const { width, height } = sheet.getBoundingClientRect();
        return [sheet.width / width, sheet.height / height];
      });
    await soon(async () => assert.ok((await pixels()).every((each) => Math.abs(each - density) < 0.02), `${await pixels()}`));
    await shot("lanes");
  });
}

journey("the log tells how it came to an event, back to where it began", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.tab("Log");
  await on.inspector.getByRole("log").getByRole("button", { name: /^\d\d:/ }).nth(14).click();
  await on.inspector.getByText(/^How it came to event/).click();
  const links = on.inspector.locator(".log-chain li");
  assert.ok((await links.count()) >= 2);
  await scan();
  await shot("chain");
});

journey("a run is saved for other programs", {}, async ({ page }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await page.getByRole("banner").getByRole("button", { name: "Share" }).click();
  for (const [button, file, wanted] of [
    ["Transcript", "planarium-transcript.txt", /hello-0:\[server\] .*COMPLETE/],
    ["Events (CSV)", "planarium-events.csv", /^event,ms,time,source,what,because\n1,0,/],
    ["Plans (text)", "planarium-plans.txt", /deploy.*COMPLETE/],
    ["Timeline (Mermaid)", "planarium-timeline.mmd", /^gantt\n[^]*section deploy/],
    ["Journal (JSON)", "planarium-run.json", /"entries"/],
  ]) {
    const waiting = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
    const download = await waiting;
    assert.equal(download.suggestedFilename(), file);
    const text = await (await download.createReadStream()).setEncoding("utf8").toArray();
    assert.match(text.join(""), wanted, button);
  }
});

for (const [name, options] of [
  ["wide and light", { ...SIZES.desktop }],
  ["narrow and dark", { ...SIZES.phone, theme: "dark" }],
]) {
  journey(`two branches are compared on one clock, ${name}`, options, async ({ page, scan, shot }) => {
    const on = playground(page);
    const words = async (text) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill(text);
      await page.keyboard.press("Enter");
    };
    await on.fast();
    await on.play();
    await on.shows("deploy", "COMPLETE");
    await on.pause();
    await on.slider.focus();
    await page.keyboard.press("Home");
    await on.shows("deploy", "PENDING");
    await on.command("world", /^Interrupt/, 2);
    await on.shows("world", "WAITING", 2);
    await words("compare with");
    await on.inspector.getByRole("button", { name: "Branch main" }).click();
    await on.inspector.getByText(/The other is complete, this run is not/).waitFor();
    // Both runs have one clock: at the start only held steps differ.
    await on.slider.focus();
    for (let times = 0; times < 8; times += 1) {
      await page.keyboard.press("ArrowRight");
    }
    const steps = on.inspector.getByRole("table", { name: "Steps of both runs" });
    const row = steps.getByRole("row").filter({ hasText: "world-1" });
    await row.filter({ hasText: "COMPLETE" }).waitFor();
    await soon(async () => assert.match(await row.innerText(), /PENDING/));
    await scan();
    await shot("compared");
    await on.inspector.getByRole("button", { name: "Stop comparing" }).click();
    await on.inspector.getByRole("button", { name: "Branch main" }).waitFor();
  });
}

journey("a machine that is silent counts down to whoever notices", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.tab("Cluster");
  const card = on.inspector.getByRole("article").first();
  await card.getByRole("button", { name: /^Actions for / }).first().click();
  await page.getByRole("menu").getByRole("menuitem", { name: "Cut it off the network" }).click();
  const said = card.getByText(/^The master notices at \d\d:\d\d\.\d{3}, in /);
  await said.waitFor();
  await scan();
  await shot("silent");
  const before = await said.innerText();
  await on.speed("1×");
  await on.play();
  await soon(async () => assert.notEqual(await said.innerText(), before, "it counts down"));
  await on.pause();
  await on.fast();
  await on.play();
  await said.waitFor({ state: "hidden" });
});

journey("a branch has the run before it behind its lanes", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.slider.focus();
  await page.keyboard.press("Home");
  await on.shows("deploy", "PENDING");
  await on.command("world", /^Interrupt/, 2);
  await on.shows("world", "WAITING", 2);
  const lanes = on.dock.getByRole("group", { name: "Statuses of steps over time" });
  await lanes.getByRole("img", { name: /; before the branch: COMPLETE from / }).first().waitFor();
  const legend = on.dock.getByRole("list", { name: "What the lanes show" }).getByText("before the branch");
  await legend.waitFor();
  await scan();
  await shot("ghost");
  await page.getByRole("tablist", { name: "Branches" }).getByRole("tab", { name: "main", exact: true }).click();
  await legend.waitFor({ state: "hidden" });
  assert.equal(await lanes.getByRole("img", { name: /before the branch/ }).count(), 0, "the first run has no other behind it");
});

journey("arrows lead from the causes of what is selected to it", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  await on.select("world-1:[server, sidecar]");
  // Why has the same in words.
  await on.why().getByText("How it came to this").waitFor();
  const arrows = page.locator(".lanes-arrows .arrow");
  await soon(async () => assert.ok((await arrows.count()) > 0, "from another step's lane"));
  await scan();
  await shot("arrows");
  await on.speed("1×");
  await on.play();
  await soon(async () => assert.equal(await arrows.count(), 0, "nothing is selected while the clock runs"));
  await on.pause();
});

journey("lanes follow the filter of the rows, and a lost task's lane tells of the loss", { path: "?example=lost-machine" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  const lanes = on.dock.getByRole("group", { name: "Statuses of steps over time" });
  const lost = lanes.getByRole("img", { name: /; lost at \d\d:\d\d\.\d{3}/ });
  await lost.first().waitFor({ timeout: 90_000 });
  await on.pause();
  await scan();
  await shot("loss");
  const all = await lanes.getByRole("img").count();
  const name = (await lost.first().getAttribute("aria-label"))?.split(":")[0] ?? "";
  const field = page.getByRole("searchbox", { name: "Filter steps" });
  await field.fill(name);
  await soon(async () => {
    const labels = await lanes.getByRole("img").evaluateAll((bars) => bars.map((bar) => bar.getAttribute("aria-label") ?? ""));
    assert.ok(labels.length > 0 && labels.length < all, `${labels.length} of ${all} lanes`);
    assert.ok(labels.every((label) => label.startsWith(name)), labels.join("\n"));
  });
  await field.fill("nothing like it");
  await lanes.getByText("No lane matches the filter of the steps.").waitFor();
});

journey("the part that is shown is moved and resized on a strip of the whole run", {}, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows("deploy", "COMPLETE");
  await on.pause();
  const strip = on.dock.getByRole("slider", { name: "Part of the run that is shown" });
  assert.equal(await strip.count(), 0, "all of the run is shown");
  await zoom(on, "Zoom in").click();
  await zoom(on, "Zoom in").click();
  await strip.waitFor();
  await scan();
  await shot("minimap");
  const part = () => strip.getAttribute("aria-valuetext");
  const from = () => strip.getAttribute("aria-valuenow").then(Number);
  await strip.focus();
  await page.keyboard.press("Home");
  await soon(async () => assert.equal(await from(), 0));
  await page.keyboard.press("ArrowRight");
  await soon(async () => assert.ok((await from()) > 0));
  const [start, before] = [await from(), await part()];
  await page.keyboard.press("Shift+ArrowRight");
  await soon(async () => assert.notEqual(await part(), before, "it is longer"));
  assert.equal(await from(), start, "and begins where it began");
  // A click beside the window brings it there.
  const box = await strip.boundingBox();
  await page.mouse.click(box.x + box.width - 4, box.y + box.height / 2);
  await soon(async () => assert.ok((await from()) > start));
  await zoom(on, "Show all of the run").click();
  await strip.waitFor({ state: "hidden" });
});

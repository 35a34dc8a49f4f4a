// Skopos plans in the page: the drawing and the tree choose together, loops say which instance they are at, a plan that is made can
// be taken over and edited, and a model where a plan is meant is offered its plan; wide and narrow, light and dark.
import assert from "node:assert/strict";
import { SIZES, journey } from "./harness.mjs";
import { playground } from "./playground.mjs";

const WIDE = { width: 1440, height: 900 };

/** The panel of the plan. */
const panel = (page) => page.getByRole("region", { name: /^Plan of / }).first();

journey("a step is chosen in the drawing and in the rows", { ...WIDE, path: "?example=quality-gate" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  // The drawing is what a plan of Skopos is seen as.
  await panel(page).waitFor();
  await shot("the drawing");
  await on.looks("Rows");
  const drawn = (name) => panel(page).getByRole("button", { name, exact: false, pressed: true });
  const rows = on.tree.getByRole("row", { level: 3 });
  const name = (await rows.nth(1).getByRole("gridcell").first().innerText()).trim().split("\n")[0];
  await rows.nth(1).getByText(name, { exact: true }).click();
  await on.looks("Drawing");
  await drawn(name.replace(/^each: /, "")).first().waitFor();
  await panel(page).getByRole("list", { name: /^Exits of / }).waitFor();
  await shot("chosen in the rows");
  const other = panel(page).locator(".flow-label[aria-pressed=false]").last();
  await other.click();
  await on.looks("Rows");
  const selected = on.tree.getByRole("row", { selected: true });
  await selected.waitFor();
  assert.notEqual((await selected.innerText()).includes(name), true);
  await scan();
});

journey("the whole drawing of a phase is seen, and its commands are beside it", { ...WIDE, path: "?example=ask-first" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await panel(page).getByRole("button", { name: "Start" }).click();
  await on.fast();
  await on.play();
  const gate = page.getByRole("group", { name: /^Gate / });
  await gate.waitFor();
  await shot("gate");
  for (const drawing of await panel(page).locator(".flow-scroll").all()) {
    const cut = await drawing.evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.ok(cut <= 1, `a drawing is cut by ${cut} pixels`);
  }
  await scan();
});

for (const [size, options] of [
  ["wide and light", WIDE],
  ["wide and dark", { ...WIDE, theme: "dark" }],
  ["narrow and light", { ...SIZES.phone, touch: true }],
  ["narrow and dark", { ...SIZES.phone, touch: true, theme: "dark" }],
]) {
  journey(`a loop and a failure, ${size}`, { ...options, path: "?example=second-instance" }, async ({ page, scan, shot }) => {
    const on = playground(page);
    await on.looks("Rows");
    await on.stepTo("back-10-30", "running").catch(() => {});
    await on.looks("Drawing");
    await shot("in a loop");
    await on.looks("Rows");
    await on.fast();
    await on.play();
    await on.shows("deploy", "failed");
    await on.pause();
    await on.looks("Drawing");
    await panel(page).getByText(/failed at instance 1, 2 of/).first().waitFor();
    await panel(page).getByRole("list", { name: /^Instances of / }).first().waitFor();
    await shot("after a failure");
    await panel(page).locator(".flow-scroll").last().screenshot({ path: `shots/drawing-${size.replaceAll(" ", "-")}.png` });
    await scan();
  });
}

for (const [width, height] of [[1440, 900], [1280, 800], [390, 844]]) {
  journey(`texts of a drawing can be read at ${width}, and the step at work is in sight`, { width, height, touch: width < 500, path: "?example=second-instance" }, async ({ page, shot }) => {
    const on = playground(page);
    const marks = panel(page).getByRole("list", { name: /^Instances of / }).getByRole("listitem");
    await panel(page).waitFor();
    for (let steps = 0; steps < 30 && (await marks.count()) === 0; steps += 1) {
      await page.keyboard.press(">");
      await on.answered();
    }
    assert.ok((await marks.count()) > 0, "a loop is at work");
    const sizes = await panel(page).locator(".flow-svg").evaluateAll((drawings) =>
      drawings.flatMap((drawing) => {
        const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
        const texts = [...drawing.querySelectorAll("text, .flow-name, .flow-status")].filter((text) => text.checkVisibility());
        return texts.map((text) => [text.textContent, scale * Number.parseFloat(getComputedStyle(text).fontSize)]);
      }),
    );
    assert.ok(sizes.length > 3);
    assert.deepEqual(sizes.filter(([, size]) => size < 11), []);
    const seen = await panel(page).locator('[data-step][data-family="active"]').last().evaluate((step) => {
      const [own, drawing] = [step, step.closest(".flow-scroll")].map((it) => it.getBoundingClientRect());
      return [own.left - drawing.left, drawing.right - own.right];
    });
    assert.ok(Math.min(...seen) >= -1, `the step at work is cut by ${-Math.min(...seen)} pixels`);
    await shot("readable");
  });
}

journey("a plan that is made is taken over and edited", { ...WIDE, path: "?example=generated-upgrade" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.looks("Rows");
  await on.stepTo("deploy", "running").catch(() => {});
  await on.looks("Drawing");
  await panel(page).getByText("The plan as text").click();
  await panel(page).getByText("class: instance-loop").first().waitFor();
  await shot("made");
  await panel(page).getByRole("button", { name: "Generate its plan" }).click();
  const definition = page.getByRole("region", { name: "Definition" });
  await definition.getByRole("tab", { name: "plan.yaml", selected: true }).waitFor();
  await on.type(
    "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps:\n- id: mine\n  class: group\n  on_fail: fail\n  steps:\n  - { id: only, class: delay, duration: 3 }\n",
  );
  await definition.getByRole("button", { name: "Start over with this" }).click();
  await on.looks("Rows");
  await on.shows("deploy", "ready");
  await on.row("mine").waitFor();
  await shot("edited");
  await scan();
});

journey("a model where a plan is meant is offered its plan", { ...WIDE, path: "?example=quality-gate" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  const definition = page.getByRole("region", { name: "Definition" });
  await definition.getByRole("tab", { name: "model.yaml" }).click();
  await definition.getByRole("button", { name: "Remove model.yaml" }).click();
  await definition.getByRole("tab", { name: "plan.yaml" }).click();
  await on.type(
    'doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n  back: { image: "acme/back:2.0", replicas: ${n-2} }\n',
  );
  await definition.getByText("This is a Skopos model, not a deployment plan").first().waitFor();
  await shot("named");
  await definition.getByRole("button", { name: "Generate its plan" }).first().click();
  await definition.getByRole("tab", { name: "model.yaml", selected: true }).waitFor();
  await on.looks("Rows");
  await on.shows("deploy", "ready");
  await on.looks("Drawing");
  await panel(page).getByText("This plan is made from the model").waitFor();
  await shot("offered");
  await scan();
});

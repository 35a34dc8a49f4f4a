// Plain Kubernetes workloads: from a pasted Deployment to its rollout, a pause, an undo, and a rollout that gets nowhere.
import assert from "node:assert/strict";
import { SIZES, journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const WIDE = { width: 1440, height: 900 };

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: web:1
          resources: {requests: {cpu: 250m, memory: 128Mi}}
          readinessProbe: {httpGet: {path: /ready, port: 80}, periodSeconds: 5}
`;

const PLAN = "deployment.web";

/** Opens a pasted text through the dialog. */
async function paste(page, text) {
  await page.keyboard.press("o");
  const dialog = page.getByRole("dialog", { name: "Open" });
  await dialog.getByRole("textbox").fill(text);
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("heading", { name: "Workloads of web" }).waitFor();
}

/** Pastes the Deployment, and plays until it is complete. */
async function deployed(page) {
  const on = playground(page);
  await paste(page, DEPLOYMENT);
  await on.fast();
  await on.play();
  await on.shows(PLAN, "Complete");
  await on.pause();
  return on;
}

/** Sets the image of the Deployment through its command. */
async function image(page, on, name) {
  await on.command(PLAN, /^Scale or set image/);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(`image=${name}`);
  await dialog.getByRole("button", { name: "Scale or set image" }).click();
  await dialog.waitFor({ state: "hidden" });
}

journey("a pasted Deployment is rolled out, paused, resumed and undone", { ...WIDE }, async ({ page, scan, shot }) => {
  const on = await deployed(page);
  await soon(async () => assert.match(await on.row("revision-1").innerText(), /3\/3/));
  await shot("complete");
  await on.command(PLAN, /^Pause rollout/);
  await on.play();
  // All pods are as the template asks for, so the pause holds nothing back yet.
  await on.shows(PLAN, "Complete");
  await image(page, on, "web:2");
  await on.shows(PLAN, "Paused");
  await soon(async () => assert.equal(await on.tree.getByText("revision-2", { exact: true }).count(), 0, "a paused rollout makes no pods"));
  await on.command(PLAN, /^Resume rollout/);
  await on.shows("revision-2", "Complete");
  await on.shows(PLAN, "Complete");
  await on.command(PLAN, /^Undo rollout/);
  await on.shows("revision-3", "Complete");
  await on.shows(PLAN, "Complete");
  await on.pause();
  await shot("undone");
  await scan();
});

journey("an image that does not exist stops a rollout, and Why has the way out", { ...WIDE, path: "?example=kubernetes-bad-image" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.stepTo(PLAN, "ProgressDeadlineExceeded");
  // The longest status word has its column for itself.
  const word = await on.row(PLAN).getByText("ProgressDeadlineExceeded", { exact: true }).first().boundingBox();
  const done = await on.row(PLAN).getByText(/^\d+\/\d+$/).boundingBox();
  assert.ok(word.x + word.width <= done.x, `the status ends at ${word.x + word.width}, its progress begins at ${done.x}`);
  await on.select(PLAN);
  await on.tab("Why");
  const why = on.why();
  await why.getByText(/Back-off pulling image "shop\/web:tow"/).first().waitFor();
  const end = why.getByRole("button", { name: /^End the fault no-image/ });
  await end.waitFor();
  await shot("stuck");
  await scan();
  await end.click();
  await on.stepTo(PLAN, "Complete");
});

/** The panel with all objects. */
async function objects(page, on) {
  await on.tab("Objects");
  const panel = page.getByRole("region", { name: /^Objects of / });
  await panel.waitFor();
  return panel;
}

for (const [size, options] of [
  ["wide and light", WIDE],
  ["narrow and dark", { ...SIZES.phone, touch: true, theme: "dark" }],
]) {
  journey(`objects with conditions, events and YAML, ${size}`, { ...options, path: "?example=kubernetes-first-rollout" }, async ({ page, scan, shot }) => {
    const on = playground(page);
    await on.fast();
    await on.play();
    await on.shows(PLAN, "Complete");
    await on.pause();
    await on.select(PLAN);
    const panel = await objects(page, on);
    // The selected workload is open.
    const own = panel.getByRole("region", { name: "Deployment web" });
    await own.getByRole("rowheader", { name: "Available" }).waitFor();
    await own.getByText("MinimumReplicasAvailable").first().waitFor();
    await own.getByText("ScalingReplicaSet").first().waitFor();
    const text = own.getByLabel("YAML of Deployment web");
    await soon(async () => assert.match(await text.innerText(), /terminationGracePeriodSeconds: 30 {2}# default/));
    await shot("workload");
    await scan();
    await own.getByRole("checkbox", { name: "With defaults" }).uncheck();
    await soon(async () => assert.doesNotMatch(await text.innerText(), /# default|terminationGracePeriodSeconds/));
    await soon(async () => assert.match(await text.innerText(), /kind: Deployment/));
    // By keyboard from one object to another.
    const pod = panel.getByRole("button", { name: /^web-.*-.*Running/ }).first();
    await pod.focus();
    await page.keyboard.press("Enter");
    await panel.getByRole("region", { name: /^Pod web-/ }).getByText("Started container").first().waitFor();
    await shot("pod");
    await panel.getByRole("searchbox", { name: "Find an object" }).fill("no such object");
    await panel.getByText("No object is called so at this moment.").waitFor();
  });
}

journey("a task on the machine map leads to its pod", { ...WIDE, path: "?example=kubernetes-first-rollout" }, async ({ page }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows(PLAN, "Complete");
  await on.pause();
  await on.tab("Cluster");
  await on.inspector.getByRole("button", { name: /^Actions for web-.*-web$/ }).first().click();
  await page.getByRole("menu").getByRole("menuitem", { name: "Conditions, events and YAML" }).click();
  await page.getByRole("region", { name: /^Pod web-/ }).getByText(/Successfully assigned/).first().waitFor();
});

/** Asks for the changes of the edited definition. */
async function changes(page) {
  const button = page.getByRole("button", { name: "Update the service" }).first();
  await button.click();
  const dialog = page.getByRole("dialog", { name: "Changes before they are applied" });
  await dialog.waitFor();
  return dialog;
}

journey("an update shows its changes before it is applied, and can be left", { ...WIDE }, async ({ page, scan, shot }) => {
  const on = await deployed(page);
  await on.type(DEPLOYMENT.replace("image: web:1", "image: web:2").replace("replicas: 3", "replicas: 4"));
  let dialog = await changes(page);
  await dialog.getByText(/^1 configured; 3 pods are replaced/).waitFor();
  const row = (path) => dialog.getByRole("row").filter({ has: page.getByRole("rowheader", { name: path, exact: true }) });
  await soon(async () => assert.match(await row("spec.replicas").innerText(), /3\s+4/));
  await soon(async () => assert.match(await row("spec.template.spec.containers[web].image").innerText(), /web:1\s+web:2/));
  await shot("configured");
  await scan();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await on.answered();
  await soon(async () => assert.equal(await on.status(PLAN), "Complete"));
  dialog = await changes(page);
  await dialog.getByText(/^1 configured/).waitFor();
  // Apply has the focus.
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await on.shows(PLAN, "(Pending|Progressing)");
  await on.play();
  await on.shows("revision-2", "Complete");
  await on.pause();
});

journey("a change of an immutable field is refused in the words of the API", { ...WIDE, theme: "dark" }, async ({ page, scan, shot }) => {
  const on = await deployed(page);
  await on.type(DEPLOYMENT.replaceAll("{app: web}", "{app: other}"));
  const dialog = await changes(page);
  await dialog.getByText(/field is immutable/).waitFor();
  await soon(async () => assert.equal(await dialog.getByRole("button", { name: /^Apply/ }).getAttribute("aria-disabled"), "true"));
  await shot("refused");
  await scan();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
});

for (const [size, options] of [
  ["wide and light", WIDE],
  ["narrow and dark", { ...SIZES.phone, touch: true, theme: "dark" }],
]) {
  journey(`a field is changed in one of two worlds, ${size}`, { ...options, path: "?example=kubernetes-first-rollout" }, async ({ page, scan, shot }) => {
    const on = playground(page);
    await on.select(PLAN);
    await on.tab("Why");
    await on.inspector.getByRole("button", { name: "Change a field …" }).click();
    const dialog = page.getByRole("dialog", { name: "What happens when I change this field?" });
    const surge = dialog.getByRole("button", { name: /^maxSurge: 25% → 100%/ });
    await surge.waitFor();
    await shot("fields");
    await scan();
    await surge.focus();
    await page.keyboard.press("Enter");
    const table = dialog.getByRole("table", { name: "Both worlds in numbers" });
    await table.waitFor();
    await dialog.getByText("Applied to what runs, it restarts nothing.").waitFor();
    const time = table.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "The rollout after it: time to complete" }) });
    // All new pods start at once: the rollout with the change is the faster one.
    await soon(async () => assert.match(await time.getByRole("cell").nth(1).innerText(), /better/));
    await shot("numbers");
    await scan();
    await dialog.getByRole("button", { name: "Watch both side by side" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("heading", { name: "This run and the world with maxSurge 100%" }).waitFor();
    await shot("side by side");
    await scan();
  });
}

journey("a Deployment on a phone in the dark", { ...SIZES.phone, touch: true, theme: "dark", path: "?example=kubernetes-first-rollout" }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await on.fast();
  await on.play();
  await on.shows(PLAN, "Complete");
  await on.pause();
  await shot("tree");
  await scan();
});

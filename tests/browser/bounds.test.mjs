// One digit too many: a million copies are a finding at the number, and the page goes on. A run that reaches a bound of the
// simulator is paused with its reason, and the page goes on.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");

/**
 * The definition of an example's system with a number of copies, the code of the finding, the line of the number, and the file that
 * is edited where it is not the one shown first.
 */
const DEFINITIONS = [
  {
    system: "DC/OS SDK",
    example: "hello-world",
    code: "SDK051",
    line: 4,
    text: (copies) =>
      `name: big\npods:\n  web:\n    count: ${copies}\n    tasks:\n      s: { goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32 }\n`,
  },
  {
    system: "Marathon",
    example: "marathon-readiness",
    code: "MAR013",
    line: 6,
    text: (copies) => `{\n  "id": "/web",\n  "cmd": "./web",\n  "cpus": 0.1,\n  "mem": 16,\n  "instances": ${copies}\n}\n`,
  },
  {
    system: "Kubernetes",
    example: "kubernetes-first-rollout",
    code: "KUB007",
    line: 5,
    text: (copies) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n  replicas: ${copies}\n  selector: { matchLabels: { a: b } }\n  template:\n    metadata: { labels: { a: b } }\n    spec: { containers: [{ name: c, image: nginx }] }\n`,
  },
  {
    system: "KUDO",
    example: "kudo-first-operator",
    file: "params.yaml",
    code: "KUDO060",
    line: 4,
    text: (copies) =>
      `apiVersion: kudo.dev/v1beta1\nparameters:\n  - name: REPLICAS\n    default: "${copies}"\n  - name: GREETING\n    default: hello\n  - name: CPUS\n    default: 250m\n`,
  },
  {
    system: "Skopos",
    example: "generated-upgrade",
    file: "model.yaml",
    code: "SKO081",
    line: 4,
    text: (copies) =>
      `doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n  front: { image: "acme/front:2.0", replicas: ${copies} }\n`,
  },
];

for (const { system, example, file, code, line, text } of DEFINITIONS) {
  journey(`a million copies are a finding at the number, ${system}`, { width: 1440, height: 900, path: `?example=${example}` }, async ({ page, scan, shot }) => {
    const on = playground(page);
    if (system === "Skopos") {
      await on.looks("Rows");
    }
    const before = await on.text();
    const definition = page.getByRole("region", { name: "Definition" });
    if (file) {
      await definition.getByRole("tab", { name: file }).click();
    }
    await on.type(text(1_000_000));
    const plans = page.getByRole("region", { name: "Plans" });
    await plans.getByText("Showing the last valid version").waitFor();
    await plans.getByRole("button", { name: "Show" }).click();
    await definition.getByText(code).first().waitFor();
    await soon(async () => {
      const told = await definition.innerText();
      assert.match(told, /simulator takes/, told);
      assert.match(told, /100000/, told);
      assert.match(told, new RegExp(`\\b${line}:\\d+`), told);
    });
    await scan();
    await shot("finding");
    // The page goes on: the world before is there and runs, and the number is mended by typing.
    assert.equal(await on.text(), before);
    await on.play();
    await soon(async () => assert.ok((await on.now()) > 0, "the clock runs"));
    await on.pause();
    await on.type(text(2));
    await soon(async () => assert.equal(await definition.getByText(code).count(), 0));
  });
}

/** The journal of a run that has come to one minute before a hundred years are over, where a world ends. */
function old() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "planarium-old-"));
  const model = path.join(folder, "model.yaml");
  fs.writeFileSync(model, "doctype: com.datagridsys.doctype/skopos/model\nversion: 1\ncomponents:\n  web:\n    image: acme/web:1\n");
  const planarium = (...given) => {
    const { status, stdout, stderr } = spawnSync(PLANARIUM, ["share", ...given], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  const journal = JSON.parse(planarium("--decode", planarium(model)));
  fs.rmSync(folder, { recursive: true });
  return JSON.stringify({ ...journal, end_ms: END_MS - 60_000 });
}

/** The end of time. *Units*: milliseconds. */
const END_MS = 100 * 365 * 24 * 3_600_000;
const PAUSED = "The run is paused: a world ends after a hundred years.";

journey("a run that reaches the end of time is paused with its reason", { width: 1440, height: 900 }, async ({ page, scan, shot }) => {
  const on = playground(page);
  await page.keyboard.press("o");
  const dialog = page.getByRole("dialog", { name: "Open", exact: true });
  await dialog.getByRole("textbox").fill(old());
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await dialog.waitFor({ state: "hidden" });
  await on.dock.getByText(/at rest|now/).first().waitFor();
  await page.keyboard.press("End");
  await soon(async () => assert.equal(await on.now(), END_MS - 60_000));
  const beyond = async () => {
    await on.dock.getByRole("button", { name: /^Go to a time/ }).click();
    await on.dock.getByRole("textbox", { name: "Go to the time" }).fill("876001:00:00");
    await page.keyboard.press("Enter");
    await page.getByText(PAUSED).first().waitFor();
    await soon(async () => assert.equal(await on.now(), END_MS));
  };
  await beyond();
  await shot("paused");
  await scan();
  // Said again, and nothing moves; another example begins anew.
  await beyond();
  await on.example("Canary: two continues");
  await on.play();
  await soon(async () => assert.ok((await on.now()) > 0, "the clock runs"));
});

// One digit too many: a million copies are a finding at the number, and the page goes on.
import assert from "node:assert/strict";
import { journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

/** The definition of an example's system with a number of copies, the code of the finding, and the line of the number. */
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
];

for (const { system, example, code, line, text } of DEFINITIONS) {
  journey(`a million copies are a finding at the number, ${system}`, { width: 1440, height: 900, path: `?example=${example}` }, async ({ page, scan, shot }) => {
    const on = playground(page);
    const before = await on.text();
    await on.type(text(1_000_000));
    const plans = page.getByRole("region", { name: "Plans" });
    await plans.getByText("Showing the last valid version").waitFor();
    await plans.getByRole("button", { name: "Show" }).click();
    const definition = page.getByRole("region", { name: "Definition" });
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

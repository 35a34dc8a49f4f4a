// The page on a served world: it shows what other clients do to it while they do it, and its own commands act on that same world.
//
// `planarium serve` runs beside the page's own server, so the page is one of another origin that the server allows.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DIST, open, scan, serve, shot, soon, started } from "./harness.mjs";
import { playground } from "./playground.mjs";

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");

/** A server of a world, with a client of its API. */
async function world(words, port = 0, env = {}) {
  const child = spawn(PLANARIUM, ["serve", "--listen", `127.0.0.1:${port}`, ...words], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`planarium serve ended with ${code}`)));
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
  });
  const address = line.replace("listening on http://", "");
  const call = async (method, target, body) => {
    const answer = await fetch(`http://${address}${target}`, {
      method,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${target}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
    return answer.json();
  };
  const end = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.once("exit", resolve);
      child.kill("SIGKILL");
    });
  return { address, port: Number(address.split(":")[1]), call, end };
}

/** A test with a page on a served world; `words` start the world. Is skipped where `options.skipped` gives a reason. */
function served(name, words, options, steps) {
  test(name, async (context) => {
    if (options.skipped) {
      context.skip(options.skipped);
      return;
    }
    const site = await serve();
    const origin = new URL(site.url).origin;
    const there = await world([...words, "--allow-origin", origin]);
    let opened;
    try {
      const address = `${site.url}?world=${encodeURIComponent(`ws://${there.address}/sim/page`)}`;
      opened = await open(address, options);
      await started(opened.page);
      const { page } = opened;
      const line = page.getByRole("status", { name: "Served world" });
      const restart = async () => Object.assign(there, await world([...words, "--allow-origin", origin], there.port));
      await steps({ page, there, line, restart, on: playground(page), shot: (label) => shot(page, `${name}-${label}`) });
      opened.check();
    } catch (error) {
      if (opened) {
        await shot(opened.page, `failed-${name}`).catch(() => "none");
        error.message += `\nThe page reported:\n${opened.problems.join("\n")}`;
      }
      throw error;
    } finally {
      await opened?.close();
      await there.end();
      await site.close();
    }
  });
}

const WEB = { id: "/web", cmd: "sleep 1000", cpus: 0.1, mem: 32, instances: 2 };
const MANUAL = ["examples/hello-world", "--clock", "manual"];

served("the page shows what another client does", MANUAL, {}, async ({ page, there, line, on, shot: keep }) => {
  await line.getByText(`Served world at ${there.address}.`).waitFor();
  await on.shows("deploy", "PENDING");
  await there.call("POST", "/sim/advance", { until: "deploy=COMPLETE" });
  await on.shows("deploy", "COMPLETE");
  const now = async () => (await there.call("GET", "/sim")).now_ms;
  await soon(async () => assert.equal(await on.now(), await now()));

  // The Marathon client of somebody else installs an app.
  await there.call("POST", "/v2/apps", WEB);
  await there.call("POST", "/sim/advance", { for_ms: 60_000 });
  await on.tab("Cluster");
  await page.getByRole("region", { name: "Inspector" }).getByText(/^web/).first().waitFor();
  await keep("installed");

  // A task of the service is killed; the page shows the recovery.
  await there.call("POST", "/sim/inputs", { kind: "fault", fault: "task-fail", target: { task: "hello-0-server" } });
  await there.call("POST", "/sim/advance", { for_ms: 5_000 });
  await on.tab("Log");
  await on.inspector.getByText(/hello-0-server.*(FAILED|failed)/).first().waitFor();
  await on.shows("recovery", "(IN_PROGRESS|STARTING|STARTED|PREPARED|PENDING|COMPLETE)");
  await scan(page);
  await keep("killed");
});

served("what the page does is done to the served world", MANUAL, {}, async ({ page, there, on, shot: keep }) => {
  await on.shows("deploy", "PENDING");
  await on.command("deploy", /^(Interrupt|Pause)/);
  await on.shows("deploy", "WAITING");
  const plan = await fetch(`http://${there.address}/v1/plans/deploy`).then((answer) => answer.json());
  assert.equal(plan.status, "WAITING");
  // Playing moves the served clock.
  await on.fast();
  await on.play();
  await soon(async () => assert.ok((await there.call("GET", "/sim")).now_ms > 2_000));
  await on.pause();
  // What would take the world away from the others is refused in words.
  for (const name of [/^Examples/, "Lessons"]) {
    const button = page.getByRole("banner").getByRole("button", { name }).first();
    assert.equal(await button.getAttribute("aria-disabled"), "true");
  }
  await page.keyboard.press("Control+z");
  await page.getByText(/undo would take back what others did/).waitFor();
  assert.equal((await there.call("GET", "/sim/branches")).length, 1);
  await keep("refused");
});

served("a real clock runs by itself", ["examples/hello-world", "--speed", "50"], {}, async ({ on }) => {
  await on.shows("deploy", "COMPLETE");
  assert.equal(await on.dock.getByRole("button", { name: "Play", exact: true }).getAttribute("aria-disabled"), "true");
  const then = await on.now();
  await soon(async () => assert.ok((await on.now()) > then));
});

const lost = { expected: (text) => /WebSocket/.test(text) };

served("a lost connection is told, and the page goes on when the server is back", MANUAL, lost, async ({ page, there, line, restart, on, shot: keep }) => {
  await there.call("POST", "/sim/advance", { until: "deploy=COMPLETE" });
  await on.shows("deploy", "COMPLETE");
  await there.end();
  await line.getByText(`No connection to ${there.address}.`).waitFor();
  await on.shows("deploy", "COMPLETE");
  await on.command("deploy", /^(Restart|Start over)/);
  await page.getByText("Not done: the connection to the served world is lost.").waitFor();
  await keep("lost");
  await restart();
  await line.getByText(`Served world at ${there.address}.`).waitFor();
  await on.shows("deploy", "PENDING");
});

// ---- clients that other people wrote -----------------------------------------------------------

const PYTHON = process.env.PLANARIUM_CLIENTS;
const libraries = { skipped: PYTHON ? undefined : "no Python with the client libraries is given by PLANARIUM_CLIENTS" };
const run = promisify(execFile);
const kubectl = {
  skipped: await run("kubectl", ["version", "--client"]).then(
    () => undefined,
    () => "kubectl is missing (on Debian, as root: apt-get install kubernetes-client)",
  ),
};

/** Starts `tests/clients/act.py` against a world; `said` waits for a line that it prints. */
function acting(there, what) {
  const child = spawn(PYTHON, [path.join(ROOT, "tests", "clients", "act.py"), there.address, what], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    said: (line) => soon(() => assert.ok(text.split("\n").includes(line), `not yet: ${line}`)),
    end: async () => {
      child.stdin.end();
      assert.equal(await ended, 0);
    },
  };
}

const SHOP = ["examples/kubernetes-first-rollout", "--clock", "manual"];

served("kubectl rolls out, pauses, resumes and undoes, and the page shows each", SHOP, kubectl, async ({ there, on, shot: keep }) => {
  const control = (...words) => run("kubectl", ["--server", `http://${there.address}/kube`, ...words]);
  await there.call("POST", "/sim/advance", { until: "deployment.web=Complete" });
  await on.shows("deployment.web", "Complete");
  await control("set", "image", "deployment/web", "web=shop/web:2");
  await there.call("POST", "/sim/advance", { for_ms: 2_000 });
  await on.shows("deployment.web", "Progressing");
  await control("rollout", "pause", "deployment/web");
  await there.call("POST", "/sim/advance", { for_ms: 1_000 });
  await on.shows("deployment.web", "Paused");
  await keep("paused");
  await control("rollout", "resume", "deployment/web");
  await there.call("POST", "/sim/advance", { until: "deployment.web=Complete" });
  await on.shows("deployment.web", "Complete");
  await on.shows("revision-1", "Superseded");
  await control("rollout", "undo", "deployment/web");
  await there.call("POST", "/sim/advance", { until: "deployment.web=Complete" });
  await on.shows("revision-2", "Superseded");
  await keep("undone");
});

served("the Marathon client installs an app and scales it while the page is open", MANUAL, libraries, async ({ page, there, on, shot: keep }) => {
  const client = acting(there, "marathon");
  await client.said("scaled");
  await client.end();
  await there.call("POST", "/sim/advance", { for_ms: 60_000 });
  await on.tab("Cluster");
  await page.getByRole("region", { name: "Inspector" }).getByText(/^billing/).nth(2).waitFor();
  await keep("scaled");
});

const REAL = ["examples/hello-world", "--speed", "20"];

served("a framework of pymesos takes an offer and the page shows its task", REAL, libraries, async ({ page, there, on, shot: keep }) => {
  const client = acting(there, "mesos");
  await client.said("launched");
  await on.tab("Cluster");
  await on.inspector.getByText(/^guest/).first().waitFor();
  await keep("guest");
  await client.end();
  // The framework has no time to come back, so its task ends with it.
  await page.waitForFunction(() => ![...document.querySelectorAll("*")].some((one) => one.textContent.trim() === "guest"));
});

for (const [label, options] of [
  ["wide dark", { width: 1440, height: 900, theme: "dark" }],
  ["wide light", { width: 1440, height: 900 }],
  ["narrow light", { width: 390, height: 844 }],
  ["narrow dark", { width: 390, height: 844, theme: "dark" }],
]) {
  served(`a served world is said plainly, ${label}`, MANUAL, options, async ({ page, there, line, on, shot: keep }) => {
    await line.getByText(`Served world at ${there.address}.`).waitFor();
    await there.call("POST", "/sim/advance", { for_ms: 20_000 });
    await soon(async () => assert.equal(await on.now(), 20_000));
    await scan(page);
    await keep("page");
  });
}

test("a page of an origin that is not allowed shows nothing and says why", async () => {
  const site = await serve();
  const there = await world(MANUAL);
  const { page, close } = await open(`${site.url}?world=${encodeURIComponent(`ws://${there.address}/sim/page`)}`);
  try {
    await page.getByText(`does it allow ${new URL(site.url).origin} (--allow-origin)?`).waitFor();
    assert.notEqual(await page.evaluate(() => document.documentElement.dataset.boot), "started");
  } finally {
    await close();
    await there.end();
    await site.close();
  }
});

test("the server hands its own page out, and that shows its world", async () => {
  const there = await world([...MANUAL, "--page", DIST]);
  const { page, check, close } = await open(`http://${there.address}/?world=/sim/page`);
  try {
    await started(page);
    await playground(page).shows("deploy", "PENDING");
    await there.call("POST", "/sim/advance", { until: "deploy=COMPLETE" });
    await playground(page).shows("deploy", "COMPLETE");
    check();
  } finally {
    await close();
    await there.end();
  }
});

test("serve opens the page that shows its world in the desktop's browser", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-desktop-"));
  const asked = path.join(folder, "asked");
  await writeFile(path.join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > "${asked}"\n`, { mode: 0o755 });
  const there = await world([...MANUAL, "--page", DIST, "--open"], 0, { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ":0" });
  try {
    let address = "";
    await soon(async () => assert.notEqual((address = await readFile(asked, "utf8").catch(() => "")), ""));
    assert.equal(new URL(address).host, there.address);
    const { page, check, close } = await open(address);
    await started(page);
    await there.call("POST", "/sim/advance", { until: "deploy=COMPLETE" });
    await playground(page).shows("deploy", "COMPLETE");
    check();
    await close();
  } finally {
    await there.end();
    await rm(folder, { recursive: true });
  }
});

/**
 * Main states of the page: how each system looks in the middle of a run, and what lies beside a run. Each is reached by status changes
 * and events and never by the time that passed, so it is the same on every machine.
 */
import assert from "node:assert/strict";
import { playground } from "./playground.mjs";

/** Goes on by this many status changes. By keyboard: a phone has no room for the button. */
async function changes(on, count) {
  await on.answered();
  for (let done = 0; done < count; done += 1) {
    await on.page.keyboard.press(">");
    await on.answered();
  }
}

const middle = (count) => (page) => changes(playground(page), count);

/** Opens a command by its name in the palette. */
async function palette(page, words) {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill(words);
  await page.keyboard.press("Enter");
}

async function maintenance(page) {
  const on = playground(page);
  await changes(on, 14);
  await on.tab("Cluster");
  await on.inspector.getByRole("article").first().waitFor();
}

async function compared(page) {
  const on = playground(page);
  await changes(on, 8);
  await on.slider.focus();
  await page.keyboard.press("Home");
  await on.shows("deploy", "PENDING");
  await on.command("world", /^Interrupt/, 2);
  await on.shows("world", "WAITING", 2);
  await palette(page, "compare with");
  await on.inspector.getByRole("button", { name: "Branch main" }).click();
  await on.inspector.getByRole("button", { name: "Stop comparing" }).waitFor();
}

/** A run of each of the six systems: name, path, what leads there. */
export const SYSTEMS = [
  ["the SDK", "?example=web-shop", middle(6)],
  ["Marathon", "?example=marathon-three-at-seventy-percent", middle(14)],
  ["KUDO", "?example=kudo-first-operator", middle(2)],
  ["Skopos", "?example=second-instance", middle(6)],
  ["Kubernetes", "?example=kubernetes-first-rollout", middle(7)],
  ["Mesos maintenance", "?example=rolling-maintenance", maintenance],
];

/** Goes on by status changes until the page shows what is wanted. */
async function until(page, what, wanted) {
  const on = playground(page);
  await on.answered();
  for (let done = 0; done < 300 && !(await wanted()); done += 1) {
    await page.keyboard.press(">");
    await on.answered();
  }
  assert.ok(await wanted(), `${what} never came about`);
}

/** Until rows or drawing show a status. */
const status = (words) => (page) =>
  until(page, words, async () => words.test((await page.locator("[role=treegrid], .drawings").allTextContents()).join(" ")));

/** Until the run is over. */
const ended = (page) => until(page, "the end", async () => (await page.getByRole("region", { name: "The run has ended" }).count()) > 0);

/** Until a machine is in a mode; the machines are in view. */
const machine = (words) => async (page) => {
  const on = playground(page);
  await on.tab("Cluster");
  await until(page, words, async () => words.test((await on.inspector.getByRole("article").allInnerTexts()).join(" ")));
};

/** Opens the explanation of what is chosen from the start. */
const why = async (page) => playground(page).tab("Why");

/**
 * Further states of each system: example, what leads there, and the explanation in the same state. Each page is looked at in every size,
 * so the narrow ones are those of a window that is made narrow.
 */
export const FURTHER = [
  ["the SDK waiting", "?example=canary", status(/WAITING/), why],
  ["the SDK failed", "?example=refused-change", status(/ERROR/)],
  ["the SDK finished", "?example=web-shop", ended],
  ["Marathon waiting", "?example=marathon-constraints", status(/Waiting/), why],
  ["Marathon failed", "?example=marathon-backoff", status(/Delayed/)],
  ["Marathon finished", "?example=marathon-three-at-seventy-percent", ended],
  ["KUDO waiting", "?example=kudo-stuck-deploy", status(/IN_PROGRESS/), why],
  ["KUDO failed", "?example=kudo-fatal-job", status(/FATAL_ERROR/)],
  ["KUDO finished", "?example=kudo-first-operator", ended],
  ["Skopos waiting", "?example=ask-first", status(/waiting/), why],
  ["Skopos failed", "?example=quality-gate", status(/failed/)],
  ["Skopos finished", "?example=layered-environments", ended],
  ["Kubernetes waiting", "?example=kubernetes-quota", status(/ReplicaFailure/), why],
  ["Kubernetes failed", "?example=kubernetes-bad-image", status(/ImagePullBackOff|ProgressDeadlineExceeded/)],
  ["Kubernetes finished", "?example=kubernetes-first-rollout", ended],
  ["Mesos waiting", "?example=rolling-maintenance", machine(/draining/), why],
  ["Mesos failed", "?example=machine-down", machine(/down/)],
  ["Mesos finished", "?example=window-passes", ended],
];

/** What is open beside a run, or over it. */
export const BESIDE = [
  ["a lesson", "?lesson=canary", async (page) => page.getByRole("region", { name: "Lesson", exact: true }).first().waitFor()],
  [
    "the embed dialog",
    "?example=hello-world",
    async (page) => {
      await page.keyboard.press("e");
      await page.getByRole("dialog", { name: "Embed this run" }).getByRole("img", { name: "How it looks" }).waitFor();
    },
  ],
  ["two branches compared", "?example=hello-world", compared],
];

/**
 * Main states of the page: how each system looks in the middle of a run, and what lies beside a run. Each is reached by status changes
 * and events and never by the time that passed, so it is the same on every machine.
 */
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

// A link with `?src=`: the file is loaded from its address once the reader agrees, and never before.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { SIZES, journey, soon } from "./harness.mjs";
import { playground } from "./playground.mjs";

const SERVICE = `name: fetched
pods:
  fetched:
    count: 1
    tasks:
      server: {goal: RUNNING, cmd: ./fetched, cpus: 0.1, memory: 32}
`;
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "shop/web:1"}]}
`;
const SCENARIO = `version: 1
title: A fetched scenario
cluster: 2
services:
  - files: {svc.yml: ${JSON.stringify(SERVICE)}}
until: deploy=COMPLETE
`;

const OPEN = { "access-control-allow-origin": "*" };
/** Answers of the other server by path: status, headers, body. */
const FILES = {
  "/svc.yml": [200, { ...OPEN, "content-type": "text/plain" }, SERVICE],
  "/raw": [200, { ...OPEN, "content-type": "text/plain" }, DEPLOYMENT],
  "/run.planarium.yaml": [200, { ...OPEN, "content-type": "application/octet-stream" }, SCENARIO],
  "/closed.yml": [200, { "content-type": "text/plain" }, SERVICE],
  "/page.yml": [200, { ...OPEN, "content-type": "text/html; charset=utf-8" }, "<p>A page</p>"],
  "/picture.yml": [200, { ...OPEN, "content-type": "image/png" }, "no picture"],
  "/bytes.yml": [200, { ...OPEN, "content-type": "application/octet-stream" }, "a\0b"],
  "/empty.yml": [200, { ...OPEN, "content-type": "text/plain" }, " \n"],
  "/wrong.planarium.yaml": [200, { ...OPEN, "content-type": "text/plain" }, "version: 1\ncluster: 2\nservices:\n  - exmaple: x\n"],
  "/moved.yml": [302, { ...OPEN, location: "/svc.yml" }, ""],
  "/said-large.yml": [200, { ...OPEN, "content-type": "text/plain", "content-length": "7000000" }, "a: 1\n"],
  // Without a length the size is seen only as it arrives.
  "/large.yml": [200, { ...OPEN, "content-type": "text/plain" }, "a: 1\n".repeat(1_300_000)],
};

let other;
/** Paths that the other server was asked for, with what came along. */
const asked = [];
before(async () => {
  other = createServer((request, response) => {
    asked.push({ path: request.url, headers: request.headers });
    const [status, headers, body] = FILES[request.url] ?? [404, OPEN, ""];
    response.writeHead(status, headers);
    if (body.length > 1_000_000) response.write(body);
    response.end(body.length > 1_000_000 ? undefined : body);
  });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
});
after(() => {
  other.closeAllConnections();
  return new Promise((resolve) => other.close(resolve));
});

const origin = () => `http://127.0.0.1:${other.address().port}`;
const card = (page) => page.getByRole("dialog", { name: "Open a file from an address" });
/** Requests to the other server are the subject, and so is what the browser says where they fail. */
const expected = (text) => /third party|^console: .*(Failed to load resource|CORS)|^request failed|^answer 404/.test(text);

/** Opens the link to a file of the other server. */
async function link(page, url, file) {
  asked.length = 0;
  await page.goto(`${url}?src=${encodeURIComponent(file.includes(":") ? file : origin() + file)}`);
  await card(page).waitFor();
}

for (const [size, options] of [
  ["wide and light", { width: 1440, height: 900 }],
  ["narrow and dark", { ...SIZES.phone, touch: true, theme: "dark" }],
]) {
  journey(`a link's file is asked for, loaded and recognised, ${size}`, { ...options, expected }, async ({ page, url, scan, shot }) => {
    await link(page, url, "/svc.yml");
    await card(page).getByText(origin(), { exact: true }).waitFor();
    await scan();
    await shot("card");
    assert.deepEqual(asked, [], "nothing is requested before the yes");
    await card(page).getByRole("button", { name: "Load it" }).click();
    await playground(page).row("fetched-0:[server]").waitFor();
    await card(page).waitFor({ state: "hidden" });
    assert.deepEqual(asked.map(({ path }) => path), ["/svc.yml"]);
    const { cookie, referer } = asked[0].headers;
    assert.deepEqual({ cookie, referer }, { cookie: undefined, referer: undefined }, "nothing of the page goes along");
    // The link that the address bar shows from now on contains the run, so a reload asks nobody.
    await page.waitForURL(/#p1:/);
    await page.reload();
    await playground(page).row("fetched-0:[server]").waitFor();
    assert.equal(asked.length, 1);
  });
}

journey("a declined link asks nobody", { expected }, async ({ page, url }) => {
  await link(page, url, "/svc.yml");
  await card(page).getByRole("button", { name: "Not now" }).click();
  await card(page).waitFor({ state: "hidden" });
  const on = playground(page);
  await on.fast();
  await on.play();
  await page.waitForURL(/#p1:/);
  assert.deepEqual(asked, []);
});

journey("files of other systems and scenarios are recognised", { expected }, async ({ page, url }) => {
  await link(page, url, "/raw");
  await card(page).getByRole("button", { name: "Load it" }).click();
  await playground(page).row("deployment.web").waitFor();
  await link(page, url, "/run.planarium.yaml");
  await card(page).getByRole("button", { name: "Load it" }).click();
  await soon(async () => assert.match(await page.title(), /^A fetched scenario/));
});

journey("what cannot be loaded is said in the card, and can be tried again", { expected }, async ({ page, url, shot }) => {
  for (const [file, reason] of [
    ["/closed.yml", /does not let other pages read its files/],
    ["/nowhere.yml", /answered 404/],
    ["/page.yml", /it is a web page; link to the file itself/],
    ["/picture.yml", /it is no text but image\/png/],
    ["/bytes.yml", /it is not a text/],
    ["/empty.yml", /it is empty/],
    ["/moved.yml", /sends on to another address, which was not agreed to/],
    ["/said-large.yml", /it is larger than 6 MB/],
    ["/large.yml", /it is larger than 6 MB/],
    // The engine's reason stands there, too, with its place.
    ["/wrong.planarium.yaml", /wrong\.planarium\.yaml:4:5: .*exmaple/],
  ]) {
    await link(page, url, file);
    await card(page).getByRole("button", { name: "Load it" }).click();
    await card(page).getByRole("alert").filter({ hasText: reason }).waitFor();
    assert.equal(await card(page).getByText(/Nothing has been requested/).count(), 0);
    assert.deepEqual(asked.map(({ path }) => path), [file]);
    assert.equal(await page.locator(".toast").count(), 0);
  }
  await shot("refused");
  await link(page, url, "/large.yml");
  await card(page).getByRole("button", { name: "Load it" }).click();
  await card(page).getByRole("alert").filter({ hasText: /it is larger than 6 MB/ }).waitFor();
  FILES["/large.yml"] = FILES["/svc.yml"];
  await card(page).getByRole("button", { name: "Try again" }).click();
  await playground(page).row("fetched-0:[server]").waitFor();
});

journey("a pasted text that cannot be opened stays in the dialog with the reason", { width: 1440 }, async ({ page }) => {
  await page.keyboard.press("o");
  const dialog = page.getByRole("dialog", { name: "Open", exact: true });
  const text = "version: 1\ncluster: 2\nservices:\n  - exmaple: x\n";
  await dialog.getByRole("textbox").fill(text);
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await dialog.getByRole("alert").filter({ hasText: /4:5: .*exmaple/ }).waitFor();
  assert.equal(await dialog.getByRole("textbox").inputValue(), text);
  await dialog.getByRole("textbox").fill(SERVICE);
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await playground(page).row("fetched-0:[server]").waitFor();
  await dialog.waitFor({ state: "hidden" });
});

journey("only addresses of the web are asked for", { expected }, async ({ page, url, scan }) => {
  for (const [address, reason] of [
    ["javascript:alert(1)", /only https and http are loaded, not javascript/],
    ["file:///etc/hosts", /only https and http are loaded, not file/],
    ["https://name@example.org/svc.yml", /a name or a password before the host/],
    ["http:", /it is not a whole address/],
  ]) {
    await link(page, url, address);
    await card(page).getByRole("alert").filter({ hasText: reason }).waitFor();
    assert.equal(await card(page).getByRole("button", { name: "Load it" }).count(), 0);
  }
  await scan();
});

journey("an address in the Open dialog is asked for in the same way", { width: 1440, expected }, async ({ page }) => {
  asked.length = 0;
  await page.keyboard.press("o");
  const dialog = page.getByRole("dialog", { name: "Open", exact: true });
  await dialog.getByRole("textbox").fill(`${origin()}/svc.yml`);
  await dialog.getByRole("button", { name: "Open the text" }).click();
  await card(page).waitFor();
  assert.deepEqual(asked, []);
  await card(page).getByRole("button", { name: "Load it" }).click();
  await playground(page).row("fetched-0:[server]").waitFor();
});

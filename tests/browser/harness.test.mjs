// The harness itself: faults that it must report, and cases that it must accept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, scan, serve } from "./harness.mjs";

const html = (body, head = "") => ({
  type: "text/html; charset=utf-8",
  body: `<!doctype html><html lang="en"><head><title>Trial</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`,
});

async function problemsOf(pages, path = "trial") {
  const server = await serve("no-such-folder", pages);
  const opened = await open(server.url + path);
  try {
    await opened.page.waitForLoadState("networkidle");
    return opened.problems;
  } finally {
    await opened.close();
    await server.close();
  }
}

test("a page without errors has no problems", async () => {
  assert.deepEqual(await problemsOf({ "/trial": html("<main><h1>Fine</h1></main>") }), []);
});

test("errors in the console, exceptions, missing files and third parties are problems", async () => {
  const script = (code) => html(`<script>${code}</script>`);
  for (const [page, part] of [
    [script("console.error('spoken')"), "console: spoken"],
    [script("throw new Error('thrown')"), "exception: Error: thrown"],
    [html("<img alt='' src='missing.png'>"), "answer 404"],
    [html("<img alt='' src='http://127.0.0.2:9/x.png'>"), "third party"],
  ]) {
    const problems = await problemsOf({ "/trial": page });
    assert.ok(problems.some((problem) => problem.includes(part)), `${part} in ${JSON.stringify(problems)}`);
  }
});

test("nothing outside the folder is served", async () => {
  const server = await serve(new URL(".", import.meta.url).pathname);
  try {
    assert.equal((await fetch(`${server.url}harness.mjs`)).status, 200);
    for (const path of ["..%2f..%2fCargo.toml", "%2e%2e/%2e%2e/Cargo.toml", "%00", "%zz", "none"]) {
      assert.equal((await fetch(server.url + path)).status, 404, path);
    }
  } finally {
    await server.close();
  }
});

test("the accessibility scan finds a button without a name and passes a page without faults", async () => {
  const pages = {
    "/good": html("<main><h1>Good</h1><button>Play</button></main>"),
    "/bad": html("<main><h1>Bad</h1><button></button></main>"),
  };
  const server = await serve("no-such-folder", pages);
  try {
    const good = await open(`${server.url}good`);
    await scan(good.page);
    await good.close();
    const bad = await open(`${server.url}bad`);
    await assert.rejects(scan(bad.page), /button-name/);
    await bad.close();
  } finally {
    await server.close();
  }
});

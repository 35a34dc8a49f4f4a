// The editor bundle alone, under the policy of the page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { journey } from "./harness.mjs";

const read = (path) => readFile(new URL(path, import.meta.url), "utf8");
const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(await read("../../index.html"))[1];

const extra = {
  "/trial": {
    type: "text/html; charset=utf-8",
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Editor</title>
      <meta http-equiv="Content-Security-Policy" content="${policy}"><link rel="icon" href="data:,">
      <link rel="stylesheet" href="/trial.css"><script type="module" src="/trial.js"></script></head>
      <body><main><h1>Editor</h1><button>Before</button><div id="editor"></div><button>After</button></main></body></html>`,
  },
  "/trial.css": { type: "text/css", body: "#editor { height: 300px }" },
  "/editor.js": { type: "text/javascript", body: await read("../../web/editor/dist/editor.js") },
  "/trial.js": {
    type: "text/javascript",
    body: `import { createEditor } from "/editor.js";
      globalThis.log = { texts: [], cursors: [] };
      globalThis.editor = createEditor({
        parent: document.getElementById("editor"), doc: "name: hello\\npods:\\n  count: 1\\n", label: "Service definition",
        onChange: (text) => log.texts.push(text), onCursor: (...place) => log.cursors.push(place),
      });
      document.documentElement.dataset.boot = "started";`,
  },
};

const options = { path: "trial", folder: "no-such-folder", extra };

journey("the editor reports what is typed and where the cursor is, and stays quiet about setDoc", options, async ({ page }) => {
  const text = page.getByRole("textbox", { name: "Service definition" });
  await text.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# x\n");
  const [texts, cursors] = await page.evaluate(() => [log.texts, log.cursors]);
  assert.equal(texts.at(-1), "# x\nname: hello\npods:\n  count: 1\n");
  assert.deepEqual(cursors.at(-1), [4, 2, 1]);
  await page.evaluate(() => {
    log.texts.length = 0;
    editor.setDoc("name: world\n");
    editor.reveal(6, 11);
  });
  assert.deepEqual(await page.evaluate(() => [log.texts, editor.getDoc()]), [[], "name: world\n"]);
});

journey("findings are underlined, listed in a tooltip, and mended by their button", options, async ({ page }) => {
  await page.evaluate(() =>
    editor.setDiagnostics([
      { from: 20, to: 25, severity: "error", code: "SDK012", message: "unknown key", help: "did you mean `tasks`?", fix: { title: "Change to tasks", insert: "tasks" } },
      { from: 0, to: 4, severity: "warning", message: "odd" },
    ]),
  );
  assert.equal(await page.locator(".cm-lintRange-error").innerText(), "count");
  assert.equal(await page.locator(".cm-lint-marker-error").count(), 1);
  assert.equal(await page.locator(".cm-lint-marker-warning").count(), 1);
  await page.locator(".cm-lintRange-error").hover();
  const tip = page.locator(".cm-tooltip-lint");
  await tip.waitFor();
  assert.match(await tip.innerText(), /unknown key\s+did you mean `tasks`\?/);
  await tip.getByRole("button", { name: "Change to tasks" }).click();
  assert.equal(await page.evaluate(() => editor.getDoc()), "name: hello\npods:\n  tasks: 1\n");
});

journey("Tab indents, Escape and Tab leave: the keyboard is not trapped", options, async ({ page }) => {
  await page.getByRole("button", { name: "Before" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => editor.getDoc()), "name: hello\npods:\n  count: 1\n  ");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "After");
});

for (const dark of [false, true]) {
  const theme = dark ? "dark" : "light";
  journey(`the ${theme} editor has no accessibility fault and keeps its colours under the page's policy`, options, async ({ page, scan, shot }) => {
    await page.evaluate((isDark) => {
      editor.setTheme(isDark);
      editor.setDiagnostics([{ from: 0, to: 4, severity: "error", message: "odd", help: "even" }]);
    }, dark);
    const style = await page.locator(".cm-editor").evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.equal(style, dark ? "rgb(16, 21, 28)" : "rgb(255, 255, 255)");
    await scan();
    await shot(theme);
  });
}

journey("a read-only editor keeps its text and can still be read and left", options, async ({ page }) => {
  await page.evaluate(() => editor.setReadOnly(true));
  await page.getByRole("textbox", { name: "Service definition" }).click();
  await page.keyboard.type("x");
  assert.equal(await page.evaluate(() => editor.getDoc()), "name: hello\npods:\n  count: 1\n");
});

journey("an editor that is destroyed leaves nothing behind", options, async ({ page }) => {
  assert.equal(await page.evaluate(() => (editor.destroy(), document.getElementById("editor").children.length)), 0);
});

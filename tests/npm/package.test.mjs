// The npm package as its users have it.
import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { minified, sources } from "../../embed/build.mjs";
import { PLANARIUM, ROOT, node, project, run, served } from "./project.mjs";

const folder = await project("react", "react-dom", "scheduler");
const require = createRequire(import.meta.url);

test("the program of the README runs", async () => {
  const readme = await readFile(path.join(ROOT, "npm", "README.md"), "utf8");
  const program = readme.match(/```js\n(import \{ createSession[\s\S]*?)```/)[1];
  const printed = await node(folder, program);
  assert.match(printed, /ok: true[\s\S]*\ntrue\n[\s\S]*met: true/, printed);
  assert.match(printed, /deploy \(serial strategy\) \(COMPLETE\)/, printed);
});

test("a run has the digest of the command line", async () => {
  const scenario = path.join(ROOT, "examples", "hello-world");
  const native = JSON.parse((await run(PLANARIUM, ["run", scenario, "--format", "json"], { maxBuffer: 1 << 26 })).stdout);
  const ours = await node(folder, `
    import { createSession, init } from "planarium/engine";
    await init();
    const world = createSession({ example: "hello-world" });
    world.tick(${native.view.clock.now_ms});
    console.log(world.digest);`);
  assert.equal(ours.trim(), native.view.clock.digest);
});

test("refusals are answers, sources that cannot be read throw", async () => {
  const printed = await node(folder, `
    import { createSession, decodeShare, encodeShare, init, parse } from "planarium/engine";
    await Promise.all([init(), init()]);
    const world = createSession({ example: "canary" });
    const refused = world.command({ op: "continue", plan: "no-such-plan" });
    const fault = world.inject({ kind: "agent-lost", target: { agent: "*" }, for_ms: 60000 });
    const [one, other] = [{ kind: "agent-lost" }, { fault: "agent-lost" }].map((words) => {
      const broken = createSession({ example: "canary" }).tick(5000);
      return broken.inject({ ...words, target: { agent: "*" }, for_ms: 60000 }).ok && broken.tick(30000).digest;
    });
    world.tick(30000);
    const again = createSession({ share: world.share() });
    const why = world.why("deploy");
    const bad = createSession({ definition: "name: x\\npods: 3\\n" });
    let thrown = 0;
    for (const source of [{ scenario: "nonsense: [" }, { share: "p1:@@" }, { example: "none" }]) {
      try { createSession(source); } catch { thrown += 1; }
    }
    console.log(JSON.stringify({
      refused, fault: fault.ok, spellings: one !== false && one === other, same: again.digest === world.digest, why: why.reasons.length, none: world.why("none"),
      bad: bad.loaded.ok, findings: parse("name: x\\npods: 3\\n").diagnostics.length, thrown,
      share: decodeShare(encodeShare(world)).entries.length === decodeShare(encodeShare(world.journal())).entries.length,
    }));`);
  const seen = JSON.parse(printed);
  assert.equal(seen.refused.ok, false);
  assert.ok(seen.refused.code && seen.refused.reason);
  assert.equal(seen.spellings, true, "kind and fault say the same");
  assert.deepEqual([seen.fault, seen.same, seen.none, seen.bad, seen.thrown, seen.share], [true, true, null, false, 3, true]);
  assert.ok(seen.why > 0 && seen.findings > 0);
});

test("a picture from Node is the one of the command line", async () => {
  const printed = await node(folder, `
    import { renderHtml } from "planarium/ssr";
    process.stdout.write(await renderHtml({ example: "canary", until: "t=300s" }));`);
  const recording = (html) => JSON.parse(html.match(/<script[^>]*pl-recording[^>]*>([\s\S]*?)<\/script>/)[1]);
  const native = (await run(PLANARIUM, ["render", path.join(ROOT, "examples", "canary"), "--html"])).stdout;
  assert.match(printed, /<table[^>]*role="treegrid"/);
  assert.deepEqual(recording(printed).rows, recording(native).rows);
  await assert.rejects(
    node(folder, `import { renderHtml } from "planarium/ssr"; await renderHtml({ definition: "name: x\\npods: 3\\n" });`),
    /definition\.yml:2:/,
  );
});

test("a lesson is drawn in Node as planarium embed draws it", async () => {
  const engine = "/play/embed.html";
  const printed = await node(folder, `
    import { renderHtml } from "planarium/ssr";
    process.stdout.write(await renderHtml({ lesson: "canary", engine: "${engine}" }));`);
  const drawn = run(PLANARIUM, ["embed", "--fence", "--info", `planarium lesson="canary" engine="${engine}"`]);
  drawn.child.stdin.end();
  assert.equal(printed, (await drawn).stdout);
  await assert.rejects(
    node(folder, `import { renderHtml } from "planarium/ssr"; await renderHtml({ lesson: "canray" });`),
    /there is no lesson canray; did you mean canary\?/,
  );
});

test("a picture that names an engine holds the run that it takes over", async () => {
  const printed = await node(folder, `
    import { createSession, init } from "planarium/engine";
    import { renderHtml } from "planarium/ssr";
    await init();
    const html = await renderHtml({ example: "canary", until: "t=300s", engine: "/play/embed.html", attributes: [["panes", "tree,why"]] });
    const [, tag] = html.match(/^(<planarium-embed [^>]*>)/);
    const run = JSON.parse(html.match(/pl-run">([^<]*)</)[1]);
    const { digest, end, by } = JSON.parse(html.match(/pl-recording">([^<]*)</)[1]);
    const again = createSession({ share: run });
    console.log(JSON.stringify({ tag, same: again.digest === digest, end: again.time === end, by }));`);
  const { tag, ...rest } = JSON.parse(printed);
  const { version } = JSON.parse(await readFile(path.join(folder, "node_modules", "planarium", "package.json"), "utf8"));
  assert.match(tag, / panes="tree,why" engine="\/play\/embed\.html"/);
  assert.deepEqual(rest, { same: true, end: true, by: version });
});

test("the engine runs in a worker, with the digest that it has outside", async () => {
  await writeFile(path.join(folder, "worker.mjs"), `
    import { parentPort } from "node:worker_threads";
    import { createSession, init } from "planarium/engine";
    parentPort.on("message", async ({ example, ms }) => {
      await init();
      const world = createSession({ example });
      parentPort.postMessage({ digest: world.tick(ms).digest, text: world.renderText() });
      world.dispose();
    });`);
  const printed = await node(folder, `
    import { Worker } from "node:worker_threads";
    import { once } from "node:events";
    import { createSession, init } from "planarium/engine";
    const worker = new Worker(new URL("./worker.mjs", import.meta.url));
    worker.postMessage({ example: "canary", ms: 30000 });
    const [inside] = await once(worker, "message");
    await worker.terminate();
    await init();
    const outside = createSession({ example: "canary" }).tick(30000);
    console.log(JSON.stringify({ same: inside.digest === outside.digest, text: inside.text === outside.renderText() }));`);
  assert.deepEqual(JSON.parse(printed), { same: true, text: true });
});

test("a plain module script takes the engine and the element from addresses, without a bundler", async () => {
  const { url, asked, close } = await served(path.join(folder, "node_modules", "planarium"));
  try {
    const printed = await node(folder, `
      import { register } from "node:module";
      // Modules by address, as a browser has them: nothing is looked up in node_modules, and Node's own modules are not there.
      register("data:text/javascript," + encodeURIComponent(\`
        export async function resolve(name, context, next) {
          if (!context.parentURL?.startsWith("http:") && !name.startsWith("http:")) return next(name, context);
          return { url: new URL(name, context.parentURL?.startsWith("http:") ? context.parentURL : undefined).href, shortCircuit: true };
        }
        export async function load(url, context, next) {
          if (!url.startsWith("http:")) return next(url, context);
          const answer = await fetch(url);
          if (!answer.ok) throw new Error(url + " answers " + answer.status);
          return { format: "module", source: await answer.text(), shortCircuit: true };
        }\`));
      const { createSession, init } = await import("${url}engine.js");
      await init();
      await import("${url}element.js");
      const { renderHtml } = await import("${url}ssr.js");
      const html = await renderHtml({ example: "hello-world" });
      console.log(JSON.stringify({ digest: createSession({ example: "canary" }).tick(30000).digest, html: html.startsWith("<planarium-embed ") }));`);
    const here = await node(folder, `
      import { createSession, init } from "planarium/engine";
      await init();
      console.log(createSession({ example: "canary" }).tick(30000).digest);`);
    assert.deepEqual(JSON.parse(printed), { digest: here.trim(), html: true });
    assert.equal(asked.filter((name) => name === "/planarium_bg.wasm").length, 1, "the engine's file is fetched once, from beside the script");
  } finally {
    await close();
  }
});

test("the remark plugin of the package draws a fence, and a false claim ends the build", async () => {
  const definition = "name: a\npods:\n  a:\n    count: 1\n    tasks:\n      s: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}\n";
  const text = (claim) => `# Title\n\n\`\`\`planarium until="complete" engine="/play/embed.html"\n${definition}# @expect deploy ${claim}\n\`\`\`\n`;
  const printed = await node(folder, `
    import planarium from "planarium/remark";
    const draw = (text) => {
      const code = { type: "code", lang: "planarium", position: { start: { line: 3 } } };
      const tree = { type: "root", children: [{ type: "heading", children: [] }, code] };
      const told = [];
      planarium.call({ data: () => [] }, { program: ${JSON.stringify(PLANARIUM)} })(tree, { toString: () => text, message: (one) => told.push(one) });
      return tree.children[1];
    };
    const good = draw(${JSON.stringify(text("COMPLETE by 90s"))});
    let reason = "";
    try { draw(${JSON.stringify(text("ERROR by 90s"))}); } catch (error) { reason = error.message; }
    console.log(JSON.stringify({ good, reason }));`);
  const { good, reason } = JSON.parse(printed);
  assert.equal(good.type, "html");
  assert.match(good.value, /^<planarium-embed [^>]*engine="\/play\/embed\.html"/);
  assert.match(reason, /^page\.md:10: .*never ERROR/);
});

test("the minified loader is what the sources make", async () => {
  assert.equal(await readFile(path.join(ROOT, "embed", "planarium-embed.js"), "utf8"), await minified(), "stale: run cargo xtask loader");
  const shipped = await readFile(path.join(folder, "node_modules", "planarium", "planarium-embed.js"), "utf8");
  assert.equal(shipped, await minified());
});

test("the element does nothing in Node, and React writes the picture", async () => {
  const printed = await node(folder, `
    import { define } from "planarium";
    import "planarium/element";
    import { createElement } from "react";
    import { renderToStaticMarkup } from "react-dom/server";
    import { PlanariumEmbed } from "planarium/react";
    define();
    const html = "<planarium-embed></planarium-embed>";
    console.log(renderToStaticMarkup(createElement(PlanariumEmbed, { html, className: "demo", engine: "/play/embed.html?a=1&b=2", panes: "tree", loop: true, autoplay: false, onReady() {} })));`);
  const element = '<planarium-embed engine="/play/embed.html?a=1&amp;b=2" panes="tree" loop=""></planarium-embed>';
  assert.equal(printed.trim(), `<div class="demo">${element}</div>`);
});

test("a strict TypeScript project compiles against the package", async () => {
  await writeFile(path.join(folder, "use.ts"), `
    import { define, type CallResult, type PlanariumEmbedElement } from "planarium";
    import remark, { assets } from "planarium/remark";
    import { createSession, init, parse, type View } from "planarium/engine";
    import { renderHtml } from "planarium/ssr";
    await init();
    const world = createSession({ definition: { files: { "svc.yml": "name: x" }, env: { A: "1" } }, machines: 2, seed: 7 });
    const answer = world.command({ op: "continue", plan: "deploy" });
    const reason: string = answer.ok ? "" : answer.reason;
    const view: View = world.snapshot();
    const element: PlanariumEmbedElement | null = document.querySelector("planarium-embed");
    element?.seek("50%");
    element?.addEventListener("planarium:lesson", ({ detail }) => console.log(detail.id, detail.state, detail.score?.time_ms, detail.stars));
    element?.addEventListener("planarium:statuschange", ({ detail }) => console.log(detail.path, detail.t));
    const told: CallResult | undefined = await element?.command({ op: "continue", plan: "deploy" });
    const lost = await element?.inject({ kind: "agent-lost", target: { agent: "agent-1" } });
    const statuses = await element?.snapshot();
    const met: boolean = (await element?.runUntil("deploy=COMPLETE", 600))?.ok === true;
    const branch = await element?.fork();
    const file = await element?.export("csv");
    const text: string = (file?.ok && file.value?.text) || element?.value || "";
    element?.addEventListener("planarium:diagnostics", ({ detail }) => console.log(detail.findings.map(({ line }) => line)));
    // @ts-expect-error: there is no such format.
    void element?.export("pdf");
    const names: string[] = statuses?.ok ? (statuses.value?.plans ?? []).map((plan) => plan.name) : [];
    // @ts-expect-error: a fault has a kind.
    world.inject({ target: { agent: "*" } });
    const html: string = await renderHtml({ example: "canary", plan: "deploy" });
    const lesson: string = await renderHtml({ lesson: "canary", lang: "de", engine: "/play/embed.html" });
    // @ts-expect-error: there is no such command.
    world.command({ op: "jump", plan: "deploy" });
    export { assets, branch, define, html, lesson, lost, met, names, parse, text, reason, remark, told, view };
  `);
  const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--lib", "es2022,dom,dom.iterable"];
  const compiler = require.resolve("typescript/bin/tsc");
  await run(process.execPath, [compiler, ...options, "use.ts"], { cwd: folder }).catch((error) => assert.fail(error.stdout));
});

test("Vite and webpack bundle the engine with its WebAssembly file", async () => {
  await writeFile(path.join(folder, "app.js"), `
    import "planarium/element";
    import "planarium/style.css";
    import { createSession, init } from "planarium/engine";
    init().then(() => document.body.append(createSession({ example: "hello-world" }).renderText()));`);
  await writeFile(path.join(folder, "index.html"), '<!doctype html><script type="module" src="./app.js"></script>');
  const { build } = await import(require.resolve("vite").replace(/index\.cjs$/, "dist/node/index.js"));
  await build({ root: folder, logLevel: "error", build: { outDir: "vite", emptyOutDir: true, assetsInlineLimit: 0 } });
  const assets = await readdir(path.join(folder, "vite", "assets"));
  assert.ok(assets.some((name) => name.endsWith(".wasm")), `Vite wrote ${assets}`);

  const webpack = require("webpack");
  const answer = await new Promise((done, failed) => webpack({
    mode: "production", context: folder, entry: "./app.js", output: { path: path.join(folder, "webpack") },
    module: { rules: [{ test: /\.css$/, type: "asset/resource" }] }, performance: { hints: false }, optimization: { minimize: false },
  }, (error, stats) => (error ? failed(error) : done(stats))));
  assert.ok(!answer.hasErrors(), answer.toString({ all: false, errors: true }));
  const written = await readdir(path.join(folder, "webpack"));
  assert.ok(written.some((name) => name.endsWith(".wasm")), `webpack wrote ${written}`);
});

/** What the loader has for the writers of pages: attributes, members of the element, events. */
async function loaderOf() {
  const loader = (await sources()).join("\n");
  const frame = await readFile(path.join(ROOT, "web", "js", "frame.js"), "utf8");
  const body = loader.slice(loader.indexOf("PlanariumEmbed = class"), loader.lastIndexOf("customElements.define"));
  const own = [...body.matchAll(/^  (get |set |async )?([a-zA-Z]\w*)\(.*\{/gm)].filter(([, , name]) => !/^(constructor|\w+Callback)$/.test(name));
  const set = [...body.matchAll(/^  ([a-zA-Z]\w*) = /gm)].map(([, name]) => name);
  const called = JSON.parse(loader.match(/const ENGINE_CALLS = (\[[^\]]*\])/)[1]);
  // The element hands on what the page in its frame tells, except that it plays.
  const heard = [...frame.match(/const EVENTS = \[([^\]]*)\]/)[1].matchAll(/"(\w+)"/g)].map(([, name]) => name).filter((name) => name !== "playing");
  const names = (wanted) => [...new Set(own.filter(([, kind]) => /get|set/.test(kind ?? "") === wanted).map(([, , name]) => name))];
  return {
    attributes: JSON.parse(loader.match(/const ATTRIBUTES = (\[[^\]]*\])/)[1]).sort(),
    methods: [...names(false), ...called].sort(),
    fields: [...names(true), ...set].sort(),
    events: [...new Set([...[...loader.matchAll(/\btell\(\w+, "(\w+)"/g)].map(([, name]) => name), ...heard].map((name) => `planarium:${name}`))].sort(),
  };
}

const named = (list) => list.map(({ name }) => name).sort();
const types = (name) => readFile(path.join(ROOT, "npm", name), "utf8");

test("the manifest names every attribute, method, property and event of the loader", async () => {
  const manifest = JSON.parse(await types("custom-elements.json"));
  const [{ attributes, members, events }] = manifest.modules[0].declarations;
  const loader = await loaderOf();
  assert.ok(loader.methods.includes("takeOver") && loader.fields.includes("ready"), "the loader is read");
  const kind = (wanted) => named(members.filter((member) => member.kind === wanted));
  assert.deepEqual(
    { attributes: named(attributes), methods: kind("method"), fields: kind("field"), events: named(events) },
    loader,
  );
  for (const one of [...attributes, ...members, ...events]) assert.ok(one.description, `${one.name} has no description`);
});

test("the types name every method, property and event of the loader, and React every attribute", async () => {
  const loader = await loaderOf();
  const declared = await types("index.d.ts");
  const element = declared.match(/interface PlanariumEmbedElement [^{]*\{([\s\S]*?)\n\}/)[1];
  const members = [...element.matchAll(/^  (?:readonly )?(\w+)[(?:]/gm)].map(([, name]) => name);
  assert.deepEqual(members.sort(), [...loader.methods, ...loader.fields].sort());
  const events = [...declared.matchAll(/^  "(planarium:\w+)": CustomEvent/gm)].map(([, name]) => name);
  assert.deepEqual(events.sort(), loader.events);
  const react = await types("react.d.ts");
  const props = [...react.matchAll(/["\s;]([a-z][a-z-]*)"?\?: /g)].map(([, name]) => name);
  assert.deepEqual(loader.attributes.filter((name) => !props.includes(name)), []);
  const handled = [...(await types("react.js")).match(/const EVENTS = \{([^}]*)\}/)[1].matchAll(/"(\w+)"/g)].map(([, name]) => `planarium:${name}`);
  assert.deepEqual(handled.sort(), loader.events);
});

test("documents that name the element name every attribute, method, property and event", async () => {
  const text = await readFile(path.join(ROOT, "docs", "embedding.md"), "utf8");
  const { attributes, methods, fields, events } = await loaderOf();
  const lacking = [...attributes, ...methods, ...fields, ...events].filter((name) => !new RegExp(`[\`".]${name}(["(\`=\\s]|$)`, "m").test(text));
  assert.deepEqual(lacking, []);
});

// The loader of the engine's pieces, with files that come when the test says so; the script that the build writes around it; texts; and
// what a page's first world is told to need before the engine asks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { wanted } from "../../web/ahead.js";
import { loading } from "../../web/hooks/assemble.mjs";
import { loaders } from "../../web/pieces.js";
import { textFiles } from "../../web/texts.js";

/** The smallest module: nothing in it. */
const EMPTY = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
const FILES = {
  shared: { url: "shared.wasm", size: 100 },
  sdk: { url: "sdk.wasm", size: 10 },
  kudo: { url: "kudo.wasm", size: 20 },
};

/** An engine whose function 7 notes what it is told, and files that come or fail. */
function setUp() {
  const called = [];
  const told = [];
  const fetched = [];
  const broken = new Set();
  const table = { get: (index) => (data, isThere) => called.push([index, data, isThere]) };
  const compile = async (url, progress) => {
    fetched.push(url);
    progress(5);
    await undefined;
    if (broken.has(url)) throw new Error("the server answered 404");
    return EMPTY;
  };
  const { load, ahead } = loaders(FILES, () => ({ __indirect_function_table: table }), (said) => told.push(said), compile);
  return { called, told, fetched, broken, ahead, sdk: load("sdk", ["shared", "sdk"]), kudo: load("kudo", ["shared", "kudo"]) };
}

test("a piece comes with what it shares, and each file comes once", async () => {
  const { called, told, fetched, sdk, kudo } = setUp();
  await Promise.all([sdk(7, 1), kudo(7, 2)]);
  await sdk(7, 3);
  assert.deepEqual(fetched.sort(), ["kudo.wasm", "sdk.wasm", "shared.wasm"]);
  assert.deepEqual(called.sort(), [[7, 1, true], [7, 2, true], [7, 3, true]]);
  assert.deepEqual(told.filter(({ piece }) => piece === "sdk").at(-1), { piece: "sdk", bytes: 110, total: 110 });
  assert.deepEqual(told.filter(({ piece }) => piece === "kudo").at(-1), { piece: "kudo", bytes: 120, total: 120 });
});

test("what does not come is told, and is fetched again when it is asked for again", async () => {
  const { called, told, fetched, broken, sdk, kudo } = setUp();
  broken.add("sdk.wasm");
  await sdk(7, 1);
  assert.deepEqual(called, [[7, 1, false]]);
  assert.deepEqual(told.at(-1), { piece: "sdk", failed: "the server answered 404" });
  await kudo(7, 2);
  broken.clear();
  await sdk(7, 3);
  assert.deepEqual(called.slice(1), [[7, 2, true], [7, 3, true]]);
  // What did come is not instantiated a second time.
  assert.deepEqual(fetched, ["shared.wasm", "sdk.wasm", "kudo.wasm", "sdk.wasm"]);
});

test("a file that was fetched ahead is not fetched again, and one that did not come is", async () => {
  const { called, fetched, broken, ahead, sdk } = setUp();
  broken.add("sdk.wasm");
  ahead(["shared", "sdk"]);
  assert.deepEqual(fetched, ["shared.wasm", "sdk.wasm"]);
  await new Promise((done) => setTimeout(done));
  broken.clear();
  await sdk(7, 1);
  assert.deepEqual(called, [[7, 1, true]]);
  assert.deepEqual(fetched, ["shared.wasm", "sdk.wasm", "sdk.wasm"]);
});

test("bytes grow while a piece arrives and never exceed the whole", async () => {
  const { told, sdk } = setUp();
  await sdk(7, 1);
  const bytes = told.map((said) => said.bytes);
  assert.deepEqual(bytes, [...bytes].sort((a, b) => a - b));
  assert.ok(bytes.every((count) => count <= 110), bytes.join(" "));
});

test("the script of a build names each split's files by their addresses", () => {
  const splits = { kudo: ["shared", "kudo"], sdk: [] };
  const files = { kudo: { url: "./worker-kudo-0123456789abcdef.wasm", size: 7 } };
  const known = { first: "example-a", systems: { kudo: ["kube", "kudo"], sdk: ["sdk"] }, texts: { "example-a": ["sdk"] } };
  const script = loading(splits, files, "planarium-worker", "/pieces.js", known);
  assert.match(script, /import \{ initSync \} from "\.\/planarium-worker\.js";/);
  assert.match(script, /"kudo": \{ url: new URL\("\.\/worker-kudo-0123456789abcdef\.wasm", import\.meta\.url\)\.href, size: 7 \}/);
  assert.match(script, /export const __wasm_split_load_kudo = load\("kudo", \["shared","kudo"\]\);/);
  assert.match(script, /export const __wasm_split_load_sdk = load\("sdk", \[\]\);/);
  assert.match(script, /"systems":\{"kudo":\["shared","kudo"\],"sdk":\[\]\}/);
  assert.match(script, /= loaders\(\{ .* \}, \(\) => initSync\(\)\);\n/);
  const page = loading({}, {}, "x", "/pieces.js");
  assert.match(page, /loaders\(\{ {2}\}, \(\) => initSync\(\), \(\) => \{\}\);/, "nobody is told");
  assert.doesNotMatch(page, /known/);
});

test("a text is fetched once, and again when it did not come", async () => {
  const asked = [];
  const texts = textFiles("/texts/*-0a.json", async (url) => {
    asked.push(url);
    if (asked.length === 1) throw new Error("the server answered 503");
    return "{}";
  });
  await assert.rejects(texts("example-a"));
  assert.equal(await texts("example-a"), "{}");
  assert.equal(await texts("example-a"), "{}");
  assert.deepEqual(asked, ["/texts/example-a-0a.json", "/texts/example-a-0a.json"]);
});

const KNOWN = {
  first: "example-shop",
  systems: {},
  texts: { "example-shop": ["sdk"], "example-gate": ["skopos"], "lesson-gate-en": ["skopos"], "lesson-gate-de": ["skopos"] },
};
const PAGE = { address: "", hash: "", example: null, lesson: null, language: null, tab: "" };
/** A run as a link holds it. */
const link = (run) => `p1:${deflateRawSync(JSON.stringify(run)).toString("base64url")}`;
/** A tab as the page keeps it. */
const kept = (address, host) => JSON.stringify({ addresses: [address, address], host: JSON.stringify(host), looks: {} });

for (const [name, page, texts, systems] of [
  ["no address needs the first example", {}, ["example-shop"], ["sdk"]],
  ["an example needs its systems", { example: "gate" }, ["example-gate"], ["skopos"]],
  ["an example that is not known gives way to the first", { example: "no-such" }, ["example-shop"], ["sdk"]],
  ["a lesson comes in the language of the address", { lesson: "gate", language: "de-AT" }, ["lesson-gate-de"], ["skopos"]],
  ["a lesson in a language that it lacks comes in English", { hash: "#lesson=gate&hints=1", language: "fr" }, ["lesson-gate-en"], ["skopos"]],
  ["a link needs the systems of its run", { hash: `#${link([{ dialect: "kudo" }])}` }, [], ["kudo"]],
  ["a link's moment is not part of its run", { hash: `#${link([{ dialect: "kudo" }])}~500.3`, example: "gate" }, ["example-gate"], ["kudo", "skopos"]],
  ["a damaged link needs nothing that is known", { hash: "#p1:x" }, [], []],
  [
    "a kept tab needs what is in it",
    { address: "?x", tab: kept("?x", { about: "\"q\"", edits: [{ dialect: "sdk" }], example: "gate" }) },
    ["example-gate"],
    ["sdk", "skopos"],
  ],
  ["a kept lesson needs its texts", { tab: kept("", { about: "", example: null, lesson: { answers: [], id: "gate" } }) }, ["lesson-gate-en"], ["skopos"]],
  ["a tab of another address does not count", { tab: kept("?x", { edits: [{ dialect: "sdk" }], example: "gate" }) }, ["example-shop"], ["sdk"]],
]) {
  test(name, async () => {
    const found = await wanted({ ...PAGE, ...page }, KNOWN);
    assert.deepEqual([found.texts, found.systems.sort()], [texts, systems]);
  });
}

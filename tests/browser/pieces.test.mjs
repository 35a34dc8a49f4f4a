// The loader of the engine's pieces, with files that come when the test says so; and the script that the build writes around it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loading } from "../../web/hooks/assemble.mjs";
import { loaders } from "../../web/pieces.js";

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
  const load = loaders(FILES, () => ({ __indirect_function_table: table }), (said) => told.push(said), compile);
  return { called, told, fetched, broken, sdk: load("sdk", ["shared", "sdk"]), kudo: load("kudo", ["shared", "kudo"]) };
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
  const script = loading(splits, files, "planarium-worker", "/pieces.js");
  assert.match(script, /import \{ initSync \} from "\.\/planarium-worker\.js";/);
  assert.match(script, /"kudo": \{ url: new URL\("\.\/worker-kudo-0123456789abcdef\.wasm", import\.meta\.url\)\.href, size: 7 \}/);
  assert.match(script, /export const __wasm_split_load_kudo = load\("kudo", \["shared","kudo"\]\);/);
  assert.match(script, /export const __wasm_split_load_sdk = load\("sdk", \[\]\);/);
  assert.match(loading({}, {}, "x", "/pieces.js"), /loaders\(\{ {2}\}, \(\) => initSync\(\)\);/);
  assert.match(loading({}, {}, "x", "/pieces.js", false), /loaders\(\{ {2}\}, \(\) => initSync\(\), \(\) => \{\}\);/, "nobody is told");
});

// The declarations of the wasm package, as a strict TypeScript project sees them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = (name) => fileURLToPath(new URL(name, import.meta.url));

test("a strict TypeScript project compiles against the package", () => {
  const declarations = folder("../../target-web/types/planarium_wasm.d.ts");
  assert.ok(existsSync(declarations), `${declarations} is missing; cargo xtask test --only browser makes it`);
  const compiler = folder("node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [compiler, "-p", folder("types")], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    assert.fail(`${error.stdout}${error.stderr}`);
  }
});

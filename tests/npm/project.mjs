// A project of somebody who installed the package from its tarball.
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const run = promisify(execFile);
export const here = path.dirname(fileURLToPath(import.meta.url));
export const ROOT = path.resolve(here, "..", "..");
export const PLANARIUM = process.env.PLANARIUM_BIN ?? path.join(ROOT, "target", "debug", "planarium");

const require = createRequire(import.meta.url);
const tarball = process.env.PLANARIUM_NPM;

/** A folder with the package in it, and with these packages of the tests. */
export async function project(...packages) {
  if (!tarball) throw new Error("PLANARIUM_NPM names the tarball; cargo xtask test --only browser makes it");
  const folder = await mkdtemp(path.join(os.tmpdir(), "planarium-npm-"));
  after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--legacy-peer-deps", tarball], { cwd: folder });
  for (const name of packages) {
    const from = path.dirname(require.resolve(`${name}/package.json`));
    await symlink(from, path.join(folder, "node_modules", name), "dir");
  }
  return folder;
}

/** Runs a module in a project and returns what it prints. */
export async function node(folder, text) {
  await writeFile(path.join(folder, "main.mjs"), text);
  return (await run(process.execPath, ["main.mjs"], { cwd: folder, maxBuffer: 1 << 26 })).stdout;
}

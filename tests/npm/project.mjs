// A project of somebody who installed the package from its tarball.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
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

/** Serves a folder on the loopback interface, as a static host does; `asked` lists the paths that were asked for. */
export async function served(from) {
  const types = { ".js": "text/javascript", ".wasm": "application/wasm" };
  const asked = [];
  const server = createServer(async ({ url }, answer) => {
    asked.push(url);
    const file = path.join(from, path.normalize(url));
    const body = file.startsWith(from) ? await readFile(file).catch(() => undefined) : undefined;
    answer.writeHead(body ? 200 : 404, { "content-type": types[path.extname(file)] ?? "text/plain" }).end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => new Promise((done) => (server.closeAllConnections(), server.close(done)));
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, close };
}

/** Runs a module in a project and returns what it prints. */
export async function node(folder, text) {
  await writeFile(path.join(folder, "main.mjs"), text);
  return (await run(process.execPath, ["main.mjs"], { cwd: folder, maxBuffer: 1 << 26 })).stdout;
}

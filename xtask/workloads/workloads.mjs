/**
 * Times the workloads in WebAssembly, like the native program beside it: name, milliseconds of the quickest round, checksum, a line
 * each, and the memory at the end.
 *
 *   node workloads.mjs FOLDER [ROUNDS]        a folder with the glue of wasm-bindgen
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, rounds = "5"] = process.argv.slice(2);
const glue = await import(pathToFileURL(join(folder, "planarium-workloads.js")).href);
const wasm = glue.initSync({ module: await readFile(join(folder, "planarium-workloads_bg.wasm")) });
for (const name of ["W1", "W3", "R1"]) {
  let quickest = Infinity;
  let checksum = "";
  for (let round = 0; round < Number(rounds); round += 1) {
    const from = performance.now();
    checksum = glue.play(name);
    quickest = Math.min(quickest, performance.now() - from);
  }
  process.stdout.write(`${name}\t${quickest.toFixed(1)}\t${checksum}\n`);
}
process.stdout.write(`memory\t${(wasm.memory.buffer.byteLength / 1048576).toFixed(1)}\tMB\n`);

// Writes a compressed copy beside each file of a folder that is worth it: `.br` and `.gz`. A server sends them as they are.
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotliOf = promisify(brotliCompress);
const gzipOf = promisify(gzip);

/** Kinds of files that get smaller. */
const WORTH = /\.(css|html|js|json|svg|txt|wasm|webmanifest)$/;
/** Below it, a compressed copy saves less than the header that names it costs. *Units*: bytes. */
const SMALLEST = 256;

/**
 * Compresses all files below `folder`; copies of files that are gone are removed.
 *
 * @param {string} folder
 */
export async function compress(folder) {
  const names = await readdir(folder, { recursive: true });
  for (const stale of names.filter((name) => /\.(br|gz)$/.test(name))) {
    await rm(path.join(folder, stale));
  }
  await Promise.all(
    names.filter((name) => WORTH.test(name)).map(async (name) => {
      const file = path.join(folder, name);
      const content = await readFile(file);
      if (content.length < SMALLEST) return;
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_LGWIN]: 24,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      };
      const [br, gz] = await Promise.all([brotliOf(content, { params }), gzipOf(content, { level: 9 })]);
      await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
    }),
  );
}

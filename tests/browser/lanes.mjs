/**
 * Lanes of the timeline as a person sees them: stretches of colour in a row, found in a picture of it.
 */
import { PNG } from "pngjs";

/** From how far apart two colours differ, on a scale to 255. */
const APART = 6;

/**
 * The stretches that are drawn in a lane, from left to right: begin and end as percentages of its width, the width in pixels, and the commonest
 * colour. What covers the lane from top to bottom is no stretch.
 *
 * @param {import("playwright-core").Locator} lane
 * @returns {Promise<{ from: number, to: number, px: number, colour: string }[]>}
 */
export async function stretches(lane) {
  const { width, height, data } = PNG.sync.read(await lane.screenshot());
  const at = (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)];
  const rows = Array.from({ length: Math.floor(height / 4) }, (_, row) => Math.ceil(height * 0.28) + row);
  const isDrawn = (x) => rows.some((y) => at(x, y).some((part, nth) => Math.abs(part - at(x, 0)[nth]) > APART));
  const found = [];
  for (let x = 0; x < width; x += 1) {
    if (!isDrawn(x)) continue;
    const last = found.at(-1);
    if (last?.end === x) last.end = x + 1;
    else found.push({ begin: x, end: x + 1 });
  }
  return found.map(({ begin, end }) => {
    const counts = new Map();
    for (let x = begin; x < end; x += 1) {
      for (const y of rows) counts.set(String(at(x, y)), (counts.get(String(at(x, y))) ?? 0) + 1);
    }
    const [colour] = [...counts].sort((a, b) => b[1] - a[1])[0];
    return { from: (100 * begin) / width, to: (100 * end) / width, px: end - begin, colour: `rgb(${colour.replaceAll(",", ", ")})` };
  });
}

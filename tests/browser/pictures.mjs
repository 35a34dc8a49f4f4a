/**
 * Pictures that are kept to compare the page with: a third of the size, in sixteen greys, so that all of them together are small. Two of
 * them are compared by the mean grey of blocks, and so much is forgiven that another font or its edges do not count.
 *
 * PLANARIUM_BLESS=1 writes them anew. A difference puts both beside each other into shots/.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PNG } from "pngjs";

const here = path.dirname(fileURLToPath(import.meta.url));

/** Pixels of the page to one of a kept picture, in each direction. */
const LESS = 3;
/** Pixels of a kept picture to a block, in each direction: 24 of the page, about a row of the plan. */
const BLOCK = 8;
/** Greys that a kept picture has. */
const GREYS = 16;
/** From how far apart the means of a block are, on a scale to 255, it differs. */
const APART = 14;

/** The folder of kept pictures. */
export const KEPT = path.join(here, "baselines");

/** A picture of the page, reduced: width, height and one grey for each pixel. */
export function reduced(png) {
  const { width, height, data } = PNG.sync.read(png);
  const small = { width: Math.floor(width / LESS), height: Math.floor(height / LESS) };
  const greys = new Uint8Array(small.width * small.height);
  for (let y = 0; y < small.height; y += 1) {
    for (let x = 0; x < small.width; x += 1) {
      let sum = 0;
      for (let inner = 0; inner < LESS * LESS; inner += 1) {
        const at = 4 * ((y * LESS + Math.floor(inner / LESS)) * width + x * LESS + (inner % LESS));
        sum += 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
      }
      const step = 255 / (GREYS - 1);
      greys[y * small.width + x] = Math.round(Math.round(sum / (LESS * LESS) / step) * step);
    }
  }
  return { ...small, greys };
}

/** A reduced picture as a file. */
function written({ width, height, greys }) {
  const png = new PNG({ width, height });
  greys.forEach((grey, at) => png.data.set([grey, grey, grey, 255], 4 * at));
  return PNG.sync.write(png, { colorType: 0, inputColorType: 6, inputHasAlpha: true, deflateLevel: 9 });
}

/** A kept picture; null where there is none. */
async function kept(name) {
  const file = await readFile(path.join(KEPT, `${name}.png`)).catch(() => null);
  if (!file) return null;
  const { width, height, data } = PNG.sync.read(file);
  return { width, height, greys: Uint8Array.from({ length: width * height }, (_, at) => data[4 * at]) };
}

/** The mean grey of each block, row by row. */
function blocks({ width, height, greys }) {
  const means = [];
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      let [sum, count] = [0, 0];
      for (let y = top; y < Math.min(top + BLOCK, height); y += 1) {
        for (let x = left; x < Math.min(left + BLOCK, width); x += 1) {
          sum += greys[y * width + x];
          count += 1;
        }
      }
      means.push(sum / count);
    }
  }
  return means;
}

/**
 * The share of blocks that differ, from 0 to 1. A block differs that is darker or lighter than all blocks of the other picture around its
 * place: letters of another font are elsewhere by less than a block. Pictures of different sizes differ altogether.
 */
export function apart(one, other) {
  if (one.width !== other.width || one.height !== other.height) return 1;
  const [left, right] = [blocks(one), blocks(other)];
  const columns = Math.ceil(one.width / BLOCK);
  const strange = (mine, theirs) =>
    mine.filter((mean, at) => {
      const column = at % columns;
      const around = [-1, 0, 1]
        .filter((aside) => column + aside >= 0 && column + aside < columns)
        .flatMap((aside) => [-columns, 0, columns].map((below) => theirs[at + below + aside]))
        .filter((near) => near !== undefined);
      return mean < Math.min(...around) - APART || mean > Math.max(...around) + APART;
    }).length / mine.length;
  return Math.max(strange(left, right), strange(right, left));
}

/** Both pictures beside each other. */
function beside(one, other) {
  const [width, height] = [one.width + other.width + 8, Math.max(one.height, other.height)];
  const greys = new Uint8Array(width * height).fill(255);
  for (const [picture, left] of [[one, 0], [other, one.width + 8]]) {
    for (let y = 0; y < picture.height; y += 1) {
      greys.set(picture.greys.subarray(y * picture.width, (y + 1) * picture.width), y * width + left);
    }
  }
  return { width, height, greys };
}

/**
 * Compares a picture of the page with the kept one, or keeps it where pictures are written anew. Answers the share of blocks that
 * differ; -1 where none is kept.
 */
export async function compared(png, name, most) {
  const now = reduced(png);
  if (process.env.PLANARIUM_BLESS) {
    await mkdir(KEPT, { recursive: true });
    await writeFile(path.join(KEPT, `${name}.png`), written(now));
    return 0;
  }
  const before = await kept(name);
  if (!before) return -1;
  const share = apart(before, now);
  if (share > most) {
    await mkdir(path.join(here, "shots"), { recursive: true });
    await writeFile(path.join(here, "shots", `baseline-${name}.png`), written(beside(before, now)));
  }
  return share;
}

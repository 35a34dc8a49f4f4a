/** What changes between two texts. */

/**
 * The smallest single replacement that makes one text of another, never splitting a surrogate pair.
 *
 * @param {string} before
 * @param {string} after
 */
export function difference(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) {
    from += 1;
  }
  let tail = 0;
  while (
    tail < shorter - from &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail += 1;
  }
  if (from > 0 && isHighSurrogate(before.charCodeAt(from - 1))) {
    from -= 1;
  }
  if (tail > 0 && isLowSurrogate(before.charCodeAt(before.length - tail))) {
    tail -= 1;
  }
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}

const isHighSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

// Seams: borders between two three-byte characters that no token of a vocabulary lies across. Merging can never
// cross one, so a long run of CJK may be counted part by part, and the parts are short enough for the piece cache.

/** log2 of the bits of the table of pairs that some token does hold together. */
export const SEAM_BITS = 19;

export function seamHash(a, b) {
  return ((Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> 0) >>> (32 - SEAM_BITS);
}

const isTail = (c) => (c & 0xc0) === 0x80;
const isLetter = (c) => ((c | 0x20) - 0x61) >>> 0 < 26;

/**
 * @param tokens latin1 strings
 * @returns `pairs`: bit seamHash(a, b) is set when a token spans the border of the characters a and b, both three
 *   bytes long; `before`, `after`: characters with a token that spans the border before (after) them but holds only a
 *   part of the neighbour, so that no neighbour makes a seam; `latin`: characters with a token that holds them, or their end, and an ASCII letter
 *   behind them.
 */
export function seams(tokens) {
  const pairs = new Uint8Array(1 << (SEAM_BITS - 3));
  const before = new Set();
  const after = new Set();
  const latin = new Set();
  for (const token of tokens) {
    const bytes = Buffer.from(token, 'latin1');
    for (let i = 1; i < bytes.length; i++) {
      if (isTail(bytes[i])) continue;
      if (isTail(bytes[i - 1]) && isLetter(bytes[i])) {
        let from = i - 1;
        while (from >= 0 && isTail(bytes[from])) from--;
        if (from < 0) for (const c of endingIn(bytes.subarray(0, i))) latin.add(c);
        else if (i - from === 3) latin.add(point(bytes, from));
      }
      if (bytes[i] < 0xe0 || bytes[i] > 0xef) continue; // what follows is no three-byte character
      let a = i - 1;
      while (a >= 0 && isTail(bytes[a])) a--;
      if (a >= 0 && (bytes[a] < 0xe0 || bytes[a] > 0xef)) continue; // nor what precedes
      let end = i + 1;
      while (end < bytes.length && end < i + 3 && isTail(bytes[end])) end++;
      const left = a >= 0 ? point(bytes, a) : undefined;
      const right = end === i + 3 ? point(bytes, i) : undefined;
      if (left !== undefined && right !== undefined) {
        const h = seamHash(left, right);
        pairs[h >> 3] |= 1 << (h & 7);
      } else if (right !== undefined) before.add(right);
      else if (left !== undefined) after.add(left);
      // Only a part of either: every character that ends in these bytes.
      else for (const c of endingIn(bytes.subarray(0, i))) after.add(c);
    }
  }
  return { pairs, before, after, latin };
}

function point(bytes, at) {
  return ((bytes[at] & 15) << 12) | ((bytes[at + 1] & 63) << 6) | (bytes[at + 2] & 63);
}

/** The three-byte characters whose UTF-8 ends in `tail` (one or two continuation bytes). */
function* endingIn(tail) {
  const step = tail.length === 1 ? 64 : 4096;
  const low = tail.length === 1 ? tail[0] & 63 : ((tail[0] & 63) << 6) | (tail[1] & 63);
  for (let c = 0x800 - (0x800 % step) + low; c < 0x10000; c += step) if (c >= 0x800) yield c;
}

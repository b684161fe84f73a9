// How often each word stands in a passage, in few characters, so that a passage is scored without its text. ASCII text, because
// SQLite hands that over several times faster than bytes. Pure.

/** Bits of a word's hash: of a question's 24 words a passage of 1,000 meets one by chance once in 700. */
const HASH_BITS = 24;
/** A cell: four digits of the hash, the highest first, and one for the count, each a character from FIRST on. */
const DIGIT_BITS = 6;
const DIGITS = HASH_BITS / DIGIT_BITS;
const CELL = DIGITS + 1;
const FIRST = 48;
const MOST = 63;

/** Cells in ascending order of the hash. */
export function sketchOf(words: readonly string[]): string {
  const counts = new Map<number, number>();
  for (const word of words) {
    const h = hashOf(word);
    counts.set(h, (counts.get(h) ?? 0) + 1);
  }
  // Hash and count in one number, so that a typed array sorts them.
  const cells = new Float64Array(counts.size);
  let i = 0;
  for (const [h, n] of counts) {
    cells[i] = h * (MOST + 1) + Math.min(n, MOST);
    i += 1;
  }
  cells.sort();
  const codes = new Uint8Array(cells.length * CELL);
  cells.forEach((cell, k) => {
    const h = Math.floor(cell / (MOST + 1));
    for (let d = 0; d < DIGITS; d += 1)
      codes[k * CELL + d] = FIRST + ((h >>> (HASH_BITS - DIGIT_BITS * (d + 1))) & MOST);
    codes[k * CELL + DIGITS] = FIRST + (cell % (MOST + 1));
  });
  return Buffer.from(codes.buffer).toString('latin1');
}

/** How often a word of this hash stands in the passage; 63 for more. */
export function countIn(sketch: string, hash: number): number {
  let low = 0;
  let high = sketch.length / CELL;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * CELL;
    const here =
      ((sketch.charCodeAt(at) - FIRST) << 18) |
      ((sketch.charCodeAt(at + 1) - FIRST) << 12) |
      ((sketch.charCodeAt(at + 2) - FIRST) << 6) |
      (sketch.charCodeAt(at + 3) - FIRST);
    if (here === hash) return sketch.charCodeAt(at + DIGITS) - FIRST;
    if (here < hash) low = middle + 1;
    else high = middle;
  }
  return 0;
}

/** FNV-1a over UTF-16 units, folded to HASH_BITS. */
export function hashOf(word: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) h = Math.imul(h ^ word.charCodeAt(i), 0x01000193);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return (h ^ (h >>> 12)) & ((1 << HASH_BITS) - 1);
}

// Character classes of Unicode 16.0, read from the checked-in ranges in native/data. May not use the
// engine's own \p{..}: Node 20 already ships Unicode 17, which differs from the reference on thousands of code points.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** sha256 of native/data/unicode-16.txt; a changed file fails the build. */
const DATA_SHA256 = '65e4b1ba8a5e532d06737567d11876cd13ac8f6c7237a55699b641984aae762f';

/** Bits of a class byte; native/assembly/classes.ts holds the same numbers. */
export const CLASS = {
  UPPERISH: 1,
  LOWERISH: 2,
  LETTER: 4,
  NUMBER: 8,
  SPACE: 16,
  CRLF: 32,
  /** Set by tables.mjs; see seams.mjs. */
  NO_SEAM_BEFORE: 64,
  NO_SEAM_AFTER: 128,
};

const BITS = {
  U: CLASS.UPPERISH | CLASS.LETTER, // Lu Lt
  l: CLASS.LOWERISH | CLASS.LETTER, // Ll
  o: CLASS.UPPERISH | CLASS.LOWERISH | CLASS.LETTER, // Lm Lo
  M: CLASS.UPPERISH | CLASS.LOWERISH, // Mn Mc Me: words hold marks, but they are no letters
  N: CLASS.NUMBER, // Nd Nl No
  s: CLASS.SPACE, // White_Space
};

/**
 * One class byte for each of the 1,114,112 code points. The data: `<class><gap from the last range's end>[,<length>]`, base 36.
 */
export function classBytes(dataFile) {
  const text = readFileSync(dataFile, 'latin1');
  const sha = createHash('sha256').update(text, 'latin1').digest('hex');
  if (sha !== DATA_SHA256)
    throw new Error(`native/data/unicode-16.txt has sha256 ${sha}, wanted ${DATA_SHA256}`);
  const out = new Uint8Array(0x110000);
  let at = 0;
  for (const item of text.split(/\s+/)) {
    if (item === '') continue;
    const [gap, length] = item.slice(1).split(',');
    const start = at + Number.parseInt(gap, 36);
    at = start + (length === undefined ? 1 : Number.parseInt(length, 36));
    out.fill(BITS[item[0]], start, at);
  }
  out[10] |= CLASS.CRLF;
  out[13] |= CLASS.CRLF;
  return out;
}

/** sha256 of native/data/punctuation-16.txt. */
const PUNCTUATION_SHA256 = '0679cbddf3b60b5df5079e9301747f1526fd25cee7530d7040a6b67a42a56aac';

/**
 * The classes as DeepSeek's passes ask for them: symbols and punctuation 1, marks 2, the others as they are, without what
 * only o200k asks.
 */
export function passClasses(dataFile, punctuationFile) {
  const all = classBytes(dataFile);
  for (let c = 0; c < all.length; c++) {
    const bits = all[c];
    if ((bits & CLASS.LETTER) !== 0) all[c] = CLASS.LETTER;
    else if ((bits & CLASS.UPPERISH) !== 0) all[c] = CLASS.LOWERISH;
  }
  for (const [from, to] of ranges(punctuationFile, PUNCTUATION_SHA256)) all.fill(CLASS.UPPERISH, from, to);
  return all;
}

function* ranges(file, wanted) {
  const text = readFileSync(file, 'latin1');
  const sha = createHash('sha256').update(text, 'latin1').digest('hex');
  if (sha !== wanted) throw new Error(`${file} has sha256 ${sha}, wanted ${wanted}`);
  let at = 0;
  for (const item of text.split(/\s+/)) {
    if (item === '') continue;
    const [gap, length] = item.slice(1).split(',');
    const start = at + Number.parseInt(gap, 36);
    at = start + (length === undefined ? 1 : Number.parseInt(length, 36));
    yield [start, at];
  }
}

/**
 * Two stages: the 65,536 class bytes of the BMP as they are (one load; only touched lines cost cache), and
 * for the 4,096 astral blocks of 256 a u16 index into deduplicated blocks.
 */
export function classTables(all) {
  const index = new Uint16Array(4096);
  const blocks = [];
  const seen = new Map();
  for (let b = 0; b < 4096; b++) {
    const block = all.subarray(0x10000 + b * 256, 0x10000 + b * 256 + 256);
    const key = Buffer.from(block).toString('latin1');
    let at = seen.get(key);
    if (at === undefined) {
      at = blocks.length;
      seen.set(key, at);
      blocks.push(block);
    }
    index[b] = at;
  }
  return { bmp: all.slice(0, 0x10000), index: new Uint8Array(index.buffer), blocks: Buffer.concat(blocks) };
}

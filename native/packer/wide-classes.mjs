// What the core asks of a three-byte character while it walks a run of them: one byte each, see native/assembly/cjk.ts.
import { CLASS } from './classes.mjs';

/** Bits of a byte; native/assembly/cjk.ts holds the same numbers. */
const LETTER = 1; // without case, so it may begin, go on and end a word
const APART = 2; // of a letter: no token holds it and an ASCII letter behind it
const ENDS = 2; // of another: a word ends before it
const MARK = 4; // and it may stand before a word
const NO_SEAM_BEFORE = 8;
const NO_SEAM_AFTER = 16;
const TWO = 32; // alone it is two tokens or more
const THREE = 64;

/** Tokens of the bytes of `text` when nothing stands beside it. */
function countAlone(text, ranks) {
  const parts = [...text];
  for (;;) {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(parts[i] + parts[i + 1]) ?? Number.POSITIVE_INFINITY;
      if (rank < least) [best, least] = [i, rank];
    }
    if (best < 0) return parts.length;
    parts.splice(best, 2, parts[best] + parts[best + 1]);
  }
}

/**
 * @param bmp class bytes of the BMP
 * @param tokens latin1 strings in the order of their merges
 * @param borders what seams.mjs makes of them
 * @returns 65,536 bytes; 0 for what is no character of three bytes
 */
export function wideClasses(bmp, tokens, borders) {
  const ranks = new Map(tokens.map((t, i) => [t, i]));
  const out = new Uint8Array(0x10000);
  for (let c = 0x800; c < 0x10000; c++) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const bits = bmp[c];
    const word = CLASS.UPPERISH | CLASS.LOWERISH | CLASS.LETTER;
    if ((bits & word) === word) out[c] |= borders.latin.has(c) ? LETTER : LETTER | APART;
    else if ((bits & word) === 0) out[c] |= (bits & CLASS.NUMBER) === 0 ? ENDS | MARK : ENDS;
    if (borders.before.has(c)) out[c] |= NO_SEAM_BEFORE;
    if (borders.after.has(c)) out[c] |= NO_SEAM_AFTER;
    const alone = countAlone(Buffer.from(String.fromCharCode(c)).toString('latin1'), ranks);
    out[c] |= alone === 3 ? TWO | THREE : alone === 2 ? TWO : 0;
  }
  return out;
}

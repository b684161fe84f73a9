// What a text is made of, as shares of its tokens: prose, code, JSON, CJK, digits. Pure and bounded: long texts are
// sampled, so the cost does not grow with them.

/** Classes in the order of every share and feature vector. */
export const CONTENT_CLASSES = ['prose', 'code', 'json', 'cjk', 'digits'] as const;
export type ContentClass = (typeof CONTENT_CLASSES)[number];
/** One number per class, in CONTENT_CLASSES order, sum 1 (all 0 for an empty text). */
export type ClassShares = [number, number, number, number, number];

/** Code units looked at: whole below, four windows spread over the text above. */
const SAMPLE = 4096;
const WINDOWS = 4;

/** Bit sets of an ASCII unit. */
const DIGIT = 1;
const QUOTE = 2;
const SIGN = 4;
const LETTER = 8;
const table = new Uint8Array(128);
for (let c = 48; c < 58; c++) table[c] = DIGIT;
for (let c = 65; c < 91; c++) table[c] = table[c + 32] = LETTER;
table[34] = QUOTE;
for (const sign of '#$%&*+/<=>@[\\]^_`{|}~();') table[sign.charCodeAt(0)] = SIGN;

interface Tally {
  units: number;
  digits: number;
  quotes: number;
  signs: number;
  letters: number;
  cjk: number;
  indents: number;
  lines: number;
}

function tally(text: string, from: number, to: number, t: Tally): void {
  let before = from === 0 ? 10 : 0;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c < 128) {
      const bits = table[c]!;
      if (bits === LETTER) t.letters++;
      else if (bits === DIGIT) t.digits++;
      else if (bits === QUOTE) t.quotes++;
      else if (bits === SIGN) t.signs++;
      else if (c === 10) t.lines++;
      else if (before === 10 && (c === 32 || c === 9)) t.indents++;
    } else if ((c >= 0x2e80 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7af) || (c >= 0xf900 && c <= 0xfaff)) {
      t.cjk++;
    } else {
      t.letters++;
    }
    before = c;
  }
  t.units += to - from;
}

/**
 * Shares of a text's tokens by class. CJK and digits are told by their code units (about one token a CJK character,
 * one per three digits, one per four other units); the rest is JSON, code or prose as a whole.
 */
export function classShares(text: string): ClassShares {
  const n = text.length;
  if (n === 0) return [0, 0, 0, 0, 0];
  const t: Tally = { units: 0, digits: 0, quotes: 0, signs: 0, letters: 0, cjk: 0, indents: 0, lines: 1 };
  if (n <= SAMPLE) tally(text, 0, n, t);
  else {
    const width = SAMPLE / WINDOWS;
    for (let w = 0; w < WINDOWS; w++) {
      const from = Math.floor(((n - width) * w) / (WINDOWS - 1));
      tally(text, from, from + width, t);
    }
  }
  const cjk = t.cjk;
  const digits = t.digits / 3;
  const other = Math.max(0, t.units - t.cjk - t.digits) / 4;
  const sum = cjk + digits + other;
  const shares: ClassShares = [0, 0, 0, cjk / sum, digits / sum];
  const rest = other / sum;
  const words = t.letters + 1;
  const isJson = t.quotes * 14 > words && /^\s*[[{]/.test(text.slice(0, 64));
  const isCode = t.signs * 14 > words || (t.lines > 3 && t.indents * 3 > t.lines);
  shares[isJson ? 2 : isCode ? 1 : 0] = rest;
  return shares;
}

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

/**
 * What an ASCII unit counts as, two kinds a table: low halves and high halves are summed at once. A branch for each kind would be
 * guessed wrong at every other unit.
 */
const DIGIT_OR_QUOTE = new Int32Array(128);
const LETTER_OR_SIGN = new Int32Array(128);
const HIGH = 1 << 16;
for (let c = 48; c < 58; c++) DIGIT_OR_QUOTE[c] = 1;
DIGIT_OR_QUOTE[34] = HIGH;
for (let c = 65; c < 91; c++) LETTER_OR_SIGN[c] = LETTER_OR_SIGN[c + 32] = 1;
for (const sign of '#$%&*+/<=>@[\\]^_`{|}~();') LETTER_OR_SIGN[sign.charCodeAt(0)] = HIGH;

/** Code units of the text that is looked at: an array is read several times as fast as a string. */
const units = new Uint16Array(SAMPLE);
const bytes = Buffer.from(units.buffer);
const highByteFirst = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

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
  bytes.write(text.slice(from, to), 'utf16le');
  if (highByteFirst) bytes.swap16();
  const n = to - from;
  let digitsQuotes = 0;
  let lettersSigns = 0;
  let before = from === 0 ? 10 : 0;
  for (let i = 0; i < n; i++) {
    const c = units[i]!;
    if (c < 128) {
      digitsQuotes += DIGIT_OR_QUOTE[c]!;
      lettersSigns += LETTER_OR_SIGN[c]!;
      if (c === 10) t.lines++;
      else if (before === 10 && (c === 32 || c === 9)) t.indents++;
    } else if ((c >= 0x2e80 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7af) || (c >= 0xf900 && c <= 0xfaff)) {
      t.cjk++;
    } else {
      t.letters++;
    }
    before = c;
  }
  t.digits += digitsQuotes % HIGH;
  t.quotes += Math.floor(digitsQuotes / HIGH);
  t.letters += lettersSigns % HIGH;
  t.signs += Math.floor(lettersSigns / HIGH);
  t.units += n;
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

// A text as words: each with the hash of its spelling, the hash of its stem, and how much it tells. One pass, no garbage but
// the lower-cased copy. Pure; knows no topic.

import { FNV, fold, isGlyph, isOtherLetter, PRIME } from './letters.js';
import { isStopGlyph, wordWeight } from './lexicon.js';

/** Words read at most; the rest of a text says little that its beginning has not. */
export const MAX_WORDS = 400;

export const KIND = { word: 0, glyph: 1 } as const;

/** Words of one text. The arrays are reused by the next `scan` into the same object. */
export class Words {
  n = 0;
  readonly capacity: number;
  /** Hash of the word as written, case and accents folded, apostrophes inside kept: for cues. */
  readonly spelling: Int32Array;
  /** Hash of the stem: for overlaps. For glyphs, of the pair with the glyph before. */
  readonly stem: Int32Array;
  /** 0 (says nothing) to 1 (rare). */
  readonly weight: Float32Array;
  /** 1 for a letter of a script without word gaps. */
  readonly kind: Uint8Array;
  /** Where the word starts and ends in the text. */
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** The last sign is a question mark. */
  endsInQuestion = false;
  /** Signs of code: paths, identifiers, backticks. */
  code = 0;

  constructor(capacity = MAX_WORDS) {
    this.capacity = capacity;
    this.spelling = new Int32Array(capacity);
    this.stem = new Int32Array(capacity);
    this.weight = new Float32Array(capacity);
    this.kind = new Uint8Array(capacity);
    this.start = new Uint32Array(capacity);
    this.end = new Uint32Array(capacity);
  }
}

const buffer = new Uint16Array(64);

/**
 * Reads at most `limit` UTF-16 units of the text.
 * @returns `into`, filled
 */
export function scan(source: string, into: Words, limit = 4000): Words {
  const cut = source.length > limit ? source.slice(0, limit) : source;
  const text = cut.toLowerCase();
  const cased = text.length === cut.length ? cut : text;
  const size = text.length;
  let n = 0;
  let i = 0;
  let lastGlyph = 0;
  let lastGlyphAt = -2;
  into.endsInQuestion = false;
  into.code = 0;
  while (i < size && n < into.capacity) {
    const c = text.charCodeAt(i);
    const plain = (c >= 97 && c <= 122) || (c >= 48 && c <= 57);
    if (plain || (c >= 0xaa && !isGlyph(c) && isOtherLetter(c))) {
      const from = i;
      let length = 0;
      let bare = -1;
      let spelling = FNV;
      let hump = false;
      while (i < size) {
        let d = text.charCodeAt(i);
        if ((d >= 97 && d <= 122) || (d >= 48 && d <= 57)) {
          if (i > from && cased.charCodeAt(i) !== d && cased.charCodeAt(i - 1) === text.charCodeAt(i - 1))
            hump = true;
        } else if (d === 39 || d === 0x2019 || d === 0x02bc) {
          const after = i + 1 < size ? text.charCodeAt(i + 1) : 0;
          if (!((after >= 97 && after <= 122) || (after >= 0xc0 && isOtherLetter(after) && !isGlyph(after))))
            break;
          if (bare < 0) bare = length;
          d = 39;
        } else if (d === 95) {
          hump = true;
        } else if (d >= 0xaa && !isGlyph(d) && isOtherLetter(d)) {
          d = fold(d);
        } else break;
        if (length < 64) buffer[length] = d;
        length += 1;
        spelling = Math.imul(spelling ^ d, PRIME);
        i += 1;
      }
      const kept = Math.min(length, 64);
      into.spelling[n] = spelling;
      into.start[n] = from;
      into.end[n] = i;
      into.kind[n] = KIND.word;
      const end = stemEnd(bare >= 0 ? Math.min(bare, kept) : kept);
      into.stem[n] = hashBuffer(0, end);
      into.weight[n] = wordWeight(spelling, into.stem[n]!, length);
      n += 1;
      if (hump) {
        into.code += 1;
        n = pieces(cased, text, from, i, into, n);
      }
      continue;
    }
    if (isGlyph(c)) {
      const spelling = Math.imul(FNV ^ c, PRIME);
      const joined = lastGlyphAt === i - 1;
      into.spelling[n] = spelling;
      into.stem[n] = joined ? Math.imul(Math.imul(spelling ^ lastGlyph, PRIME) ^ 0x5bd1, PRIME) : spelling;
      // A pair of glyphs is about a word; a kana pair is mostly grammar.
      const grammar = (c >= 0x3040 && c <= 0x309f) || isStopGlyph(c) || (joined && isStopGlyph(lastGlyph));
      into.weight[n] = grammar ? 0.05 : joined ? 0.7 : 0.35;
      into.kind[n] = KIND.glyph;
      into.start[n] = i;
      into.end[n] = i + 1;
      n += 1;
      lastGlyph = c;
      lastGlyphAt = i;
      i += 1;
      into.endsInQuestion = false;
      continue;
    }
    if (c === 63 || c === 0xff1f || c === 0x61f) {
      into.endsInQuestion = true;
    } else if (c === 96 || c === 47 || c === 123 || c === 61) into.code += 1;
    i += 1;
  }
  if (into.endsInQuestion) {
    const last = n > 0 ? into.end[n - 1]! : 0;
    into.endsInQuestion = hasQuestion(text, last);
  }
  into.n = n;
  return into;
}

function hasQuestion(text: string, from: number): boolean {
  for (let i = from; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (c === 63 || c === 0xff1f || c === 0x61f) return true;
  }
  return false;
}

/** The parts of `camelCase` and `snake_case`, as words of their own that no cue sees. */
function pieces(cased: string, text: string, from: number, to: number, into: Words, at: number): number {
  let n = at;
  let begin = from;
  for (let i = from + 1; i <= to && n < into.capacity; i += 1) {
    const isEnd =
      i === to ||
      text.charCodeAt(i) === 95 ||
      (cased.charCodeAt(i) !== text.charCodeAt(i) && cased.charCodeAt(i - 1) === text.charCodeAt(i - 1));
    if (!isEnd) continue;
    if (text.charCodeAt(begin) === 95) begin += 1;
    const length = Math.min(i - begin, 64);
    if (length >= 2) {
      for (let k = 0; k < length; k += 1) buffer[k] = text.charCodeAt(begin + k);
      into.spelling[n] = 0;
      into.stem[n] = hashBuffer(0, stemEnd(length));
      into.weight[n] = wordWeight(hashBuffer(0, length), into.stem[n]!, length);
      into.kind[n] = KIND.word;
      into.start[n] = begin;
      into.end[n] = i;
      n += 1;
    }
    begin = i;
  }
  return n;
}

function hashBuffer(from: number, to: number): number {
  let h = FNV;
  for (let i = from; i < to; i += 1) h = Math.imul(h ^ buffer[i]!, PRIME);
  return h;
}

/** Length of the stem in the buffer: plural and verb endings of English off, which leaves most other words alone. */
function stemEnd(length: number): number {
  let end = length;
  if (end < 4 || buffer[end - 1]! > 122) return end;
  const last = buffer[end - 1]!;
  if (last === 115 && buffer[end - 2] !== 115 && buffer[end - 2] !== 117 && buffer[end - 2] !== 105) {
    end -= 1;
    if (end > 4 && buffer[end - 1] === 101 && buffer[end - 2] === 105) {
      end -= 1;
      buffer[end - 1] = 121;
      return end;
    }
  } else if (end > 5 && last === 103 && buffer[end - 2] === 110 && buffer[end - 3] === 105) {
    end = undouble(end - 3);
  } else if (end > 4 && last === 100 && buffer[end - 2] === 101) {
    end = undouble(end - 2);
  }
  if (end > 3 && buffer[end - 1] === 101) end -= 1;
  return end;
}

function undouble(end: number): number {
  const c = buffer[end - 1];
  return end > 3 && c === buffer[end - 2] && c !== 108 && c !== 115 ? end - 1 : end;
}

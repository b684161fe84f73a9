// How much a word tells: by its rank among the words of English, nothing for the words of grammar of every language known.
// Pure.

import { hashWord } from './letters.js';
import { PACKS } from './packs/index.js';
import { WORDS_BY_RANK } from './word-ranks.js';

/** Weight by hash of the spelling. What is not listed is rare and tells most. */
const weights = new Map<number, number>();
const glyphs = new Set<number>();

const ranked = WORDS_BY_RANK.split(' ');
/** A rank at which a word begins to tell something; chosen once, the result is flat around it. */
const KNEE = 40;
const SCALE = Math.log(1 + ranked.length / KNEE);
ranked.forEach((word, rank) => {
  weights.set(hashWord(word), (0.95 * Math.log(1 + rank / KNEE)) / SCALE);
});
for (const pack of PACKS) {
  for (const word of pack.stop) {
    if (word.length === 1 && word.charCodeAt(0) > 0x2000) glyphs.add(word.charCodeAt(0));
    else weights.set(hashWord(word), 0);
  }
}

/**
 * @param spelling hash of the word
 * @param stem hash of its stem: an inflected form is as common as what it comes from
 * @param length letters of the word
 */
export function wordWeight(spelling: number, stem: number, length: number): number {
  const known = weights.get(spelling) ?? weights.get(stem);
  if (known !== undefined) return known;
  return length <= 2 ? 0.3 : 1;
}

export function isStopGlyph(c: number): boolean {
  return glyphs.has(c);
}

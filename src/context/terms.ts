// A document as words: identifiers are taken apart, case is folded, what names nothing is left out. Pure.

import { STOP_WORDS } from './stop-words.js';

const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|[\p{Lo}]{2,}/gu;
/** Words that a document gives at most: its beginning says what it is about. */
const MOST = 1200;

/** Every word as often as it stands there, in order. */
export function termsOf(text: string): string[] {
  const out: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    if (word.length < 3 && !/\p{Lo}/u.test(word)) continue;
    if (word.length > 32) continue;
    const folded = word.toLowerCase();
    if (STOP_WORDS.has(folded)) continue;
    out.push(folded);
    if (out.length >= MOST) break;
  }
  return out;
}

/** Counts by word. */
export function counted(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

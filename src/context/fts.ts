// Words to look for, as SQLite's full-text search takes them, and how its hits are scored. Pure.

import { STOP_WORDS } from './stop-words.js';
import { counted, termsOf } from './terms.js';
import { dot, similarity, vectorOf } from './vectors.js';

/** Words of a query that are looked for. */
const MOST = 24;
/** M-10: shares of the vector and of BM25 in a score. */
const VECTOR = 0.6;
const WORDS = 0.4;

/** The telling words of a text, each once; all of them where none tells anything. */
function wordsOf(text: string): string[] {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const telling = words.filter((w) => !STOP_WORDS.has(w));
  return (telling.length > 0 ? telling : words).slice(0, MOST);
}

/** A match expression: any of the words, each a plain string, so that no operator of FTS5 comes in from outside. */
function anyOf(words: readonly string[]): string {
  return words.map((w) => `"${w}"`).join(' OR ');
}

export function matchAny(text: string): string | undefined {
  const words = wordsOf(text);
  return words.length === 0 ? undefined : anyOf(words);
}

export interface Candidate {
  text: string;
  /** FTS5's bm25(): the smaller the better, negative for a match. */
  bm25: number;
}

/**
 * Best first, with a score of 0 to 1 in three decimals: 0.6 of the cosine of hashed words, 0.4 of BM25 against the best
 * of these hits. Ties keep the order of BM25.
 */
export function scored<T extends Candidate>(query: string, hits: readonly T[]): (T & { score: number })[] {
  const best = Math.max(1e-9, ...hits.map((h) => -h.bm25));
  const plain = () => 1;
  const wanted = vectorOf(counted(termsOf(query)), plain);
  return hits
    .map((hit) => {
      const distance = 1 - dot(wanted, vectorOf(counted(termsOf(hit.text)), plain));
      const score = VECTOR * similarity(distance) + WORDS * Math.max(0, -hit.bm25 / best);
      return { ...hit, score: Math.round(score * 1000) / 1000 };
    })
    .sort((a, b) => b.score - a.score || a.bm25 - b.bm25);
}

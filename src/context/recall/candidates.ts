// Which passages are worth scoring for a question, found by looking at a bounded number of places of the word lists, whatever the
// index holds: rare words are read whole, of common ones only what several of them share. Pure, over a list that it is given.

import { rarity } from './ranking.js';

/**
 * Passages with the words, newest first.
 * @param all true: those that have all the words; else the single word's
 * @param from ids below it are left out
 */
export type Find = (words: readonly string[], from: number, limit: number) => number[];

export interface Range {
  /** First and last id that may be found, and how many passages of the scope are there. */
  first: number;
  last: number;
  passages: number;
}

export interface Weighed {
  word: string;
  /** Passages that have it: exact when few, else as dense as its newest are. */
  n: number;
  weight: number;
}

/** Newest places of a word that are looked at to tell how common it is. */
const PROBE = 64;
/** Places that a search for passages with several common words may walk over. */
const WALKED = 10_000;
/** Common words that are asked for together. */
const TOGETHER = 3;

export interface Candidates {
  words: Weighed[];
  /** The ids most worth scoring, at most `most`. */
  ids: number[];
}

export function candidates(
  words: readonly string[],
  find: Find,
  range: Range,
  o: { places: number; most: number },
): Candidates {
  const span = range.last - range.first + 1;
  const probed = words.map((word) => {
    const ids = find([word], range.first, PROBE);
    const few = ids.length < PROBE;
    const dense = (PROBE * span) / (range.last - ids.at(-1)! + 1);
    const n = few ? ids.length : Math.max(PROBE, Math.min(range.passages, Math.round(dense)));
    return { word, n, ids, few, weight: rarity(n, range.passages) };
  });
  const sums = new Map<number, number>();
  const take = (ids: readonly number[], weight: number) => {
    for (const id of ids) sums.set(id, (sums.get(id) ?? 0) + weight);
  };
  let left = o.places;
  const common: typeof probed = [];
  for (const p of [...probed].sort((a, b) => a.n - b.n)) {
    if (p.few) take(p.ids, p.weight);
    else if (p.n <= left && common.length === 0) take(find([p.word], range.first, left), p.weight);
    else {
      common.push(p);
      continue;
    }
    left -= p.n;
  }
  const [rarest] = common;
  if (rarest !== undefined && sums.size < o.most) {
    for (let n = Math.min(TOGETHER, common.length); n > 1; n -= 1) {
      const together = common.slice(0, n);
      const reach = Math.ceil(span * Math.min(1, WALKED / rarest.n));
      const ids = find(
        together.map((p) => p.word),
        Math.max(range.first, range.last - reach),
        o.most,
      );
      take(
        ids,
        together.reduce((sum, p) => sum + p.weight, 0),
      );
      if (ids.length >= o.most) break;
    }
    take(find([rarest.word], range.first, o.most), rarest.weight);
  }
  const ids = [...sums.entries()].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, o.most);
  return {
    words: probed.map(({ word, n, weight }) => ({ word, n, weight })),
    ids: ids.map(([id]) => id),
  };
}

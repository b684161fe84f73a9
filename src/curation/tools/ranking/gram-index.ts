// Hashed vectors of character n-grams, compared by cosine: finds what is spelled alike where no word is the same. Pure.

import { normalized } from './word-index.js';

const PLACES = 4096;

export class GramIndex {
  readonly #size: number;
  readonly #rarity = new Float64Array(PLACES);
  readonly #postings = new Map<number, { document: number; weight: number }[]>();

  constructor(documents: readonly (readonly string[])[]) {
    this.#size = documents.length;
    const counted = documents.map(grams);
    for (const vector of counted) for (const place of vector.keys()) this.#rarity[place]! += 1;
    for (let place = 0; place < PLACES; place += 1) {
      this.#rarity[place] = Math.max(0, Math.log((documents.length + 1) / (this.#rarity[place]! + 0.5)));
    }
    counted.forEach((vector, document) => {
      for (const [place, weight] of this.#unit(vector)) {
        const list = this.#postings.get(place);
        if (list === undefined) this.#postings.set(place, [{ document, weight }]);
        else list.push({ document, weight });
      }
    });
  }

  /** Cosine with each document, the highest scaled to 1. */
  scores(query: readonly string[]): Float64Array {
    const scores = new Float64Array(this.#size);
    for (const [place, asked] of this.#unit(grams(query))) {
      for (const { document, weight } of this.#postings.get(place) ?? []) scores[document]! += asked * weight;
    }
    return normalized(scores);
  }

  #unit(vector: ReadonlyMap<number, number>): [number, number][] {
    const weighted = [...vector].map(([place, n]): [number, number] => [
      place,
      (1 + Math.log(n)) * this.#rarity[place]!,
    ]);
    const norm = Math.sqrt(weighted.reduce((sum, [, w]) => sum + w * w, 0)) || 1;
    return weighted.map(([place, w]) => [place, w / norm]);
  }
}

/** Counts of 3- and 4-grams, word borders included, by hash (FNV-1a). */
function grams(words: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const word of words) {
    const text = `^${word}$`;
    for (let n = 3; n <= 4; n += 1) {
      for (let i = 0; i + n <= text.length; i += 1) {
        let hash = 2166136261;
        for (let k = i; k < i + n; k += 1) hash = Math.imul(hash ^ text.charCodeAt(k), 16777619);
        const place = (hash >>> 0) % PLACES;
        counts.set(place, (counts.get(place) ?? 0) + 1);
      }
    }
  }
  return counts;
}

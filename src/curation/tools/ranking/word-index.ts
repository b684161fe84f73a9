// BM25 over weighted words: each document is a bag of stems with weights by the field they stood in. Pure.

export type Bag = ReadonlyMap<string, number>;

const K1 = 1.2;
const B = 0.6;

export class WordIndex {
  readonly size: number;
  readonly #lengths: Float64Array;
  readonly #mean: number;
  readonly #postings = new Map<string, { document: number; weight: number }[]>();

  constructor(documents: readonly Bag[]) {
    this.size = documents.length;
    this.#lengths = new Float64Array(documents.length);
    documents.forEach((bag, document) => {
      for (const [word, weight] of bag) {
        this.#lengths[document]! += weight;
        const list = this.#postings.get(word);
        if (list === undefined) this.#postings.set(word, [{ document, weight }]);
        else list.push({ document, weight });
      }
    });
    this.#mean = this.#lengths.reduce((a, b) => a + b, 0) / Math.max(1, documents.length) || 1;
  }

  scores(query: Bag): Float64Array {
    const scores = new Float64Array(this.size);
    for (const [word, asked] of query) {
      const list = this.#postings.get(word);
      if (list === undefined) continue;
      const rarity = Math.log(1 + (this.size - list.length + 0.5) / (list.length + 0.5));
      for (const { document, weight } of list) {
        const length = 1 - B + (B * this.#lengths[document]!) / this.#mean;
        scores[document]! += (asked * rarity * weight * (K1 + 1)) / (weight + K1 * length);
      }
    }
    return scores;
  }
}

/** Divided by the highest; zeros stay zeros. */
export function normalized(scores: Float64Array): Float64Array {
  const top = highest(scores);
  return top === 0 ? scores : scores.map((s) => s / top);
}

export function highest(scores: Float64Array): number {
  return scores.reduce((a, b) => Math.max(a, b), 0);
}

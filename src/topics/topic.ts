// One topic: what was said in it, as weighted words and as vectors. Pure; in place.

import { dot, HASHED_DIMS } from './hashed.js';
import type { Words } from './scan.js';
import { WordList } from './telling.js';

/** Words that a topic keeps; rarer news than the first few thousand words tells nothing new. */
const MOST_WORDS = 2000;
/** Telling words of its newest exchanges that it is compared with word by word. */
const NEWEST = 64;
const scratch = new WordList(NEWEST);

/** The sum of vectors and its length, kept up to date. */
export class Centroid {
  readonly sum: Float32Array;
  #norm = 0;
  n = 0;

  constructor(dims = HASHED_DIMS) {
    this.sum = new Float32Array(dims);
  }

  add(v: Float32Array, factor = 1): void {
    const { sum } = this;
    let norm = 0;
    for (let i = 0; i < sum.length; i += 1) {
      const x = sum[i]! + factor * v[i]!;
      sum[i] = x;
      norm += x * x;
    }
    this.#norm = Math.sqrt(norm);
    this.n += 1;
  }

  /** @param v of length 1 */
  cosine(v: Float32Array): number {
    return this.#norm > 0 ? dot(this.sum, v) / this.#norm : 0;
  }

  /** The centroid at length 1. */
  unit(): Float32Array {
    return this.#norm > 0 ? this.sum.map((x) => x / this.#norm) : this.sum.slice();
  }
}

export class Topic {
  /** Turn, and stored message, with which it began. */
  readonly start: number;
  readonly message: number;
  /** Inputs taken in. */
  inputs = 0;
  /** Turns in which a word was said, by stem: by the user, by the assistant. */
  readonly user = new Map<number, number>();
  readonly assistant = new Map<number, number>();
  readonly inputsCentroid = new Centroid();
  readonly centroid = new Centroid();
  readonly meaning: Centroid;
  /** Telling words, of the newest exchange first. */
  readonly newest = new WordList(NEWEST);

  constructor(start: number, message: number, meaningDims: number) {
    this.start = start;
    this.message = message;
    this.meaning = new Centroid(meaningDims);
  }

  take(words: Words, into: Map<number, number>): void {
    for (let i = 0; i < words.n; i += 1) {
      if (words.weight[i]! < 0.06) continue;
      const stem = words.stem[i]!;
      const seen = into.get(stem);
      if (seen !== undefined) into.set(stem, seen + 1);
      else if (into.size < MOST_WORDS) into.set(stem, 1);
    }
  }

  /** The telling words of an exchange go before those of the exchanges before it. */
  tell(input: WordList, reply?: WordList): void {
    scratch.n = 0;
    scratch.join(input);
    if (reply !== undefined) scratch.join(reply);
    scratch.join(this.newest);
    this.newest.copy(scratch);
  }
}

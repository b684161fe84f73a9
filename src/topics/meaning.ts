// The second embedder: a table of word vectors distilled from a sentence encoder. It knows that a train and a bus have to do
// with each other, which spelling does not. English only; other words have no vector. Pure.

import type { EmbedderDescriptor } from './hashed.js';
import { hashWord } from './letters.js';
import type { Words } from './scan.js';
import { WORDS_BY_RANK } from './word-ranks.js';
import { VECTOR_DIMS, WORD_VECTORS } from './word-vectors.js';

export const MEANING_DIMS = VECTOR_DIMS;

export const MEANING: EmbedderDescriptor = {
  name: 'curated/word-table-en',
  version: 1,
  dims: VECTOR_DIMS,
  threshold: 0.3,
  returnThreshold: 0.45,
};

const table = new Int8Array(Buffer.from(WORD_VECTORS, 'base64'));
const rows = new Map<number, number>();
WORDS_BY_RANK.split(' ').forEach((word, row) => {
  rows.set(hashWord(word), row);
});

/** Length of each row, so that all count alike. */
const scales = new Float32Array(rows.size);
for (let row = 0; row < scales.length; row += 1) {
  let norm = 0;
  for (let i = 0; i < VECTOR_DIMS; i += 1) norm += table[row * VECTOR_DIMS + i]! ** 2;
  scales[row] = norm > 0 ? 1 / Math.sqrt(norm) : 0;
}

/** The word's row in the table; -1 none. */
export function wordRow(spelling: number, stem: number): number {
  return rows.get(spelling) ?? rows.get(stem) ?? -1;
}

/** Cosine of two rows. */
export function wordLikeness(a: number, b: number): number {
  const from = a * VECTOR_DIMS;
  const to = b * VECTOR_DIMS;
  let sum = 0;
  for (let i = 0; i < VECTOR_DIMS; i += 1) sum += table[from + i]! * table[to + i]!;
  return sum * scales[a]! * scales[b]!;
}

const FLOOR = 0.3;
const MOST = 160;

/**
 * Adds the words' vectors to `out` (length MEANING_DIMS) and scales it to length 1.
 * @returns share of the words' weight that the table knows; `out` is zero when 0
 */
export function embedMeaning(words: Words, out: Float32Array): number {
  out.fill(0);
  let known = 0;
  let all = 0;
  const n = Math.min(words.n, MOST);
  for (let k = 0; k < n; k += 1) {
    const weight = words.weight[k]!;
    if (weight < FLOOR) continue;
    all += weight;
    const row = rows.get(words.spelling[k]!) ?? rows.get(words.stem[k]!);
    if (row === undefined) continue;
    known += weight;
    const factor = weight * scales[row]!;
    const at = row * VECTOR_DIMS;
    for (let i = 0; i < VECTOR_DIMS; i += 1) out[i]! += factor * table[at + i]!;
  }
  if (known === 0) return 0;
  let norm = 0;
  for (let i = 0; i < VECTOR_DIMS; i += 1) norm += out[i]! * out[i]!;
  const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
  for (let i = 0; i < VECTOR_DIMS; i += 1) out[i]! *= scale;
  return known / all;
}

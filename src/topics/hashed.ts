// The default embedder: words and their character 3- and 4-grams, hashed into 1,024 places, weighted by how much each word
// tells. No model, microseconds. Pure.

import { KIND, type Words } from './scan.js';

export const HASHED_DIMS = 1024;
const MASK = HASHED_DIMS - 1;

/** What an event says of the numbers in it. Thresholds belong to the embedder: 0.55 means nothing for lexical vectors. */
export interface EmbedderDescriptor {
  readonly name: string;
  readonly version: number;
  readonly dims: number;
  /** A cosine with the topic below it speaks for another topic. */
  readonly threshold: number;
  /** A cosine with a closed topic from it on means that topic. */
  readonly returnThreshold: number;
}

export const HASHED: EmbedderDescriptor = {
  name: 'curated/hashed-words-ngrams',
  version: 1,
  dims: HASHED_DIMS,
  threshold: 0.1,
  returnThreshold: 0.22,
};

/** Share of a word's weight that its grams carry. */
const GRAMS = 0.45;
/** Words that say next to nothing are left out. */
const FLOOR = 0.06;
/** Words of one text that are embedded. */
const MOST = 320;

/**
 * Adds the words to `out` (length 1,024) and scales it to length 1.
 * @returns false when the words hold nothing to embed; `out` is zero then
 */
export function embedHashed(words: Words, text: string, out: Float32Array): boolean {
  out.fill(0);
  let any = false;
  const n = Math.min(words.n, MOST);
  for (let i = 0; i < n; i += 1) {
    const weight = words.weight[i]!;
    if (weight < FLOOR) continue;
    any = true;
    add(out, words.stem[i]!, weight);
    if (words.kind[i] === KIND.word) grams(out, text, words.start[i]!, words.end[i]!, weight * GRAMS);
  }
  if (!any) return false;
  let norm = 0;
  for (let i = 0; i < HASHED_DIMS; i += 1) norm += out[i]! * out[i]!;
  const scale = 1 / Math.sqrt(norm);
  for (let i = 0; i < HASHED_DIMS; i += 1) out[i]! *= scale;
  return true;
}

function add(out: Float32Array, hash: number, weight: number): void {
  const h = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  const at = (h >>> 7) & MASK;
  out[at]! += (h & 1) === 0 ? weight : -weight;
}

/** Lower-cases ASCII alone: an accent that differs costs a gram, not a pass over the text. */
function grams(out: Float32Array, text: string, from: number, to: number, weight: number): void {
  const end = Math.min(to, from + 24);
  const each = weight / Math.sqrt(2 * (end - from));
  let b = 32;
  let c = low(text.charCodeAt(from));
  let a = 0;
  for (let i = from + 1; i <= end; i += 1) {
    const d = i === end ? 32 : low(text.charCodeAt(i));
    const three = Math.imul(Math.imul(b * 31 + c, 0x9e3779b1) ^ d, 0x85ebca6b);
    add(out, three, each);
    if (a !== 0) add(out, Math.imul(three ^ a, 0xc2b2ae35), each);
    a = b;
    b = c;
    c = d;
  }
}

function low(c: number): number {
  return c >= 65 && c <= 90 ? c | 32 : c;
}

/** Cosine of two vectors of length 1 (or 0). */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

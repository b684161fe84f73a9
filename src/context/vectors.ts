// Documents as vectors: hashed words, weighted by how rare they are (the sign of a second hash keeps collisions neutral).
// Deterministic, no model. Pure.

import { CuratedError } from '../errors.js';

const DIMENSIONS = 256;

/** FNV-1a, 32 bits, over UTF-16 units. */
function hash(word: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) h = Math.imul(h ^ word.charCodeAt(i), 0x01000193);
  h ^= h >>> 15;
  return Math.imul(h, 0x2c1b3c6d) >>> 0;
}

/** Unit vector of a document; all zeros when it has no known word. `weight`: inverse document frequency. */
export function vectorOf(
  counts: ReadonlyMap<string, number>,
  weight: (word: string) => number,
): Float32Array {
  const v = new Float32Array(DIMENSIONS);
  for (const [word, n] of counts) {
    const h = hash(word);
    const w = (1 + Math.log(n)) * weight(word);
    v[h % DIMENSIONS]! += h >>> 31 === 0 ? w : -w;
  }
  return normalise(v);
}

/** In place; a zero vector stays one. */
export function normalise(v: Float32Array): Float32Array {
  let sum = 0;
  for (const x of v) sum += x * x;
  if (sum > 0) {
    const f = 1 / Math.sqrt(sum);
    for (let i = 0; i < v.length; i += 1) v[i]! *= f;
  }
  return v;
}

/** Of unit vectors: their cosine. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

/** M-10: 1 minus the distance, never below 0, three decimals. */
export function similarity(distance: number): number {
  return Math.round(Math.max(0, 1 - distance) * 1000) / 1000;
}

/** a vector that is not finite is an error, and then there are no topics. */
export function checkFinite(vectors: readonly ArrayLike<number>[]): void {
  const dims = vectors[0]?.length ?? 0;
  vectors.forEach((v, index) => {
    if (v.length !== dims) throw bad(index, `has ${v.length} numbers, not ${dims}`);
    for (let i = 0; i < dims; i += 1) if (!Number.isFinite(v[i])) throw bad(index, 'is not finite');
  });
}

function bad(index: number, what: string): CuratedError {
  return new CuratedError('BAD_VECTOR', `vector ${index} ${what}: no topics are made`, { path: `/${index}` });
}

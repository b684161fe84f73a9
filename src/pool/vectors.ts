// Vectors from outside, checked before any arithmetic, and their cosines. Float32 storage, float64 sums. Pure.
import { fail } from '../errors.js';
import type { SimilarityPayload, SimilarityResult } from './contract.js';

/** Why a vector is not usable, or undefined. `dims` is the length it must have. */
export function vectorFault(v: ArrayLike<unknown>, dims: number): string | undefined {
  if (typeof v !== 'object' || v === null) return 'it is no list of numbers';
  if (v.length !== dims) return `it has ${v.length} numbers, not ${dims}`;
  let norm = 0;
  for (let i = 0; i < dims; i++) {
    const x = v[i];
    if (typeof x !== 'number') return `number ${i} is a ${x === null ? 'null' : typeof x}`;
    const single = Math.fround(x);
    if (!Number.isFinite(single)) return `number ${i} is not finite as a float32`;
    norm += single * single;
  }
  return norm > 0 ? undefined : 'its norm is zero';
}

/** A usable vector as Float32Array; throws BAD_VECTOR (F34). */
export function asVector(v: ArrayLike<unknown>, dims: number, name = 'vector'): Float32Array {
  const fault = vectorFault(v, dims);
  if (fault !== undefined) fail('BAD_VECTOR', `${name}: ${fault}`, { path: `/${name}` });
  return v instanceof Float32Array ? v : Float32Array.from(v as ArrayLike<number>);
}

/** L3-5: 0 for unequal lengths, empty or zero-norm vectors. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa > 0 && bb > 0 ? dot / Math.sqrt(aa * bb) : 0;
}

/** Every usable vector against the centroid; refused ones are named. Throws BAD_VECTOR for a bad centroid. */
export function similarities({ dims, vectors, centroid }: SimilarityPayload): SimilarityResult {
  if (!Number.isInteger(dims) || dims < 1) fail('BAD_VECTOR', `dims is ${dims}`, { path: '/dims' });
  const middle = asVector(centroid, dims, 'centroid');
  let rows: readonly ArrayLike<number>[];
  if (vectors instanceof Float32Array) {
    if (vectors.length % dims !== 0) {
      fail('BAD_VECTOR', `${vectors.length} numbers are no rows of ${dims}`, { path: '/vectors' });
    }
    rows = Array.from({ length: vectors.length / dims }, (_, i) =>
      vectors.subarray(i * dims, (i + 1) * dims),
    );
  } else {
    rows = vectors;
  }
  const cosines = new Float64Array(rows.length);
  const bad: SimilarityResult['bad'] = [];
  for (const [index, row] of rows.entries()) {
    const reason = vectorFault(row, dims);
    if (reason === undefined)
      cosines[index] = cosine(row instanceof Float32Array ? row : Float32Array.from(row), middle);
    else bad.push({ index, reason });
  }
  return { cosines, bad };
}

// Groups of like vectors: spherical k-means from a fixed seed, then the sizes that R-15 asks for. Pure; in steps, so that
// a caller can let others run in between.

import { seeded } from '../random.js';
import { checkFinite, dot, normalise } from './vectors.js';

/** a cluster has at least so many documents; what finds none is noise. */
const SMALLEST = 5;
const SEED = 42;
const ROUNDS = 12;
/** A document that is no nearer to its centre than this belongs nowhere. */
const NEAR = 0.12;

export interface Cluster {
  centroid: Float32Array;
  /** Indexes of its documents, ascending. */
  members: number[];
}

/** no cluster above this. */
export function largest(n: number): number {
  return Math.max(Math.floor(n / 4), 50);
}

export function clusterCount(n: number): number {
  if (n > 5000) return Math.max(10, Math.floor(Math.sqrt(n) / 3));
  return Math.max(1, Math.min(Math.round(Math.sqrt(n / 2)), Math.floor(n / SMALLEST)));
}

/** Steps: each `yield` is a place to pause. Throws BAD_VECTOR; zero vectors are noise. */
export function* clusters(vectors: readonly Float32Array[]): Generator<void, Cluster[]> {
  checkFinite(vectors);
  const usable = vectors.map((_, i) => i).filter((i) => dot(vectors[i]!, vectors[i]!) > 0);
  if (usable.length < SMALLEST) return [];
  const most = largest(vectors.length);
  const found = yield* split(vectors, usable, clusterCount(usable.length));
  const small: number[] = [];
  const kept: Cluster[] = [];
  for (const members of found) {
    for (const part of yield* bounded(vectors, members, most)) {
      if (part.length < SMALLEST) small.push(...part);
      else kept.push({ members: part, centroid: centre(vectors, part) });
    }
  }
  // A document of a cluster that is too small joins its nearest, if that one has room and is near.
  for (const i of small.sort((a, b) => a - b)) {
    const home = kept
      .map((c) => ({ c, near: dot(c.centroid, vectors[i]!) }))
      .filter(({ c, near }) => near > NEAR && c.members.length < most)
      .reduce<{ c: Cluster; near: number } | undefined>(
        (b, x) => (b === undefined || x.near > b.near ? x : b),
        undefined,
      );
    home?.c.members.push(i);
  }
  for (const c of kept) {
    c.members.sort((a, b) => a - b);
    c.centroid = centre(vectors, c.members);
  }
  return kept.sort((a, b) => b.members.length - a.members.length || a.members[0]! - b.members[0]!);
}

/** k-means++ and Lloyd's rounds over some of the vectors. */
function* split(
  vectors: readonly Float32Array[],
  own: readonly number[],
  k: number,
): Generator<void, number[][]> {
  if (k <= 1) return [[...own]];
  let centroids = seedCentres(vectors, own, k);
  let home = new Int32Array(own.length).fill(-1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Int32Array(own.length);
    for (let i = 0; i < own.length; i += 1) {
      const v = vectors[own[i]!]!;
      let best = 0;
      let near = Number.NEGATIVE_INFINITY;
      for (let c = 0; c < centroids.length; c += 1) {
        const d = dot(centroids[c]!, v);
        if (d > near) {
          near = d;
          best = c;
        }
      }
      next[i] = best;
      if (i % 64 === 63) yield;
    }
    const same = next.every((c, i) => c === home[i]);
    home = next;
    if (same) break;
    centroids = centroids.map((old, c) => {
      const members = own.filter((_, i) => home[i] === c);
      return members.length === 0 ? old : centre(vectors, members);
    });
  }
  return centroids.map((_, c) => own.filter((_, i) => home[i] === c)).filter((m) => m.length > 0);
}

/** k-means++: far points are likely to become centres. */
function seedCentres(vectors: readonly Float32Array[], own: readonly number[], k: number): Float32Array[] {
  const random = seeded(SEED);
  const centres = [vectors[own[Math.floor(random() * own.length)]!]!];
  const far = new Float64Array(own.length).fill(Number.POSITIVE_INFINITY);
  while (centres.length < k) {
    const last = centres[centres.length - 1]!;
    let sum = 0;
    for (let i = 0; i < own.length; i += 1) {
      const d = Math.max(0, 1 - dot(last, vectors[own[i]!]!));
      far[i] = Math.min(far[i]!, d * d);
      sum += far[i]!;
    }
    if (sum <= 1e-9) break;
    let at = random() * sum;
    let i = 0;
    while (i < own.length - 1 && at >= far[i]!) at -= far[i++]!;
    centres.push(vectors[own[i]!]!);
  }
  return centres.map((c) => Float32Array.from(c));
}

/** Parts of at most `most` documents: by likeness, and where all are alike by order. */
function* bounded(
  vectors: readonly Float32Array[],
  members: number[],
  most: number,
): Generator<void, number[][]> {
  if (members.length <= most) return [members];
  let parts = yield* split(vectors, members, Math.max(2, Math.ceil(members.length / most)));
  if (parts.length < 2) {
    const size = Math.ceil(members.length / Math.ceil(members.length / most));
    parts = Array.from({ length: Math.ceil(members.length / size) }, (_, i) =>
      members.slice(i * size, (i + 1) * size),
    );
  }
  const out: number[][] = [];
  for (const part of parts) out.push(...(yield* bounded(vectors, part, most)));
  return out;
}

export function centre(vectors: readonly Float32Array[], members: readonly number[]): Float32Array {
  const sum = new Float32Array(vectors[members[0]!]!.length);
  for (const m of members) {
    const v = vectors[m]!;
    for (let i = 0; i < sum.length; i += 1) sum[i]! += v[i]!;
  }
  return normalise(sum);
}

/** the nearest centroid by cosine; -1 when the dimensions differ or nothing is near. */
export function nearest(v: Float32Array, centroids: readonly ArrayLike<number>[]): number {
  let best = -1;
  let near = 0;
  centroids.forEach((c, i) => {
    if (c.length !== v.length) return;
    const d = dot(v, c);
    if (d > near) {
      near = d;
      best = i;
    }
  });
  return best;
}

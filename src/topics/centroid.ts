// The rule of the seed: a rolling mean of the inputs' vectors, and one threshold (REQUIREMENTS L3-4, L3-5). Float32 storage,
// float64 sums, raw vectors. Pure.

export interface Rolling {
  centroid: Float32Array;
  /** Vectors in it. */
  n: number;
}

export interface RollingVerdict {
  shift: boolean;
  /** Cosine with the centroid before this vector; 0 for the first. */
  similarity: number;
}

/** A centroid of this one vector. */
export function seedRolling(v: ArrayLike<number>): Rolling {
  return { centroid: Float32Array.from(v), n: 1 };
}

/**
 * Compares and takes the vector in, in place.
 * @param state undefined before the first vector
 */
export function rollingStep(
  state: Rolling | undefined,
  v: ArrayLike<number>,
  threshold: number,
  cosine: (a: ArrayLike<number>, b: ArrayLike<number>) => number,
): { state: Rolling; verdict: RollingVerdict } {
  if (state === undefined) return { state: seedRolling(v), verdict: { shift: false, similarity: 0 } };
  const similarity = cosine(v, state.centroid);
  if (similarity < threshold) return { state: seedRolling(v), verdict: { shift: true, similarity } };
  const { centroid, n } = state;
  for (let i = 0; i < centroid.length; i += 1) centroid[i] = (centroid[i]! * n + v[i]!) / (n + 1);
  return { state: { centroid, n: n + 1 }, verdict: { shift: false, similarity } };
}

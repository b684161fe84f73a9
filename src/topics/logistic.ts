// A logistic rule: weights over features, and how they are found. Pure.

export interface Logistic {
  readonly names: readonly string[];
  readonly weights: readonly number[];
  /** Probability from which on the answer is yes. */
  readonly threshold: number;
}

export function sigmoid(z: number): number {
  return z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));
}

/** Probability of a shift. `x` holds at least as many features as there are weights. */
export function probability(weights: readonly number[] | Float64Array, x: ArrayLike<number>): number {
  let z = 0;
  for (let i = 0; i < weights.length; i += 1) z += weights[i]! * x[i]!;
  return sigmoid(z);
}

export interface Example {
  x: Float64Array;
  y: boolean;
  weight: number;
}

/** Ridge-penalised maximum likelihood by Newton's method; the first feature is the bias and goes free. */
export function fitLogistic(examples: readonly Example[], ridge: number, rounds = 12): Float64Array {
  const d = examples[0]!.x.length;
  const w = new Float64Array(d);
  const h = new Float64Array(d * d);
  const g = new Float64Array(d);
  for (let round = 0; round < rounds; round += 1) {
    h.fill(0);
    g.fill(0);
    for (let i = 0; i < d; i += 1) {
      const penalty = i === 0 ? 1e-6 : ridge;
      h[i * d + i] = penalty;
      g[i] = -penalty * w[i]!;
    }
    for (const { x, y, weight } of examples) {
      const p = probability(w as unknown as number[], x);
      const r = weight * ((y ? 1 : 0) - p);
      const s = weight * Math.max(1e-6, p * (1 - p));
      for (let i = 0; i < d; i += 1) {
        const xi = x[i]!;
        if (xi === 0) continue;
        g[i]! += r * xi;
        const sx = s * xi;
        for (let j = 0; j <= i; j += 1) h[i * d + j]! += sx * x[j]!;
      }
    }
    const step = solve(h, g, d);
    let largest = 0;
    for (let i = 0; i < d; i += 1) {
      w[i]! += step[i]!;
      largest = Math.max(largest, Math.abs(step[i]!));
    }
    if (largest < 1e-6) break;
  }
  return w;
}

/** Cholesky; `h` holds the lower triangle. */
function solve(h: Float64Array, g: Float64Array, d: number): Float64Array {
  const l = Float64Array.from(h);
  for (let i = 0; i < d; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = l[i * d + j]!;
      for (let k = 0; k < j; k += 1) sum -= l[i * d + k]! * l[j * d + k]!;
      l[i * d + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / l[j * d + j]!;
    }
  }
  const x = Float64Array.from(g);
  for (let i = 0; i < d; i += 1) {
    for (let k = 0; k < i; k += 1) x[i]! -= l[i * d + k]! * x[k]!;
    x[i]! /= l[i * d + i]!;
  }
  for (let i = d - 1; i >= 0; i -= 1) {
    for (let k = i + 1; k < d; k += 1) x[i]! -= l[k * d + i]! * x[k]!;
    x[i]! /= l[i * d + i]!;
  }
  return x;
}

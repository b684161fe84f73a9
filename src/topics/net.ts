// The rule's form: weights over features, and a few units that bend them, since what a short input means depends on what was
// asked before it. Pure. How the weights are found: eval/fit.ts.

export interface Unit {
  readonly weights: readonly number[];
  /** What the unit adds at full swing. */
  readonly out: number;
}

export interface Net {
  readonly names: readonly string[];
  readonly weights: readonly number[];
  readonly units: readonly Unit[];
  /** Probability from which on the answer is yes. */
  readonly threshold: number;
}

export type Weights = Pick<Net, 'weights' | 'units'>;

export function sigmoid(z: number): number {
  return z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));
}

/** Probability of a shift. `x` holds at least as many features as there are weights; the first is 1. */
export function probability(weights: Weights, x: ArrayLike<number>): number {
  return sigmoid(logOdds(weights, x));
}

/** The same, as the logarithm of the odds. */
export function logOdds({ weights, units }: Weights, x: ArrayLike<number>): number {
  let z = product(weights, 0, x, weights.length);
  for (const unit of units) z += unit.out * Math.tanh(product(unit.weights, 0, x, unit.weights.length));
  return z;
}

/** Of the `n` weights at `from` with `x`. Four sums beside each other: one alone waits for itself at every step. */
export function product(weights: ArrayLike<number>, from: number, x: ArrayLike<number>, n: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    a += weights[from + i]! * x[i]!;
    b += weights[from + i + 1]! * x[i + 1]!;
    c += weights[from + i + 2]! * x[i + 2]!;
    d += weights[from + i + 3]! * x[i + 3]!;
  }
  for (; i < n; i += 1) a += weights[from + i]! * x[i]!;
  return a + b + (c + d);
}

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
export function probability({ weights, units }: Weights, x: ArrayLike<number>): number {
  let z = product(weights, x);
  for (const unit of units) z += unit.out * Math.tanh(product(unit.weights, x));
  return sigmoid(z);
}

function product(weights: readonly number[], x: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) sum += weights[i]! * x[i]!;
  return sum;
}

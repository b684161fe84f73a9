// How the rule's weights are found: nets trained apart from random beginnings, and averaged. Pure; the same examples give the
// same weights.

import { seeded } from '../../random.js';
import { product, sigmoid, type Weights } from '../net.js';

export interface Example {
  x: Float64Array;
  y: boolean;
  weight: number;
}

export interface Fit {
  units: number;
  /** Nets that are trained apart and averaged. */
  seeds: number;
  /** Times that every example is shown. */
  epochs: number;
  decay: number;
  /** Spread of what is added at random to each feature every time that it is shown, in spreads of that feature. */
  noise: number;
  /** Of the first step; falls to 0. */
  rate: number;
}

const BATCH = 256;
/** Least spread that a feature is scaled by: a cue that is seldom there must not weigh by its rarity. */
const LEAST_SPREAD = 0.1;

/** Weighted maximum likelihood with decaying weights, by Adam over shuffled batches. */
export function fitNet(examples: readonly Example[], fit: Fit): Weights {
  const d = examples[0]!.x.length;
  const n = examples.length;
  const { mean, spread } = scales(examples, d);
  const z = new Float64Array(n * d);
  let weights = 0;
  for (const [k, { x, weight }] of examples.entries()) {
    z[k * d] = 1;
    for (let i = 1; i < d; i += 1) z[k * d + i] = (x[i]! - mean[i]!) / spread[i]!;
    weights += weight;
  }
  const nets = Array.from({ length: fit.seeds }, (_, seed) => train(examples, z, weights / n, fit, seed + 1));
  // The scales go into the weights; the bias takes the means.
  const unscaled = (w: Float64Array, from: number, factor: number): number[] => {
    const out = Array.from({ length: d }, (_, i) => w[from + i]! * factor);
    for (let i = 1; i < d; i += 1) {
      out[i]! /= spread[i]!;
      out[0]! -= out[i]! * mean[i]!;
    }
    return out;
  };
  const direct = nets.map((w) => unscaled(w, 0, 1 / fit.seeds));
  return {
    weights: Array.from({ length: d }, (_, i) => direct.reduce((sum, w) => sum + w[i]!, 0)),
    units: nets.flatMap((w) =>
      Array.from({ length: fit.units }, (_, u) => ({
        weights: unscaled(w, (1 + u) * d, 1),
        out: w[(1 + fit.units) * d + u]! / fit.seeds,
      })),
    ),
  };
}

/**
 * A logistic rule: weighted maximum likelihood, by Newton's steps.
 * @param decay of the weights, in spreads of their features; the bias has none
 */
export function fitLogistic(examples: readonly Example[], decay: number): number[] {
  const d = examples[0]!.x.length;
  const { mean, spread } = scales(examples, d);
  const total = examples.reduce((sum, e) => sum + e.weight, 0);
  const w = new Float64Array(d);
  const z = new Float64Array(d);
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    const slope = Array.from({ length: d }, (_, i) => (i === 0 ? 0 : decay * w[i]!));
    const bend = Array.from({ length: d }, (_, i) => {
      const row = new Float64Array(d);
      row[i] = i === 0 ? 1e-6 : decay;
      return row;
    });
    for (const { x, y, weight } of examples) {
      z[0] = 1;
      for (let i = 1; i < d; i += 1) z[i] = (x[i]! - mean[i]!) / spread[i]!;
      const p = sigmoid(product(w, 0, z, d));
      const off = ((p - (y ? 1 : 0)) * weight) / total;
      const sway = (Math.max(p * (1 - p), 1e-4) * weight) / total;
      for (let i = 0; i < d; i += 1) {
        slope[i]! += off * z[i]!;
        const row = bend[i]!;
        const by = sway * z[i]!;
        for (let k = 0; k < d; k += 1) row[k]! += by * z[k]!;
      }
    }
    const by = solve(bend, slope);
    for (let i = 0; i < d; i += 1) w[i]! -= by[i]!;
  }
  const out = Array.from(w, (v, i) => (i === 0 ? v : v / spread[i]!));
  for (let i = 1; i < d; i += 1) out[0]! -= out[i]! * mean[i]!;
  return out;
}

const NEWTON_STEPS = 9;

/** Of `a` times what is returned is `b`; `a` is symmetric and positive. Both are used up. */
function solve(a: Float64Array[], b: number[]): number[] {
  const d = b.length;
  for (let i = 0; i < d; i += 1) {
    for (let k = i + 1; k < d; k += 1) {
      const factor = a[k]![i]! / a[i]![i]!;
      for (let j = i; j < d; j += 1) a[k]![j]! -= factor * a[i]![j]!;
      b[k]! -= factor * b[i]!;
    }
  }
  for (let i = d - 1; i >= 0; i -= 1) {
    for (let j = i + 1; j < d; j += 1) b[i]! -= a[i]![j]! * b[j]!;
    b[i]! /= a[i]![i]!;
  }
  return b;
}

function scales(examples: readonly Example[], d: number): { mean: Float64Array; spread: Float64Array } {
  const mean = new Float64Array(d);
  const spread = new Float64Array(d);
  for (const { x } of examples) for (let i = 0; i < d; i += 1) mean[i]! += x[i]! / examples.length;
  for (const { x } of examples)
    for (let i = 0; i < d; i += 1) spread[i]! += (x[i]! - mean[i]!) ** 2 / examples.length;
  for (let i = 0; i < d; i += 1) spread[i] = Math.max(LEAST_SPREAD, Math.sqrt(spread[i]!));
  return { mean, spread };
}

/** @returns direct weights, those of each unit, then what the units add */
function train(
  examples: readonly Example[],
  z: Float64Array,
  meanWeight: number,
  { units, epochs, decay, noise, rate }: Fit,
  seed: number,
): Float64Array {
  const n = examples.length;
  const d = z.length / n;
  const size = d * (1 + units) + units;
  const outs = d * (1 + units);
  const random = seeded(seed);
  const w = new Float64Array(size);
  for (let i = d; i < outs; i += 1) w[i] = normal(random) / Math.sqrt(d);
  for (let i = outs; i < size; i += 1) w[i] = (0.3 * normal(random)) / Math.sqrt(units);
  const gradient = new Float64Array(size);
  const first = new Float64Array(size);
  const second = new Float64Array(size);
  const swing = new Float64Array(units);
  const shown = new Float64Array(d);
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, random);
    const speed = rate * (1 - epoch / epochs);
    for (let from = 0; from < n; from += BATCH) {
      const to = Math.min(n, from + BATCH);
      gradient.fill(0);
      for (let k = from; k < to; k += 1) {
        const { y, weight } = examples[order[k]!]!;
        blur(z, order[k]! * d, noise, random, shown);
        let sum = product(w, 0, shown, d);
        for (let u = 0; u < units; u += 1) {
          const row = (1 + u) * d;
          swing[u] = Math.tanh(product(w, row, shown, d));
          sum += w[outs + u]! * swing[u]!;
        }
        const g = ((sigmoid(sum) - (y ? 1 : 0)) * weight) / meanWeight / (to - from);
        for (let i = 0; i < d; i += 1) gradient[i]! += g * shown[i]!;
        for (let u = 0; u < units; u += 1) {
          const row = (1 + u) * d;
          const h = swing[u]!;
          gradient[outs + u]! += g * h;
          const back = g * w[outs + u]! * (1 - h * h);
          for (let i = 0; i < d; i += 1) gradient[row + i]! += back * shown[i]!;
        }
      }
      step += 1;
      const firstScale = 1 - 0.9 ** step;
      const secondScale = 1 - 0.98 ** step;
      for (let i = 0; i < size; i += 1) {
        // What is said without a unit decays less.
        const g = gradient[i]! + decay * (i < d ? 0.3 : 1) * w[i]!;
        first[i] = 0.9 * first[i]! + 0.1 * g;
        second[i] = 0.98 * second[i]! + 0.02 * g * g;
        w[i]! -= (speed * (first[i]! / firstScale)) / (Math.sqrt(second[i]! / secondScale) + 1e-6);
      }
    }
  }
  return w;
}

/** Writes a row of `z` into `out`, its bias as it is and each feature beside where it was. */
function blur(z: Float64Array, at: number, noise: number, random: () => number, out: Float64Array): void {
  out[0] = z[at]!;
  for (let i = 1; i < out.length; i += 1)
    // A sum of three is near enough to a bell curve, and three of them have a spread of a half.
    out[i] = z[at + i]! + (noise === 0 ? 0 : 2 * noise * (random() + random() + random() - 1.5));
}

function normal(random: () => number): number {
  const r = Math.sqrt(-2 * Math.log(random() + 1e-12));
  return r * Math.cos(2 * Math.PI * random());
}

function shuffle(order: Uint32Array, random: () => number): void {
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    const kept = order[i]!;
    order[i] = order[j]!;
    order[j] = kept;
  }
}

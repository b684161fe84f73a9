// Finds the weights: on the marked pieces, then again on the pieces the rule itself makes of them, since that is what it will
// see. Every set counts alike, however many dialogues it has.

import { END_FEATURES, INPUT_FEATURES } from '../features.js';
import { type Example, fitLogistic, probability } from '../logistic.js';
import type { Rule } from '../rule.js';
import type { Dialogue } from './data.js';
import { type Judged, score } from './metrics.js';
import { roll, type Step } from './roll.js';

export type Sets = ReadonlyMap<string, readonly Dialogue[]>;

/** Examples that a set stands for, whatever its size. */
const SET_WEIGHT = 1500;
export const RIDGE = 3;
const ROUNDS = 2;
/** Features that tell the sets apart rather than the topics: with them the rule does worse on a set it has not seen. */
export const UNUSED: ReadonlySet<string> = new Set<string>();

/** @param without features that are left out: their weights are 0 */
export function learn(sets: Sets, ridge = RIDGE, without: ReadonlySet<string> = UNUSED): Rule {
  let rule: Rule | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const input: Example[] = [];
    const end: Example[] = [];
    for (const dialogues of sets.values()) {
      const rows = rowsOf(dialogues, rule, without);
      const weight = SET_WEIGHT / rows.length;
      for (const row of rows) {
        input.push({ x: row.input, y: row.y, weight });
        end.push({ x: row.end, y: row.y, weight });
      }
    }
    const inputWeights = fitLogistic(input, ridge);
    rule = {
      input: { names: INPUT_FEATURES, weights: [...inputWeights], threshold: 0.5 },
      end: { names: END_FEATURES, weights: blend(fitLogistic(end, ridge), inputWeights), threshold: 0.5 },
      precise: { input: 0.9, end: 0.9 },
    };
  }
  return withThresholds(rule!, sets);
}

/** How much the rule at the end is its own; the rest is the rule at the input, which travels better to other texts. */
const OWN = 0.7;

function blend(end: Float64Array, input: Float64Array): number[] {
  return [...end].map((w, i) => OWN * w + (1 - OWN) * (input[i] ?? 0));
}

interface Row {
  input: Float64Array;
  end: Float64Array;
  y: boolean;
}

function rowsOf(dialogues: readonly Dialogue[], rule: Rule | undefined, without: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const masked = (x: Float64Array): Float64Array => {
    const kept = x.slice();
    for (let i = 0; i < kept.length; i += 1) if (without.has(END_FEATURES[i]!)) kept[i] = 0;
    return kept;
  };
  for (const d of dialogues) {
    const keep = (step: Step, shift: boolean): boolean => {
      const y = d.exchanges[step.at]!.shift;
      if (!step.guarded) rows.push({ input: masked(step.input), end: masked(step.end), y });
      return shift;
    };
    roll(d, (step) => keep(step, d.exchanges[step.at]!.shift));
    if (rule !== undefined) roll(d, (step) => keep(step, says(rule.end, step.end, step)));
  }
  return rows;
}

function says(rule: { weights: readonly number[]; threshold: number }, x: Float64Array, step: Step): boolean {
  return step.guarded ? step.phrase : probability(rule.weights, x) >= rule.threshold;
}

export interface Rolled {
  input: Map<string, Judged[]>;
  end: Map<string, Judged[]>;
}

/** The rule over all dialogues, living with its own decisions. */
export function run(sets: Sets, rule: Rule): Rolled {
  const out: Rolled = { input: new Map(), end: new Map() };
  for (const [name, dialogues] of sets) {
    const input: Judged[] = [];
    const end: Judged[] = [];
    for (const d of dialogues) {
      const marked = d.exchanges.map((e) => e.shift);
      const early = [false];
      const late = [false];
      roll(d, (step) => {
        early.push(says(rule.input, step.input, step));
        const shift = says(rule.end, step.end, step);
        late.push(shift);
        return shift;
      });
      input.push({ marked, predicted: early });
      end.push({ marked, predicted: late });
    }
    out.input.set(name, input);
    out.end.set(name, end);
  }
  return out;
}

export function macroF1(judged: ReadonlyMap<string, readonly Judged[]>): number {
  let sum = 0;
  for (const dialogues of judged.values()) sum += score(dialogues).f1;
  return sum / judged.size;
}

function withThresholds(rule: Rule, sets: Sets): Rule {
  const grid = Array.from({ length: 15 }, (_, i) => 0.3 + 0.025 * i);
  const end = {
    ...rule.end,
    threshold: best(grid, (t) => macroF1(run(sets, { ...rule, end: { ...rule.end, threshold: t } }).end)),
  };
  const tuned = { ...rule, end };
  // The decision at the input moves nothing: one run tells all of its thresholds.
  const seen = probabilities(sets, tuned);
  const input = { ...rule.input, threshold: best(grid, (t) => macroF1(cutAt(seen.input, t))) };
  return {
    input,
    end,
    precise: { input: precise(seen.input), end: precise(seen.end) },
  };
}

function best(grid: readonly number[], f: (t: number) => number): number {
  let found = 0.5;
  let most = -1;
  for (const t of grid) {
    const value = f(t);
    if (value > most) {
      most = value;
      found = t;
    }
  }
  return Math.round(found * 1000) / 1000;
}

/** The lowest threshold with a precision of 0.92 on each set's average. */
function precise(seen: Probabilities): number {
  for (let t = 0.5; t < 0.99; t += 0.01) {
    const judged = cutAt(seen, t);
    let sum = 0;
    for (const dialogues of judged.values()) sum += score(dialogues).precision;
    if (sum / judged.size >= 0.92) return Math.round(t * 100) / 100;
  }
  return 0.99;
}

type Probabilities = Map<string, { marked: boolean[]; p: number[] }[]>;

function probabilities(sets: Sets, rule: Rule): { input: Probabilities; end: Probabilities } {
  const out = { input: new Map() as Probabilities, end: new Map() as Probabilities };
  for (const [name, dialogues] of sets) {
    const input: { marked: boolean[]; p: number[] }[] = [];
    const end: { marked: boolean[]; p: number[] }[] = [];
    for (const d of dialogues) {
      const marked = d.exchanges.map((e) => e.shift);
      const early = [0];
      const late = [0];
      roll(d, (step) => {
        const sure = step.phrase ? 1 : 0;
        early.push(step.guarded ? sure : probability(rule.input.weights, step.input));
        late.push(step.guarded ? sure : probability(rule.end.weights, step.end));
        return late.at(-1)! >= rule.end.threshold;
      });
      input.push({ marked, p: early });
      end.push({ marked, p: late });
    }
    out.input.set(name, input);
    out.end.set(name, end);
  }
  return out;
}

function cutAt(seen: Probabilities, t: number): Map<string, Judged[]> {
  const out = new Map<string, Judged[]>();
  for (const [name, dialogues] of seen) {
    out.set(
      name,
      dialogues.map(({ marked, p }) => ({ marked, predicted: p.map((v, i) => i > 0 && v >= t) })),
    );
  }
  return out;
}

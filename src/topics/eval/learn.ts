// Finds the weights: on the marked pieces, then again on the pieces the rule itself makes of them, since that is what it will
// see. Every set counts alike, however many dialogues it has.

import { END_FEATURES, INPUT_FEATURES } from '../features.js';
import { GATE_FEATURES, together } from '../gate.js';
import type { Sensitivity } from '../model.js';
import { probability, type Weights } from '../net.js';
import type { Rule } from '../rule.js';
import type { Dialogue } from './data.js';
import { type Example, type Fit, fitLogistic, fitNet } from './fit.js';
import { type Judged, score } from './metrics.js';
import { roll, type Step } from './roll.js';
import type { Spliced } from './splice.js';

export type Sets = ReadonlyMap<string, readonly Dialogue[]>;

/** Blurred so much, a net cannot lean on what one set's dialogues happen to share: on sets never seen that is what counts. */
const FIT: Fit = { units: 24, seeds: 2, epochs: 12, decay: 0.003, noise: 0.8, rate: 0.004 };
/** Nets that only part the pieces for the next round, or tell where the thresholds lie. */
const TRIAL: Fit = { ...FIT, seeds: 1 };
const ROUNDS = 2;
/** What a spliced set counts beside a marked one. */
const SPLICED = 0.5;
/** Parts of the dialogues that judge, each by weights from the other parts, where the thresholds lie. */
const PARTS = 3;

/**
 * @param sets whose marks are learned, and which choose the thresholds
 * @param spliced sets that are learned from besides
 */
export function learn(sets: Sets, spliced: Spliced = { net: new Map(), gate: new Map() }): Rule {
  let rule = blank();
  let marked: Row[][] = [];
  let others: Row[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const known = round === 0 ? undefined : rule;
    marked = [...sets.values()].map((dialogues) => rowsOf(dialogues, known));
    others = [...spliced.net.values()].map((dialogues) => rowsOf(dialogues, known));
    rule = { ...rule, ...fit(marked, others, round < ROUNDS - 1 ? TRIAL : FIT) };
  }
  const names = [...sets.keys(), ...spliced.gate.keys()];
  const heard = [...spliced.gate.values()].map((dialogues) => rowsOf(dialogues, undefined));
  const gated: Gated = { names, heard, dialogues: [...sets.values()] };
  return withThresholds(rule, marked, others, gated);
}

/** What the gate learns from. */
interface Gated {
  /** Of the marked sets, then of those that it alone hears. */
  names: readonly string[];
  heard: readonly Row[][];
  /** Of the marked sets. */
  dialogues: readonly (readonly Dialogue[])[];
}

/** What a set counts for the gate: coding sessions are what the net is wrong about, and what this is for. */
const GATE_SHARES: Readonly<Record<string, number>> = {
  codingagent: 1,
  sessions: 0.5,
  documents: 0.1,
  chat: 0.1,
};
const GATE_SHARE = 0.2;
const GATE_DECAY = 0.03;

function fitGate(marked: readonly Row[][], { names, heard }: Gated): number[] {
  const examples: Example[] = [];
  for (const [i, rows] of [...marked, ...heard].entries()) {
    const asked = rows.filter((r) => !r.guarded);
    const weight = (GATE_SHARES[names[i]!] ?? GATE_SHARE) / Math.max(1, asked.length);
    for (const { gate: x, y } of asked) examples.push({ x, y, weight });
  }
  return fitLogistic(examples, GATE_DECAY);
}

function blank(): Rule {
  const none = { weights: [], units: [], threshold: 0.5 };
  return {
    input: { names: INPUT_FEATURES, ...none },
    end: { names: END_FEATURES, ...none },
    precise: { input: 0.9, gate: { names: GATE_FEATURES, weights: [], threshold: 0.9 } },
  };
}

function fit(marked: readonly Row[][], others: readonly Row[][], how: Fit): Pick<Rule, 'input' | 'end'> {
  const input: Example[] = [];
  const end: Example[] = [];
  const add = (all: readonly Row[], share: number): void => {
    const rows = all.filter((r) => !r.guarded);
    const weight = share / Math.max(1, rows.length);
    for (const row of rows) {
      input.push({ x: row.input, y: row.y, weight });
      end.push({ x: row.end, y: row.y, weight });
    }
  };
  for (const rows of marked) add(rows, 1);
  for (const rows of others) add(rows, SPLICED);
  return {
    input: { names: INPUT_FEATURES, ...fitNet(input, how), threshold: 0.5 },
    end: { names: END_FEATURES, ...fitNet(end, how), threshold: 0.5 },
  };
}

interface Row {
  /** Number of its dialogue in the set. */
  dialogue: number;
  /** In pieces that the rule made, not the marks. */
  own: boolean;
  guarded: boolean;
  phrase: boolean;
  input: Float64Array;
  end: Float64Array;
  gate: Float64Array;
  y: boolean;
}

function rowsOf(dialogues: readonly Dialogue[], rule: Rule | undefined): Row[] {
  const rows: Row[] = [];
  for (const [dialogue, d] of dialogues.entries()) {
    const keep = (step: Step, own: boolean, shift: boolean): boolean => {
      const y = d.exchanges[step.at]!.shift;
      const { guarded, phrase, input, end, gate } = step;
      const seen = { input: input.slice(), end: end.slice(), gate: gate.slice() };
      rows.push({ dialogue, own, guarded, phrase, ...seen, y });
      return shift;
    };
    roll(d, (step) => keep(step, false, d.exchanges[step.at]!.shift));
    if (rule !== undefined) roll(d, (step) => keep(step, true, says(rule.end, step.end, step)));
  }
  return rows;
}

function says(rule: Weights & { threshold: number }, x: Float64Array, step: Step): boolean {
  return step.guarded ? step.phrase : probability(rule, x) >= rule.threshold;
}

/** The same where few shifts are wanted. */
function saysSurely({ end, precise: { gate } }: Rule, step: Step): boolean {
  return step.guarded ? step.phrase : together(end, gate, step.end, step.gate) >= gate.threshold;
}

export interface Rolled {
  input: Map<string, Judged[]>;
  end: Map<string, Judged[]>;
}

/** The rule over all dialogues, living with its own decisions. */
export function run(sets: Sets, rule: Rule, sensitivity: Sensitivity = 'balanced'): Rolled {
  const precise = sensitivity === 'precise';
  const atInput = precise ? { ...rule.input, threshold: rule.precise.input } : rule.input;
  const out: Rolled = { input: new Map(), end: new Map() };
  for (const [name, dialogues] of sets) {
    const input: Judged[] = [];
    const end: Judged[] = [];
    for (const d of dialogues) {
      const marked = d.exchanges.map((e) => e.shift);
      const early = [false];
      const late = [false];
      roll(d, (step) => {
        early.push(says(atInput, step.input, step));
        const shift = precise ? saysSurely(rule, step) : says(rule.end, step.end, step);
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

/** A decision of weights that have not seen its dialogue. */
interface Unseen {
  y: boolean;
  input: number;
  end: number;
}

/** Thresholds from dialogues that the weights have not seen: on seen ones a rule is surer than it will be. */
function withThresholds(rule: Rule, marked: readonly Row[][], others: readonly Row[][], gated: Gated): Rule {
  const sets: Unseen[][] = marked.map(() => []);
  const trials: Rule[] = [];
  for (let part = 0; part < PARTS; part += 1) {
    const rest = marked.map((rows) => rows.filter((r) => r.dialogue % PARTS !== part));
    const gate = { ...rule.precise.gate, weights: fitGate(rest, gated) };
    const trial = { ...rule, ...fit(rest, others, TRIAL), precise: { ...rule.precise, gate } };
    trials.push(trial);
    for (const [i, rows] of marked.entries()) {
      for (const row of rows) {
        if (!row.own || row.dialogue % PARTS !== part) continue;
        const sure = row.phrase ? 1 : 0;
        sets[i]!.push({
          y: row.y,
          input: row.guarded ? sure : probability(trial.input, row.input),
          end: row.guarded ? sure : probability(trial.end, row.end),
        });
      }
    }
  }
  return {
    input: { ...rule.input, threshold: best(sets, 'input') },
    end: { ...rule.end, threshold: best(sets, 'end') },
    precise: {
      input: precise(sets, 'input'),
      gate: {
        ...rule.precise.gate,
        weights: fitGate(marked, gated),
        threshold: surest(trials, gated.dialogues),
      },
    },
  };
}

/** Recall in each set that precision must leave, on dialogues that the weights have not seen. */
const RECALL_LEAST = 0.55;
/** Thresholds in hundredths among which it is sought. */
const SUREST = [30, 94] as const;

/** The highest threshold that leaves enough recall, each trial rule living with its own decisions on the part it has not seen. */
function surest(trials: readonly Rule[], sets: readonly (readonly Dialogue[])[]): number {
  let [least, most]: [number, number] = [...SUREST];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    if (leastRecall(trials, sets, middle / 100) >= RECALL_LEAST) least = middle;
    else most = middle;
  }
  return least / 100;
}

function leastRecall(
  trials: readonly Rule[],
  sets: readonly (readonly Dialogue[])[],
  threshold: number,
): number {
  const recalls = sets.map((dialogues) => {
    const judged = trials.flatMap((trial, part) => {
      const gate = { ...trial.precise.gate, threshold };
      const rule = { ...trial, precise: { ...trial.precise, gate } };
      const unseen = new Map([['part', dialogues.filter((_, i) => i % PARTS === part)]]);
      return run(unseen, rule, 'precise').end.get('part')!;
    });
    return score(judged).recall;
  });
  return Math.min(...recalls);
}

/** So near the best, a lower threshold is as good: on texts unlike those learned from the rule is less sure of itself. */
const NEAR = 0.002;

/** The lowest threshold whose mean F1 is near the best. */
function best(sets: readonly Unseen[][], which: 'input' | 'end'): number {
  const grid = Array.from({ length: 41 }, (_, i) => (15 + i) / 100);
  const values = grid.map((t) =>
    mean(sets, which, t, ({ hits, said, marked }) => (2 * hits) / (said + marked)),
  );
  const least = Math.max(...values) - NEAR;
  return grid[values.findIndex((v) => v >= least)]!;
}

/** At the input, the lowest threshold with a mean precision of 0.87: coding sessions stay below it, the others are above. */
function precise(sets: readonly Unseen[][], which: 'input' | 'end'): number {
  for (let t = 50; t < 99; t += 1) {
    if (mean(sets, which, t / 100, ({ hits, said }) => hits / said) >= 0.87) return t / 100;
  }
  return 0.99;
}

interface Counts {
  hits: number;
  said: number;
  marked: number;
}

function mean(
  sets: readonly Unseen[][],
  which: 'input' | 'end',
  threshold: number,
  of: (counts: Counts) => number,
): number {
  let sum = 0;
  for (const rows of sets) {
    const counts = { hits: 0, said: 0, marked: 0 };
    for (const row of rows) {
      const said = row[which] >= threshold;
      if (said) counts.said += 1;
      if (row.y) counts.marked += 1;
      if (said && row.y) counts.hits += 1;
    }
    if (counts.hits > 0) sum += of(counts);
  }
  return sum / sets.length;
}

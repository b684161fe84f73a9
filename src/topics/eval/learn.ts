// Finds the weights: on the marked pieces, then again on the pieces the rule itself makes of them, since that is what it will
// see. Every set counts alike, however many dialogues it has.

import { END_FEATURES, INPUT_FEATURES } from '../features.js';
import { GATE_FEATURES } from '../gate.js';
import { probability } from '../net.js';
import type { Rule } from '../rule.js';
import type { Dialogue } from './data.js';
import { type Example, type Fit, fitLogistic, fitNet } from './fit.js';
import { type Judged, score } from './metrics.js';
import { roll, type Step } from './roll.js';
import { type Sets, says } from './run.js';
import type { Spliced } from './splice.js';
import { ofKind, PARTS, withSurest } from './surest.js';

/** Blurred so much, a net cannot lean on what one set's dialogues happen to share: on sets never seen that is what counts. */
const FIT: Fit = { units: 24, seeds: 2, epochs: 12, decay: 0.003, noise: 0.8, rate: 0.004 };
/** Nets that only part the pieces for the next round, or tell where the thresholds lie. */
const TRIAL: Fit = { ...FIT, seeds: 1 };
const ROUNDS = 2;
/** What a spliced set counts beside a marked one. */
const SPLICED = 0.5;

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
  const gated: Gated = { names, heard, dialogues: [...sets.values()], others: [...spliced.gate.values()] };
  return withThresholds(rule, marked, others, gated);
}

/** What the gate learns from. */
interface Gated {
  /** Of the marked sets, then of those that it alone hears. */
  names: readonly string[];
  heard: readonly Row[][];
  /** Of the marked sets. */
  dialogues: readonly (readonly Dialogue[])[];
  /** Of those that the gate alone hears. */
  others: readonly (readonly Dialogue[])[];
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
    precise: { input: 0.9, end: 0.9, gate: { names: GATE_FEATURES, weights: [], threshold: 0.9 } },
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
  aboutCode: boolean;
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
      const { guarded, phrase, aboutCode, input, end, gate } = step;
      const seen = { input: input.slice(), end: end.slice(), gate: gate.slice() };
      rows.push({ dialogue, own, guarded, phrase, aboutCode, ...seen, y });
      return shift;
    };
    roll(d, (step) => keep(step, false, d.exchanges[step.at]!.shift));
    if (rule !== undefined) roll(d, (step) => keep(step, true, says(rule.end, step.end, step)));
  }
  return rows;
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
  const found: Rule = {
    input: { ...rule.input, threshold: best(sets, 'input') },
    end: { ...rule.end, threshold: best(sets, 'end') },
    precise: {
      input: precise(sets, 'input'),
      end: rule.precise.end,
      gate: { ...rule.precise.gate, weights: fitGate(marked, gated) },
    },
  };
  const judged = (about: boolean) => {
    const own = ofKind(about, marked, gated.dialogues);
    return own.length > 0 ? own : ofKind(about, gated.heard, gated.others);
  };
  return withSurest(found, trials, { plain: judged(false), code: judged(true) });
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

/** Mean precision over the sets that is wanted of what is told at the input. */
const PRECISION_LEAST = 0.9;

/** The lowest threshold that has it: coding sessions stay below, the others are above. */
function precise(sets: readonly Unseen[][], which: 'input' | 'end'): number {
  for (let t = 50; t < 99; t += 1) {
    if (mean(sets, which, t / 100, ({ hits, said }) => hits / said) >= PRECISION_LEAST) return t / 100;
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

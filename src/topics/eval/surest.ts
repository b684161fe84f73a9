// Where the thresholds of precise lie: as high as recall allows, on dialogues that the weights have not seen. Sessions about
// code and others are looked at apart, since each have a threshold of their own.

import type { Rule } from '../rule.js';
import type { Dialogue } from './data.js';
import { score } from './metrics.js';
import { run } from './run.js';

/** Parts of the dialogues that judge, each by weights from the other parts, where the thresholds lie. */
export const PARTS = 3;
/** Recall in each set that precision must leave, on dialogues that the weights have not seen: the half that is wanted, and a little. */
const RECALL_LEAST = 0.51;
/** Thresholds in hundredths among which it is sought. */
const SUREST = [30, 98] as const;
/** Where there is no dialogue of a kind. */
const UNJUDGED = 0.9;
/** A set with fewer dialogues of a kind says nothing about it. */
const KIND_LEAST = 5;

/** A dialogue and the part that it is in. */
export interface Judge {
  dialogue: Dialogue;
  part: number;
}

/** What a dialogue's last exchange tells of it. */
interface Told {
  /** Number of its dialogue in the set. */
  dialogue: number;
  aboutCode: boolean;
}

/** Of each set the dialogues that are about code in the end, or those that are not. */
export function ofKind(
  about: boolean,
  rows: readonly (readonly Told[])[],
  sets: readonly (readonly Dialogue[])[],
): Judge[][] {
  const kinds = sets.map((dialogues, i) => {
    const last = new Map(rows[i]!.map((row) => [row.dialogue, row.aboutCode]));
    return dialogues.flatMap((dialogue, at) =>
      last.get(at) === about ? [{ dialogue, part: at % PARTS }] : [],
    );
  });
  return kinds.filter((judges) => judges.length >= KIND_LEAST);
}

/** Dialogues of each set by kind. */
export interface Judges {
  plain: readonly (readonly Judge[])[];
  code: readonly (readonly Judge[])[];
}

/**
 * The rule with its thresholds.
 * @param trials one for each part, by weights that have not seen it
 */
export function withSurest(rule: Rule, trials: readonly Rule[], judges: Judges): Rule {
  const end = surest(judges.plain, trials, (t, threshold) =>
    withSure(t, threshold, t.precise.gate.threshold),
  );
  const code = surest(judges.code, trials, (t, threshold) => withSure(t, end, threshold));
  return withSure(rule, end, code);
}

function withSure(rule: Rule, end: number, code: number): Rule {
  const { precise } = rule;
  return { ...rule, precise: { ...precise, end, gate: { ...precise.gate, threshold: code } } };
}

/**
 * The highest threshold that leaves enough recall, each trial rule living with its own decisions on the part it has not seen.
 * @param set gives a rule the threshold
 */
function surest(
  sets: readonly (readonly Judge[])[],
  trials: readonly Rule[],
  set: (trial: Rule, threshold: number) => Rule,
): number {
  if (sets.length === 0) return UNJUDGED;
  let [least, most]: [number, number] = [...SUREST];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    const rules = trials.map((trial) => set(trial, middle / 100));
    if (Math.min(...sets.map((judges) => recall(judges, rules))) >= RECALL_LEAST) least = middle;
    else most = middle;
  }
  return least / 100;
}

function recall(judges: readonly Judge[], rules: readonly Rule[]): number {
  const judged = rules.flatMap((rule, part) => {
    const mine = judges.filter((j) => j.part === part).map((j) => j.dialogue);
    return run(new Map([['part', mine]]), rule, 'precise').end.get('part')!;
  });
  return score(judged).recall;
}

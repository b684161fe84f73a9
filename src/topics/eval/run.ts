// A rule over whole dialogues, living with its own decisions.

import { together } from '../gate.js';
import type { Sensitivity } from '../model.js';
import { probability, type Weights } from '../net.js';
import type { Rule } from '../rule.js';
import type { Dialogue } from './data.js';
import type { Judged } from './metrics.js';
import { roll, type Step } from './roll.js';

export type Sets = ReadonlyMap<string, readonly Dialogue[]>;

export function says(rule: Weights & { threshold: number }, x: Float64Array, step: Step): boolean {
  return step.guarded ? step.phrase : probability(rule, x) >= rule.threshold;
}

/** The same where few shifts are wanted. */
function saysSurely({ end, precise }: Rule, step: Step): boolean {
  if (step.guarded) return step.phrase;
  if (!step.aboutCode) return probability(end, step.end) >= precise.end;
  return together(end, precise.gate, step.end, step.gate) >= precise.gate.threshold;
}

interface Rolled {
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

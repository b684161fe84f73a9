// A message as a session takes it in: read and measured.

import type { Native, Reading } from '../../providers/types.js';
import { combine, type Measure, type Measured } from '../../tokens/request-count.js';
import type { MessageHint } from '../state/events.js';

export interface Taken {
  native: Native;
  reading: Reading;
  tokens: number;
  features: number[];
  bodies: number[];
  hint?: MessageHint;
}

/** @param counts of the measure's texts, from index `first` on */
export function takenFrom(
  native: Native,
  reading: Reading,
  measure: Measure,
  counts: ArrayLike<number>,
  first = 0,
): { taken: Taken; measured: Measured } {
  const measured = combine(measure, counts, first);
  const bodies: number[] = [];
  for (let i = 0; i < reading.parts.length; i += 1)
    if (reading.parts[i]!.kind === 'tool_result') bodies.push(measured.parts[i]!);
  const { tokens, features } = measured;
  return { taken: { native, reading, tokens, features: features.map(short), bodies }, measured };
}

/** Two decimals: what the estimator can tell apart, short in the journal. */
export function short(v: number): number {
  return Math.round(v * 100) / 100;
}

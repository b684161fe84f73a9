// The shape of a trained rule. Type only.

import type { Logistic } from './logistic.js';

export interface Rule {
  input: Logistic;
  end: Logistic;
  /** Thresholds that give up recall for precision. */
  precise: { input: number; end: number };
}

// The shape of a trained rule. Type only.

import type { Gate } from './gate.js';
import type { Net } from './net.js';

export interface Rule {
  input: Net;
  end: Net;
  /**
   * Gives up recall for precision: the thresholds at the input and with the reply known, and who is asked besides, with a
   * threshold of its own, in sessions about code.
   */
  precise: { input: number; end: number; gate: Gate };
}

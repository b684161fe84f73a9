// The shape of a trained rule. Type only.

import type { Gate } from './gate.js';
import type { Net } from './net.js';

export interface Rule {
  input: Net;
  end: Net;
  /** Gives up recall for precision: the threshold at the input, and who is asked besides when the reply is known. */
  precise: { input: number; gate: Gate };
}

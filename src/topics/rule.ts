// The shape of a trained rule. Type only.

import type { Net } from './net.js';

export interface Rule {
  input: Net;
  end: Net;
  /** Thresholds that give up recall for precision. */
  precise: { input: number; end: number };
}

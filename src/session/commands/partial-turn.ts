// The turn that was cut off: what its user had asked, and what was still to be answered, for whoever takes the session up.

import { RawJson } from '../../json/index.js';
import type { SessionState } from '../state/state.js';

export interface PartialTurn {
  turn: number;
  /** Inputs since the last final turn end, oldest first; those that a guard of the host refused are not offered. */
  inputs: { seq: number; id: string; position: number; message: RawJson }[];
  /** Calls without a result. */
  pending: string[];
}

/** Nothing where the last turn was ended, or all that was asked in it was refused (J-8). */
export function partialTurn(state: SessionState): { partial_turn?: PartialTurn } {
  if (state.inputs.length === 0) return {};
  const inputs = state.inputs.map(({ seq, message }) => {
    const stored = state.messages[message]!;
    return { seq, id: stored.id, position: message, message: new RawJson(stored.native.text) };
  });
  return { partial_turn: { turn: state.turn, inputs, pending: state.calls.pending() } };
}

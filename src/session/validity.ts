// Is the request one that the provider takes? Asked before every answer; only what is new is looked at.

import { CuratedError } from '../errors.js';
import type { Violation } from '../providers/types.js';
import type { Session } from './session.js';

const NONE: ReadonlySet<string> = new Set();

/** @param pending calls in flight; without a result only those of the model's newest turn may stand */
export function violationsOf(session: Session, pending: ReadonlySet<string>): Violation[] {
  const { state, profile, rendering } = session;
  const atEnd = state.messages.at(-1)?.reading.role === 'assistant';
  return rendering.violations(state, () => state.spec.walk(profile), atEnd ? pending : NONE);
}

const PAIRING = /^PV-(A[1-69]|C[1-4]|R[1-4]|S7)$/;

/** What no repair could mend: the call fails, and nothing of it was applied. */
export function refuse(violations: readonly Violation[]): never {
  const first = violations[0]!;
  const kind = violations.some((v) => PAIRING.test(v.rule)) ? 'PAIRING' : 'INVALID_MESSAGES';
  throw new CuratedError(kind, `${first.rule}: ${first.message}`, {
    path: first.path,
    detail: { violations: violations.slice(0, 20) },
  });
}

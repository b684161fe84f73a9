// Is the request one that the provider takes? Asked before every answer; only what is new is looked at.

import { CuratedError } from '../../errors.js';
import type { Violation } from '../../providers/types.js';
import type { Session } from '../session.js';
import type { SessionState } from '../state/state.js';

export function violationsOf({ state, profile, rendering, staticFaults }: Session): Violation[] {
  return rendering.violations(state, () => state.spec.walk(profile), staticFaults.declared(state));
}

/** The same of the whole request, its static part too. @throws PAIRING, INVALID_MESSAGES where curated requests would carry it */
export function soundness(session: Session): Violation[] {
  const found = [...session.staticFaults.of(session.state), ...violationsOf(session)];
  if (session.settings.mode === 'enforce' && found.length > 0) refuse(found);
  return found;
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

/**
 * Fails where curated requests would carry it; what is only passed on goes as it came.
 * @param given the parts that the call has brought
 */
export function refuseStatic(session: Session, given: { system: boolean; tools: boolean }): void {
  if (session.settings.mode !== 'enforce') return;
  const found = session.staticFaults
    .of(session.state)
    .filter((v) => (v.path.startsWith('/tools') ? given.tools : given.system));
  if (given.system) found.push(...headFaults(session.state));
  if (found.length > 0) refuse(found);
}

/** Of the system prompt that goes out as the first message. */
function headFaults({ format, spec, system }: SessionState): Violation[] {
  if (format !== 'openai-chat' || system === undefined) return [];
  const text = `{"role":"system","content":${system.native.text}}`;
  return spec
    .check({ text, value: { role: 'system', content: system.native.value } })
    .map((v) => ({ ...v, path: v.path.replace(/^\/content/, '/system') }));
}

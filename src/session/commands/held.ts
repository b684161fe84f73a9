// A call of llm.prepare that waits: a summary has to be written first, outside the mailbox, and then it comes back.

import type { Draft } from '../commit.js';
import type { Cycle } from '../condense/cycle.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import type { GateRun } from '../window/gate.js';

/** The call is held until the cycle has ended. */
export interface Held {
  held: Cycle;
}

export function isHeld(result: unknown): result is Held {
  return (result as Partial<Held>).held !== undefined;
}

/**
 * What the call has brought stays in the history while it waits; the handler takes it back if the call fails, and the next
 * daemon if this one dies meanwhile.
 */
export function hold(session: Session, run: GateRun, held: Cycle, draft: Draft): Held {
  const { length } = session.state.messages;
  if (run.taken === undefined && run.before !== undefined && run.before < length) {
    run.call = session.deps.newId();
    draft.push(heldEvent(run, run.call, run.before, length));
  }
  run.taken ??= { messages: length };
  return { held };
}

/** The same call again, after its first try was left unanswered: its messages are here, it goes on from where it stood. */
export function takeOver(session: Session, run: GateRun, draft: Draft): boolean {
  const { keyed } = run;
  if (keyed === undefined) return false;
  const known = session.state.held.find((h) => h.key === keyed.key && h.body === keyed.body);
  if (known === undefined) return false;
  run.before = known.before;
  run.taken = { messages: known.messages };
  if (known.repaired !== undefined) run.repaired = known.repaired;
  run.call = session.deps.newId();
  draft.push(heldEvent(run, run.call, known.before, known.messages));
  return true;
}

function heldEvent(run: GateRun, call: string, before: number, messages: number) {
  return event('session.held', {
    call,
    before,
    messages,
    ...(run.repaired === undefined ? {} : { repaired: run.repaired }),
    ...(run.keyed ?? {}),
  });
}

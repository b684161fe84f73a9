// What was decided in the first turn of the history, as far as it leaves by a cycle: every summary says it. Finding it reads
// all that was said in that turn, which may be the whole session: it is done on a worker while the summary is made.

import { firstDecisions } from '../../summary/pins.js';
import { type Said, saidOf } from '../../summary/source.js';
import type { Session } from '../session.js';
import type { Cycle } from './cycle.js';
import { summaryBound } from './request.js';

/** Tokens of the first turn's decisions that every summary has room for. */
const PINNED_MOST = 200;

function budgetOf(session: Session): number {
  return Math.min(PINNED_MOST, Math.floor(summaryBound(session) / 2));
}

function firstSaid(session: Session, cycle: Cycle): Said[] {
  const { messages } = session.state;
  const first = messages[0]!.turn;
  const said: Said[] = [];
  for (const at of cycle.range.fresh) {
    const { turn, reading } = messages[at]!;
    if (turn !== first) continue;
    const { role } = reading;
    if (role === 'user' || role === 'assistant') said.push({ at, role, text: saidOf(reading) });
  }
  return said;
}

/** Finds it where no call waits, and leaves it with the cycle. Never rejects: what is not found now is found when it is wanted. */
export async function findDecided(session: Session, cycle: Cycle): Promise<void> {
  const messages = firstSaid(session, cycle);
  const budget = budgetOf(session);
  const { encoding } = session;
  const background = cycle.hurry.signal;
  try {
    const lines = await session.deps.decided?.({ messages, budget, encoding }, { background });
    if (lines !== undefined) cycle.decided = { budget, lines };
  } catch {
    // The pool is full or ending.
  }
}

/** @returns lines, the earliest first */
export function decidedFirst(session: Session, cycle: Cycle): readonly string[] {
  const budget = budgetOf(session);
  if (cycle.decided?.budget === budget) return cycle.decided.lines;
  const messages = firstSaid(session, cycle);
  return messages.length === 0 ? [] : firstDecisions(messages, budget, (t) => session.countShort(t));
}

// Never worse than no curation: a fault of ours in it costs the agent nothing but what would have been saved. The same call goes
// again without it.

import { asCuratedError, type CuratedError } from '../errors.js';
import { hasLeftNothing, type SessionActor } from '../session/actor.js';
import type { Rooms } from './context.js';

/** After so many failures in a row only each 64th request is curated: a failed call reads its session anew from the journal. */
const MOST_FAILURES = 7;

interface Failures {
  /** In a row. */
  count: number;
  /** Requests that are not curated before the next try. */
  rest: number;
  fault: string;
}

/** The calls that curate, and the sessions whose curation failed when it was last tried there. */
const failing = {
  'llm.prepare': new WeakMap<SessionActor, Failures>(),
  'turn.end': new WeakMap<SessionActor, Failures>(),
};

/**
 * @param call with a fault: without curation
 * @throws what `call` throws; the first fault where it fails without curation as well
 */
export async function neverWorse<T>(
  actor: SessionActor,
  rooms: Rooms,
  method: keyof typeof failing,
  call: (fault?: string) => Promise<T>,
): Promise<T> {
  const sessions = failing[method];
  const before = sessions.get(actor);
  let triedWithout = false;
  if (before !== undefined && before.rest > 0) {
    before.rest -= 1;
    try {
      return await call(before.fault);
    } catch (e) {
      if (!isOurs(asCuratedError(e))) throw e;
      // It does not fit without curation.
      triedWithout = true;
    }
  }
  try {
    const result = await call();
    if (before !== undefined) sessions.delete(actor);
    return result;
  } catch (e) {
    const error = asCuratedError(e);
    if (triedWithout || !isOurs(error) || !hasLeftNothing(e)) throw e;
    const fault = error.message;
    const result = await call(fault).catch(() => {
      throw e;
    });
    rooms.fault?.(error, method);
    const count = Math.min((before?.count ?? 0) + 1, MOST_FAILURES);
    sessions.set(actor, { count, rest: 2 ** (count - 1) - 1, fault });
    return result;
  }
}

/** No caller can bring them about: a layer threw, or would have edited what no layer may. */
function isOurs({ kind }: CuratedError): boolean {
  return kind === 'INTERNAL' || kind === 'FORBIDDEN_STATIC';
}

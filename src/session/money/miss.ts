// The provider's word on a cache miss beside what we know to have changed (PV-A50, PV-R13): journalled, so that a miss that
// is not ours is never taken for one.

import { readMiss } from '../../providers/miss-reason.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';

export function attributeMiss(session: Session, draft: Draft, report: unknown): void {
  const { state } = session;
  const miss = report === undefined ? undefined : readMiss(state.format, report);
  if (miss === undefined) return;
  const changed = state.sent.changed ?? 'nothing';
  draft.push(
    event('memory.cache_miss', {
      reason: miss.reason,
      ...(miss.missedTokens === undefined ? {} : { missed_tokens: miss.missedTokens }),
      request: state.sent.requests,
      changed,
      // A reason of the host's or the provider's own agrees with us when we changed nothing.
      agrees: miss.part === 'other' ? changed === 'nothing' : miss.part === changed,
    }),
  );
}

/** The first part of the request, in the order of the prefix, that is not as the last main request had it. */
export function changedPart(session: Session): 'tools' | 'system' | 'messages' | undefined {
  const { state } = session;
  if (state.sent.requests === 0) return undefined;
  if (state.toolList.changed) return 'tools';
  if (state.staticChanged) return 'system';
  return Number.isFinite(state.dirtyFrom) ? 'messages' : undefined;
}

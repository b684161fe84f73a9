// What a call had brought before it was held leaves the history again when nobody will answer the call.

import type { Draft } from '../commit.js';
import { event } from '../state/events.js';
import type { SessionState } from '../state/state.js';

/**
 * Takes back the messages of the held call named `call`. Where somebody has appended behind them they stay, as part of what that
 * was built on; where the same call goes on under another name they are no longer this one's.
 */
export function takeBackHeld(state: SessionState, draft: Draft, call: string): void {
  const held = state.held.find((h) => h.call === call);
  if (held === undefined || held.fixed || state.messages.length !== held.messages) return;
  draft.push(
    event('session.diverged', {
      index: held.before,
      dropped_messages: held.messages - held.before,
      dropped_decisions: state.ledger.standingOn(held.before),
      reason: 'the call failed',
    }),
  );
}

/** After a restart nobody works on any of them: the newest first, since each stands on the one before. */
export function takeBackAll(state: SessionState, draft: Draft): void {
  for (const { call } of state.held.toReversed()) takeBackHeld(state, draft, call);
}

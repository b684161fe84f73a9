// Thinking that is bound to something else than what goes out now (PV-A25): the host has changed what stands before it, or
// it was on its way while an edit was made. The provider refuses it wherever it stands, so it goes, for good.

import type { Native } from '../../providers/types.js';
import { isObject, member, str } from '../../providers/values.js';
import type { Draft } from '../commit.js';
import { thinkingBehind } from '../condense/apply.js';
import { same } from '../intake/reconcile.js';
import { knownPrefix } from '../money/prefix.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { positionOf } from '../state/ledger.js';
import type { SessionState, StoredMessage } from '../state/state.js';
import { mended } from './mended.js';

/** @param from thinking from this stored message on was bound to messages that the host has changed; Infinity: none was */
export function dropVoid(session: Session, draft: Draft, from: number, pending: ReadonlySet<string>): void {
  const { state, profile, rendering } = session;
  if (profile.modelClass !== 'AB' || !state.thoughts.any) return;
  const first = Math.min(from, voidFrom(session));
  if (state.thoughts.newest(state.ledger, state.messages) < first) return;
  rendering.sync(state);
  const edits = thinkingBehind(session, first, pending)._edits ?? [];
  if (edits.length === 0) return;
  const { tokens } = rendering;
  const at = Math.min(...edits.map(positionOf));
  const sent = at < state.sent.messages;
  const prefix = knownPrefix(session, session.deps.clock.now());
  draft.push(
    event('session.repaired', {
      what: 'thinking that is bound to another request was left out',
      rule: 'PV-A25',
      message: at,
      _edits: edits,
    }),
  );
  rendering.sync(state);
  if (sent)
    draft.push(
      event(
        'memory.curated',
        mended(session, { part: 'thinking', first: at, tokens, prefix, reason: 'bound' }),
      ),
    );
}

/** From where on thinking is void by what has changed since the newest main request. */
function voidFrom(session: Session): number {
  const { state } = session;
  const key = boundTo(session);
  if (state.boundTo !== undefined && key !== state.boundTo) return 0;
  // Where nothing was ever thought, edits do not wait for an answer: its thinking is bound to what was sent before them.
  const isFirst = state.thoughts.first >= state.sent.messages;
  return isFirst && state.dirtyFrom < state.sent.messages ? state.sent.messages : Number.POSITIVE_INFINITY;
}

/** What all thinking is bound to beside the messages. Undefined where the model binds none. */
export function boundTo({ state, profile, boundKey }: Session): string | undefined {
  if (profile.modelClass !== 'AB') return undefined;
  return boundKey.of(state.system?.native.text, state.toolList.text());
}

/**
 * First stored position behind which thinking is void once the host's history takes the place of the stored one from `common`
 * on: where they differ in more than thinking, where a decision stood that goes, or where thinking leaves a gap (PV-A26).
 */
export function voidedBy(state: SessionState, common: number, rest: readonly Native[]): number {
  let first = Number.POSITIVE_INFINITY;
  for (const seq of state.ledger.standingOn(common))
    for (const e of state.ledger.get(seq)!.edits) {
      const at = positionOf(e);
      if (at >= common) first = Math.min(first, at);
    }
  let thought = state.thoughts.newestBelow(common) >= 0;
  for (let i = 0; i < rest.length && common + i < state.messages.length; i += 1) {
    const [old, now] = [splitThinking(state.messages[common + i]!), splitThinking(rest[i]!)];
    if (!same(old.rest, now.rest)) return Math.min(first, common + i + 1);
    if (!same(old.thinking, now.thinking) && thought) return Math.min(first, common + i);
    thought ||= now.thinking.length > 0;
  }
  return first;
}

function splitThinking(m: StoredMessage | Native): { thinking: unknown[]; rest: unknown } {
  const { value } = 'native' in m ? m.native : m;
  const content = member(value, 'content');
  if (!isObject(value) || !Array.isArray(content)) return { thinking: [], rest: value };
  const isThinking = (b: unknown) => ['thinking', 'redacted_thinking'].includes(str(b, 'type') ?? '');
  return {
    thinking: content.filter(isThinking),
    rest: { ...value, content: content.filter((b) => !isThinking(b)) },
  };
}

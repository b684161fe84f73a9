// A call that turns out to be in flight is taken out of the summary again (PV-A9, case 06): its result is still to come, and
// would find no call. The summary stays, around it.

import { PLUGIN_IDS } from '../../settings/index.js';
import type { Draft } from '../commit.js';
import { knownPrefix } from '../money/prefix.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { keptRuns, planOf, thinkingBehind } from './apply.js';
import { keptWithin } from './range.js';

export function reattach(session: Session, draft: Draft, pending: ReadonlySet<string>): void {
  const { state, rendering } = session;
  const { summary } = state;
  if (summary === undefined || pending.size === 0) return;
  const [from, to] = summary.covers;
  const hidden = state.calls.calls.some(
    (c) =>
      pending.has(c.id) &&
      c.at >= from &&
      c.at <= to &&
      state.ledger.isDropped(c.at) &&
      isNewest(session, c.at, c.id),
  );
  if (!hidden) return;
  const keep = keptWithin(session, pending, from, to + 1, true);
  const fresh: number[] = [];
  for (let at = from; at <= to; at += 1) if (!keep.has(at)) fresh.push(at);
  if (fresh.length === 0) return;
  rendering.sync(state);
  const cycle = { kind: summary.kind, range: { from, to, keep, fresh } };
  const plan = planOf(session, cycle, summary.blocks);
  const first = rendering.indexOf(from);
  const sent = summary.seq < state.sent.seq;
  const prefix = knownPrefix(session, session.deps.clock.now());
  let back = 0;
  for (const at of keep) if (state.ledger.isDropped(at)) back += state.messages[at]!.tokens;
  const plugin = summary.kind === 'compaction' ? PLUGIN_IDS.compaction : PLUGIN_IDS.summaryBuffer;
  draft.push(
    event('memory.curated', {
      layer: summary.kind === 'compaction' ? 'compaction' : 'summary_buffer',
      sections_touched: [
        { section_id: `${plugin}/in-flight`, kind: 'session', tokens_delta: back + plan.tokens - plan.freed },
      ],
      cache_invalidates: sent,
      at_turn: state.turn,
      first_message: first,
      recache_tokens: prefix.known && sent ? rendering.tokensBetween(from - 1, prefix.messages) : 0,
      reason: 'call_in_flight',
      forced: true,
      covers: summary.covers,
      _edits: [plan.edit],
      _drops: keptRuns(cycle),
      _undo: plan.undo,
      _blocks: plan.blocks,
    }),
  );
  const thoughts = thinkingBehind(session, cycle.range.from, pending)._edits;
  if (thoughts !== undefined)
    draft.push(
      event('session.repaired', { what: 'thinking behind an edit', rule: 'PV-A31', _edits: thoughts }),
    );
  rendering.sync(state);
}

/** Hosts reuse ids: the call that waits is the last one of its id. */
function isNewest(session: Session, at: number, id: string): boolean {
  return session.state.calls.calls.findLast((c) => c.id === id)?.at === at;
}

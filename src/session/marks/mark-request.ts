// Our cache marks in a request: placed, and what had to become blocks for it told as a decision.

import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { placeMarks } from './breakpoints.js';
import { movedMarks } from './host-marks.js';
import type { PlacedMark } from './placed-mark.js';

/** The marks of ours that this request carries: all of them, or those of the host's that had to move. */
export function markRequest(session: Session, draft: Draft): PlacedMark[] {
  const { settings, profile } = session;
  const most = settings.curated.breakpoints === 'auto' ? profile.maxMarks : movedMarks(session);
  return settings.mode === 'enforce' && most > 0 ? marked(session, draft, most) : [];
}

/** Contents that have to be blocks for a mark are told, and stay so. */
function marked(session: Session, draft: Draft, most: number): PlacedMark[] {
  const { state, rendering, profile } = session;
  const { minTokens } = session.tariff(session.deps.clock.now()).rules;
  const { marks, inBlocks } = placeMarks(state, rendering, profile, { most, minTokens });
  if (inBlocks.length === 0) return marks;
  const sections = inBlocks.map((at) => ({
    section_id: `curated.breakpoints/${at < 0 ? 'system' : at}`,
    kind: at < 0 ? ('session' as const) : ('volatile' as const),
    tokens_delta: 0,
  }));
  draft.push(
    event('memory.curated', {
      layer: 'breakpoints',
      sections_touched: sections,
      // Nothing of it was sent in another form, or it lies behind an edit that was announced.
      cache_invalidates: false,
      at_turn: state.turn,
      first_message: Math.min(...inBlocks.map((at) => (at < 0 ? 0 : rendering.ownIndexOf(at)))),
      recache_tokens: 0,
      saves_per_request: 0,
      break_even_requests: 0,
      reason: 'presend',
      _in_blocks: inBlocks,
    }),
  );
  rendering.sync(state);
  return marks;
}

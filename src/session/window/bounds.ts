// How large a request may get beside its answer: providers count both against the window, and refuse what is more (NS-2).

import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';

export interface Bounds {
  /** Tokens of a request that leave the answer its room. */
  limit: number;
  /** Above it the provider refuses for certain. */
  ceiling: number;
}

/**
 * A limit of the answer that this call states is what the host will ask for: all of it is kept free. What is only known of the
 * model takes no more than half of the window, and so does a stated one beside which no message at all would have room:
 * nobody could make that fit, and a history is not cut to pieces for it.
 * Where system, tools and the host's own overhead leave no room even for that, the request may go up to the window itself.
 */
export function boundsOf(session: Session, maxTokens?: number): Bounds {
  const { window, maxOutput } = session.budget(maxTokens);
  if (window === undefined) return { limit: Number.POSITIVE_INFINITY, ceiling: Number.POSITIVE_INFINITY };
  const fixed = fixedTokens(session);
  if (maxTokens !== undefined && fixed + maxTokens < window) {
    const limit = window - maxTokens;
    return { limit, ceiling: limit };
  }
  const limit = window - Math.min(maxOutput, Math.floor(window / 2));
  return { limit, ceiling: fixed > limit ? window : limit };
}

/** Would the provider take a request of this size, as it stands? `tokens` is the estimate that is seldom exceeded. */
export function fitsProvider(session: Session, tokens: number, maxTokens?: number): boolean {
  return !session.state.overflowed && tokens <= boundsOf(session, maxTokens).limit;
}

/** Says, once a session, that a stated limit of the answer cannot be kept free. */
export function tellNoRoom(session: Session, draft: Draft, maxTokens: number | undefined): void {
  const { window } = session.budget(maxTokens);
  if (window === undefined || maxTokens === undefined) return;
  const fixed = fixedTokens(session);
  if (fixed + maxTokens < window || session.toldNoRoom) return;
  session.toldNoRoom = true;
  draft.push(
    event('session.notice', {
      path: '/max_tokens',
      text:
        `${maxTokens} tokens of output leave no room for a message in a window of ${window}` +
        `${fixed === 0 ? '' : ` of which ${fixed} are system and tools`}: half of it is reserved, and a provider may refuse the sum`,
    }),
  );
}

/** What no edit makes smaller. */
function fixedTokens({ state, settings }: Session): number {
  return (state.system?.tokens ?? 0) + (state.tools?.tokens ?? 0) + settings.curated.fixedOverheadTokens;
}

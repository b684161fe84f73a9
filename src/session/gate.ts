// The window: the last stage before a request leaves. What does not fit is made to fit, or is a typed error.

import { CuratedError } from '../errors.js';
import type { Draft } from './commit.js';
import { type CurateOptions, curate } from './curate.js';
import { estimateRequest } from './estimate.js';
import { requestTokens } from './sections.js';
import type { Session } from './session.js';

/** Tokens that the request may have at most: the window less the reserve for the answer. */
export function hardLimit(session: Session, maxTokens?: number): number {
  const { window, maxOutput } = session.budget(maxTokens);
  if (window === undefined) return Number.POSITIVE_INFINITY;
  return window - Math.min(maxOutput, Math.floor(window / 2));
}

export function fit(session: Session, draft: Draft, o: CurateOptions): void {
  const limit = hardLimit(session, o.maxTokens);
  if (estimateRequest(session).p95 <= limit) return;
  curate(session, draft, { ...o, forced: true });
  session.rendering.sync(session.state);
  const { p95 } = estimateRequest(session);
  if (p95 <= limit) return;
  const { state, settings, rendering } = session;
  const largest = rendering.pieces.reduce((a, b) => (b.tokens > a.tokens ? b : a), rendering.pieces[0]!);
  throw new CuratedError(
    'CONTEXT_IRREDUCIBLE',
    `the request needs ${p95} tokens, the window leaves ${limit}`,
    {
      detail: {
        needed: p95,
        limit,
        counted: requestTokens(state, rendering, settings.curated.fixedOverheadTokens),
        static: (state.system?.tokens ?? 0) + (state.tools?.tokens ?? 0),
        largest_message: { index: largest.at, tokens: largest.tokens },
      },
    },
  );
}

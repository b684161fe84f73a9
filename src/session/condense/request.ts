// What a summariser is asked, from a cycle: its messages as plain data, its budget, the operator's wishes.

import { outputReserve } from '../../economics/window.js';
import { inPieces } from '../../pool/pieces.js';
import { type SourceMessage, sourceOf } from '../../summary/source.js';
import type { SummaryRequest } from '../../summary/summariser.js';
import type { Session } from '../session.js';
import type { Cycle } from './cycle.js';

/** Tokens that all summary text in the request may have together: a tenth of the budget, within these, or what is set. */
const LEAST = 256;
const MOST = 16_000;
/** What the built-in summariser writes in one cycle. */
const BUILT_IN = 2000;

export function summaryBound(session: Session): number {
  const { threshold } = session.budget();
  const own = Math.max(
    LEAST,
    Math.min(MOST, Math.max(2800, Math.floor(threshold / 10)), Math.floor(threshold / 4)),
  );
  return Math.min(own, session.settings.curated.summary.maxTokens ?? own);
}

/** Tokens that the user's own words in it may have beside that. */
export function wordsBound(session: Session): number {
  const { threshold } = session.budget();
  return Math.max(LEAST, Math.min(8000, Math.floor(threshold / 16)));
}

/** Made in pieces, from the messages as they were when the cycle began. */
export async function requestOf(session: Session, cycle: Cycle, freed: number): Promise<SummaryRequest> {
  const { settings, state } = session;
  const own = cycle.kind === 'compaction' ? settings.plugins.compaction : settings.plugins.summaryBuffer;
  const { window, maxOutput } = session.budget();
  const messages = await sources(session, cycle);
  const buffer = settings.plugins.summaryBuffer;
  return {
    session: session.key.session,
    purpose: cycle.kind,
    messages,
    turns: [messages[0]!.turn, messages.at(-1)!.turn],
    maxTokens: window === undefined ? Math.min(maxOutput, 20_000) : outputReserve(window, maxOutput),
    budget: Math.max(64, Math.min(BUILT_IN, summaryBound(session), Math.floor(freed / 2))),
    encoding: session.encoding,
    ...(own.prompt === undefined ? {} : { prompt: own.prompt }),
    mustPreserve: cycle.kind === 'compaction' ? settings.plugins.compaction.mustPreserve : [],
    requireKinds: cycle.kind === 'summary' && buffer.qualityRetry ? buffer.requirePreservedKinds : [],
    attempts: Math.max(1, state.status === 'open' ? buffer.attempts : 1),
  };
}

/** Messages of a cycle as plain data. */
function sources(session: Session, cycle: Cycle): Promise<SourceMessage[]> {
  const { state } = session;
  const { range, messages } = cycle;
  return inPieces(range.fresh, (at) => {
    const m = messages[at - range.from]!;
    return sourceOf(at, m.turn, m.reading, (part) => state.calls.resultOf(at, part)?.tool);
  });
}

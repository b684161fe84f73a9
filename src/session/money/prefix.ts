// What the provider is likely to hold cached of this session: from what was sent, the marks in it, reported usage, and
// the time since.

import type { KnownPrefix } from '../../curation/known-prefix.js';
import { coldOdds } from '../../economics/cold-odds.js';
import type { Native } from '../../providers/types.js';
import { headCount } from '../../sorted.js';
import { type MarkMemo, type Ttl, ttlOf } from '../marks/mark-memo.js';
import type { Session } from '../session.js';

/** Lifetime of a provider's cache when neither marks nor configuration say, ms. Source: PROVIDERS A44, C10. */
const TTL_MS = { anthropic: 5 * 60_000, openai: 30 * 60_000 };
const HOUR_MS = 60 * 60_000;

export function knownPrefix(session: Session, now: number): KnownPrefix {
  const { state, settings } = session;
  const ttlSet = settings.curated.cacheTtl;
  const anthropic = state.format === 'anthropic';
  if (state.sent.messages === 0) return { known: false };
  const usage = state.usage;
  // An automatic cache holds the whole prompt afterwards, also where a report tells that nothing of it was there before.
  const reported = anthropic
    ? usage !== undefined && usage.cached + usage.written > 0
    : state.cacheSeen || cachesUnasked(session, now);
  const marked = anthropic ? (lastMark(session) ?? ownMark(session)) : undefined;
  // Without marks, reports or the operator's word nobody can tell whether anything is cached.
  if (!reported && marked === undefined && ttlSet === undefined) {
    if (!anthropic || usage === undefined) return { known: false };
    const unused = usage.prompt >= session.tariff(now).rules.minTokens;
    return { known: false, ...(unused ? { unused } : { short: true }) };
  }
  const ttl = ttlSet ?? (anthropic ? (marked?.hour ? HOUR_MS : TTL_MS.anthropic) : TTL_MS.openai);
  const pause = Math.max(0, now - state.sent.at) / ttl;
  const messages = marked !== undefined && !reported ? marked.messages : state.sent.messages;
  return {
    known: true,
    messages,
    tokens: state.sent.tokens,
    cold: coldOdds(state.pauses, pause),
    pause,
    hour: anthropic && ttl >= HOUR_MS,
  };
}

/** Stored messages that the cache will hold after the next request, as far as the host's marks tell. */
export function cachesTo({ state, projection, settings }: Session): number {
  const all = state.messages.length;
  if (state.format !== 'anthropic' || settings.curated.breakpoints === 'auto') return all;
  const piece = projection.lastMarked(projection.pieces.length);
  return piece === undefined || piece.at < 0 ? all : piece.at + 1;
}

/** The greatest of ascending `ends` that is at most `at`; 0 when there is none. */
export function entryBefore(ends: readonly number[], at: number): number {
  return ends[headCount(ends.length, (i) => ends[i]! <= at) - 1] ?? 0;
}

/** A priced model of a hosted provider caches every long prompt; the first report of one cannot show it yet (PV-C10). */
function cachesUnasked(session: Session, now: number): boolean {
  const { row, rules } = session.tariff(now);
  return (
    row !== undefined &&
    session.profile.modelClass !== 'SH' &&
    (session.state.usage?.prompt ?? 0) >= rules.minTokens
  );
}

/** The last mark that we set ourselves in what was sent. */
function ownMark(session: Session): { messages: number; hour: boolean } | undefined {
  const { marked } = session.state.sent;
  return marked === undefined ? undefined : { messages: marked, hour: false };
}

/** The newest cache mark among what was sent; marks on the static part cache no message. */
function lastMark(session: Session): { messages: number; hour: boolean } | undefined {
  const { state, projection } = session;
  const piece = projection.lastMarked(projection.indexOf(state.sent.messages));
  if (piece !== undefined && piece.at >= 0) {
    return { messages: piece.at + 1, hour: ttlOf(piece.text) === '1h' };
  }
  const { given } = projection.statics;
  const ttl = ttlIn(given.system, state.system) ?? ttlIn(given.tools, state.tools);
  return ttl === undefined ? undefined : { messages: 0, hour: ttl === '1h' };
}

function ttlIn(memo: MarkMemo, part: { native: Native } | undefined): Ttl | undefined {
  return part === undefined ? undefined : memo.ttlIn(part.native.text);
}

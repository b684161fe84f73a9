// Which part of a history a summary may stand for: pair-safe, without the open round, around what must stay.

import { keepLine, systemEnd } from '../../curation/keep.js';
import { type Span, safeSplit, spansOf } from '../../curation/split.js';
import { isEffortOnly } from '../../providers/anthropic/check.js';
import { openFrom } from '../curating/open-round.js';
import type { Session } from '../session.js';

export interface Range {
  /** First and last stored message, inclusive. */
  from: number;
  to: number;
  /** Messages inside that stay verbatim: system messages, calls in flight, results of excluded tools. */
  keep: ReadonlySet<number>;
  /** Messages that leave the view by this: not kept, and not already gone. */
  fresh: number[];
}

export interface RangeOptions {
  /** Messages that stay verbatim at the end. */
  tail: number;
  pending: ReadonlySet<string>;
  /** The session's keep rules do not count: the request would not fit otherwise. */
  yields?: boolean;
}

/** Undefined where nothing can be condensed (NS-9). O(history): asked when a cycle is wanted. */
export function rangeOf(session: Session, o: RangeOptions): Range | undefined {
  const { state } = session;
  const { messages } = state;
  const spans = spansOf(
    messages.map((m) => m.reading),
    state.format,
  );
  const { keep } = session.settings.curated;
  const protectedFrom = o.yields ? messages.length : keepLine(state, keep).messages;
  const wanted = Math.min(messages.length - o.tail, openFrom(state), protectedFrom);
  return onTopic(session, o, spans, wanted) ?? within(session, o, spans, safeSplit(spans, wanted));
}

/** L3-14: the current topic stays whole where the older ones alone are enough to get below the budget. */
function onTopic(
  session: Session,
  o: RangeOptions,
  spans: ReturnType<typeof spansOf>,
  wanted: number,
): Range | undefined {
  const { state, settings, rendering } = session;
  const start = state.topic.start;
  if (!settings.plugins.topicPruner.keepLastTopicFull || start === 0 || state.topic.shifts.length === 0)
    return undefined;
  const first = state.messages.findIndex((m) => m.turn >= start);
  if (first <= 0 || first >= wanted) return undefined;
  const cut = safeSplit(spans, first);
  const range = within(session, o, spans, cut);
  if (range === undefined) return undefined;
  rendering.sync(state);
  const rest = rendering.tokens - rendering.tokensBetween(range.from - 1, cut);
  return rest < session.budget().threshold ? range : undefined;
}

/** The first message that a summary may take in: behind the system prompt and what is kept of the beginning. */
function headEnd(session: Session, spans: readonly Span[]): number {
  const { state, profile } = session;
  const start = systemEnd(state.messages);
  const first = session.settings.curated.keep.firstMessages ?? 0;
  let end = Math.max(start, safeSplit(spans, Math.min(start + first, state.messages.length)));
  const mode = profile.alternation ?? 'none';
  if (mode === 'none') return end;
  // With strict roles a summary, which is the user's, cannot stand behind a user's message.
  for (let at = end - 1; at >= start; at -= 1) {
    const { role, parts } = state.messages[at]!.reading;
    const calls = parts.some((p) => p.kind === 'tool_call');
    if (mode === 'template' && (role === 'tool' || calls)) continue;
    if (role !== 'user') break;
    end = at;
  }
  return end;
}

function within(session: Session, o: RangeOptions, spans: readonly Span[], cut: number): Range | undefined {
  const { state } = session;
  const from = o.yields ? systemEnd(state.messages) : headEnd(session, spans);
  if (cut <= from) return undefined;
  const keep = keptWithin(session, o.pending, from, cut, false);
  const last = session.profile.midSystem ? lastStanding(session, keep) : -1;
  if (isStranded(session, last, cut)) {
    // The whole run of the user's messages stays, or what the operator said before it too.
    let at = cut - 1;
    while (at > last && (!stands(session, at) || state.messages[at]!.reading.role === 'user')) at -= 1;
    return within(session, o, spans, safeSplit(spans, at));
  }
  const fresh: number[] = [];
  for (let at = from; at < cut; at += 1) if (!keep.has(at) && !state.ledger.isDropped(at)) fresh.push(at);
  return fresh.length === 0 ? undefined : { from, to: cut - 1, keep, fresh };
}

function lastStanding(session: Session, keep: ReadonlySet<number>): number {
  let last = -1;
  for (const at of keep) if (at > last && stands(session, at)) last = at;
  return last;
}

/** Does the message go out, and say something? */
export function stands({ state }: Session, at: number): boolean {
  return !state.ledger.isDropped(at) && !isEffortOnly(state.messages[at]!.native.value);
}

/**
 * Would the user go on right behind an operator's message that stays? It is last or the assistant answers it (PV-A12).
 * @param last the last message that stands and stays before the cut; -1 for none
 */
export function isStranded(session: Session, last: number, cut: number): boolean {
  const { state, profile } = session;
  if (state.format !== 'anthropic' || !profile.midSystem) return false;
  if (last < 0 || state.messages[last]!.reading.role !== 'system') return false;
  let next = cut;
  while (next < state.messages.length && !stands(session, next)) next += 1;
  return state.messages[next]?.reading.role === 'user';
}

/** @param gone also what an earlier summary took out */
export function keptWithin(
  session: Session,
  pending: ReadonlySet<string>,
  from: number,
  cut: number,
  gone: boolean,
): Set<number> {
  const { state, settings } = session;
  const { excludeTools } = settings.curated;
  const keep = new Set<number>();
  for (let at = from; at < cut; at += 1) if (state.messages[at]!.reading.role === 'system') keep.add(at);
  const held = new Set<number>();
  for (const call of state.calls.calls) {
    if (call.at < from || call.at >= cut || (!gone && state.ledger.isDropped(call.at))) continue;
    if (pending.has(call.id) || excludeTools.includes(call.tool)) held.add(call.at);
  }
  for (const at of held) for (const member of group(session, at)) keep.add(member);
  return keep;
}

/** A call message with the results of all its calls; in Responses the model's whole run, since reasoning is bound to it. */
function group(session: Session, at: number): Set<number> {
  const { state } = session;
  const members = new Set([at]);
  if (state.format === 'openai-responses') {
    const inRun = (i: number) => state.messages[i]?.reading.role === 'assistant';
    for (let i = at - 1; inRun(i); i -= 1) members.add(i);
    for (let i = at + 1; inRun(i); i += 1) members.add(i);
  }
  for (const result of state.calls.results) {
    const call = result.call === undefined ? undefined : state.calls.calls[result.call];
    if (call !== undefined && members.has(call.at)) members.add(result.at);
  }
  return members;
}

/** Tokens of what the range would take out of the view, about: the older summary in it included. */
export function weightOf(session: Session, range: Range): number {
  const { state, rendering } = session;
  rendering.sync(state);
  let kept = 0;
  for (const at of range.keep) if (!state.ledger.isDropped(at)) kept += state.messages[at]!.tokens;
  return Math.max(0, rendering.tokensBetween(range.from - 1, range.to + 1) - kept);
}

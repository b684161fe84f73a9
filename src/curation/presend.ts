// Edits that cost no rewrite: of what was never sent, or where nothing is cached yet. But a request that they leave shorter than
// the provider's least cacheable prefix is paid in full each time, where the long one would have been read. Pure.

import { tooShort } from '../economics/index.js';
import type { Candidate } from './layer.js';
import type { Survey } from './survey.js';

/**
 * The candidates that no request has carried and that pay for what they take from the cache: all of them in a request that
 * stays long enough, else those after which it does. How long it would stay too short nobody knows, so there is no sum
 * that an edit may lose by it.
 */
export function presendEdits(survey: Survey, all: readonly Candidate[]): Candidate[] {
  const free = all.filter((c) => c.presend && c.lastResort !== true);
  if (free.length === 0 || !cachePays(survey)) return free;
  const { minTokens } = survey.tariff.rules;
  const { r } = survey.tariff.ratios(survey.viewTokens);
  const tokens = cacheable(survey);
  // Too short for the cache as it is, it only grows into it the later.
  if (tokens < minTokens) return free.filter((c) => c.unasked !== true || c.at >= survey.cachesTo);
  const inside = free.filter((c) => c.at < survey.cachesTo);
  let left = tokens - inside.reduce((sum, c) => sum + removed(c), 0);
  const bad = (): boolean => tooShort(minTokens, tokens, left, r);
  if (!bad()) return free;
  const kept = new Set<Candidate>();
  for (const c of inside.sort((a, b) => a.frees - b.frees)) {
    if (!bad()) break;
    left += removed(c);
    kept.add(c);
  }
  return free.filter((c) => !kept.has(c));
}

/**
 * Would these edits together keep a request out of a cache that it is long enough for by now? Where reports told of a cache, or
 * of requests that were all too short for one; where nobody told anything, history is edited by its rule alone (P-7).
 */
export function keepsOut(survey: Survey, chosen: Iterable<Candidate>): boolean {
  const { prefix } = survey;
  if (!cachePays(survey) || !(prefix.known || prefix.short === true)) return false;
  const { minTokens } = survey.tariff.rules;
  const tokens = cacheable(survey);
  let left = tokens;
  for (const c of chosen) if (c.at < survey.cachesTo) left -= removed(c);
  return tokens >= minTokens && tooShort(minTokens, tokens, left, survey.tariff.ratios(survey.viewTokens).r);
}

/** What stands behind the last mark is in no cached prefix, whatever its size. */
function cacheable(survey: Survey): number {
  return survey.viewTokens - survey.tokensBehind(survey.cachesTo - 1, survey.messages.length);
}

/** What will stand there is told at its largest: a shaped result may be little more than half of that. */
const STUB_ROOM = 0.5;

/** Tokens that go at most. */
function removed(c: Candidate): number {
  return c.frees + STUB_ROOM * c.leaves;
}

/** Does a cache come into it? Not where the request must shrink or the operator said so, nor where the host uses none. */
function cachePays(survey: Survey): boolean {
  if (survey.forced || survey.viewTokens > survey.budget || survey.settings.curated.costRule === 'off')
    return false;
  return survey.prefix.known || survey.prefix.unused !== true;
}

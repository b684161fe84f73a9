// Which of the edits of what was never sent are made. They rewrite nothing, but a request that they leave shorter than the
// provider's least cacheable prefix is paid in full each time, where the long one would have been read. Pure.

import { STUB_DOUBT, tooShort } from '../economics/index.js';
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
  const end = survey.messages.length;
  // What stands behind the last mark is in no cached prefix, whatever its size.
  const tokens = survey.viewTokens - survey.tokensBehind(survey.cachesTo - 1, end);
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

/** Tokens that go at most: the size of what will stand there is only estimated. */
function removed(c: Candidate): number {
  return c.frees + STUB_DOUBT * c.leaves;
}

/** Does a cache come into it? Not where the request must shrink or the operator said so, nor where the host uses none. */
function cachePays(survey: Survey): boolean {
  if (survey.forced || survey.viewTokens > survey.budget || survey.settings.curated.costRule === 'off')
    return false;
  return survey.prefix.known || survey.prefix.unused !== true;
}

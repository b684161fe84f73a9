// The provider's own editing of tool results (Anthropic's `clear_tool_uses_20250919` with its documented defaults): from
// 100,000 input tokens on, all but the newest three tool results are replaced for this request. The client's history stays
// as it is, so the edit is made anew at each request and its edge moves with every new result. Pure.

import type { TokenClasses } from '../../economics/index.js';
import { headCount } from '../../sorted.js';
import { adjust } from '../whatif/adjust.js';
import type { Baseline } from '../whatif/baseline.js';
import type { MeasuredSession } from '../whatif/measured.js';
import type { Reference } from '../whatif/references.js';
import { Retention } from '../whatif/retention.js';
import { sameCalls } from '../whatif/same-calls.js';
import { type ArmFigures, figuresOf } from './figures.js';

/** Input tokens of the provider; tool uses; tokens that a placeholder takes. */
const TRIGGER = 100_000;
const KEEP = 3;
const PLACEHOLDER = 12;

interface Result {
  /** Stored message. */
  at: number;
  /** Tokens that clearing it frees. */
  frees: number;
}

export function playNative(
  m: MeasuredSession,
  b: Baseline,
  references: readonly (readonly Reference[])[],
  now: number,
): ArmFigures {
  const results = resultsOf(m);
  const freedBefore = [0];
  for (const r of results) freedBefore.push(freedBefore.at(-1)! + r.frees);
  const retention = new Retention(m);
  const fetched = sameCalls(m);
  const classes: TokenClasses[] = [];
  let again = 0;
  let done = 0;
  let breaks = 0;
  for (const [i, { carried }] of m.logged.requests.entries()) {
    const carriedResults = countBelow(results, carried);
    const input = b.overhead + b.scale * m.before[carried]!;
    // Never fewer than before: the next request's history holds this one's.
    const cleared = input < TRIGGER ? 0 : Math.max(0, carriedResults - KEEP);
    const edge = cleared === done ? undefined : results[Math.min(done, cleared)]!.at;
    const freed = freedBefore[cleared]!;
    const stable = edge === undefined ? undefined : m.before[edge]! - freedBefore[Math.min(done, cleared)]!;
    const change = {
      freed,
      freedWithin: (tokens: number) => freedBefore[Math.min(cleared, countWithin(m, results, tokens))]!,
      ...(stable === undefined ? {} : { stable }),
    };
    const { classes: c, rewritten } = adjust(b.classes[i]!, b, change);
    if (rewritten > 0) breaks++;
    classes.push(c);
    done = cleared;
    const last = cleared === 0 ? -1 : results[cleared - 1]!.at;
    again += fetched[i]!.filter((result) => result < cleared).length;
    retention.take(i, references[i] ?? [], (r) => r.places.some((place) => place > last));
  }
  const own = figuresOf(m, b, classes, now, {});
  return {
    ...own,
    cleared: done,
    rereads: { of: done, again },
    cache_breaks: own.cache_breaks + breaks,
    needles: retention.needles,
    depths: retention.depths,
  };
}

/** Tool results in order. */
function resultsOf(m: MeasuredSession): Result[] {
  const results: Result[] = [];
  for (const [at, reading] of m.readings.entries())
    for (const [p, part] of reading.parts.entries())
      if (part.kind === 'tool_result')
        results.push({ at, frees: Math.max(0, m.parts[at]![p]! - PLACEHOLDER) });
  return results;
}

/** Results in messages before `at`. */
function countBelow(results: readonly Result[], at: number): number {
  return headCount(results.length, (i) => results[i]!.at < at);
}

/** Results in the first `tokens` of the recorded request. */
function countWithin(m: MeasuredSession, results: readonly Result[], tokens: number): number {
  return headCount(results.length, (i) => m.before[results[i]!.at + 1]! <= tokens);
}

// How much a filed entry matters when nobody said so (M-4). Pure.

import { type Entry, importanceOf } from './story.js';

const DECISION = /\b(decided|decision|we (will|must)|must (not|never)|never again|chose|agreed)\b/i;
const FINDING = /\b(root cause|because|turned out|found that|caused by|bug|fails? when|workaround)\b/i;

/** Given numbers stand; a decision is worth 5, a finding 4, all else 3. */
export function importanceAtIngest(entry: Entry): number {
  const given = entry as Entry & { emotional_weight?: unknown; weight?: unknown };
  if ([given.importance, given.emotional_weight, given.weight].some((v) => v !== undefined && v !== null))
    return importanceOf(entry);
  if (DECISION.test(entry.text)) return 5;
  return FINDING.test(entry.text) ? 4 : importanceOf(entry);
}

// The provider's word on why its cache was missed (PV-A50, PV-R13), and whether an edit of ours can be the cause. Pure.

import type { Format } from './types.js';
import { member, str } from './values.js';

export interface Miss {
  reason: string;
  /** What of the request it speaks of, in the order in which a prefix is compared. */
  part: 'tools' | 'system' | 'messages' | 'other';
  /** Can a decision of ours be the cause? The model, the key or the lifetime never are. */
  ours: boolean;
  /** Tokens that were not read, where the report says so. */
  missedTokens?: number;
}

const ANTHROPIC: Readonly<Record<string, Miss['part']>> = {
  tools_changed: 'tools',
  system_changed: 'system',
  messages_changed: 'messages',
};

/** With full input only these two can be ours (PV-R13). */
const RESPONSES: Readonly<Record<string, Miss['part']>> = {
  context_compacted: 'messages',
  input_changed: 'messages',
};

/**
 * @param report a response's `diagnostics`; any JSON value
 * @returns undefined where it names no miss
 */
export function readMiss(format: Format, report: unknown): Miss | undefined {
  const said = member(report, 'cache_miss_reason') ?? member(report, 'reason');
  const reason = typeof said === 'string' ? said : str(said, 'type');
  if (reason === undefined) return undefined;
  const known = format === 'anthropic' ? ANTHROPIC : RESPONSES;
  const part = Object.hasOwn(known, reason) ? known[reason]! : 'other';
  const missed = member(report, 'missed_tokens') ?? member(said, 'missed_tokens');
  return {
    reason,
    part,
    // The system text is never touched by us; which tools are listed is.
    ours: part === 'messages' || part === 'tools',
    ...(Number.isSafeInteger(missed) && (missed as number) >= 0 ? { missedTokens: missed as number } : {}),
  };
}

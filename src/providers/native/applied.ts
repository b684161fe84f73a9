// What a response says that the provider has edited (PV-N5, PV-A49): read without trust, any JSON value may be given. Pure.

import type { Format } from '../types.js';
import { isObject, member, str } from '../values.js';

export interface AppliedEdit {
  type: string;
  cleared_tool_uses?: number;
  cleared_thinking_turns?: number;
  cleared_input_tokens?: number;
}

const COUNTS = ['cleared_tool_uses', 'cleared_thinking_turns', 'cleared_input_tokens'] as const;

/** Edits in a response's `context_management`; undefined where it is no report of edits. */
export function readApplied(format: Format, report: unknown): AppliedEdit[] | undefined {
  if (format !== 'anthropic') return undefined;
  const list = member(report, 'applied_edits');
  if (!Array.isArray(list)) return undefined;
  const out: AppliedEdit[] = [];
  for (const edit of list) {
    const type = str(edit, 'type');
    if (type === undefined || !isObject(edit)) return undefined;
    const read: AppliedEdit = { type };
    for (const key of COUNTS) {
      const v = edit[key];
      if (v === undefined || v === null) continue;
      if (!Number.isSafeInteger(v) || (v as number) < 0) return undefined;
      read[key] = v as number;
    }
    out.push(read);
  }
  return out;
}

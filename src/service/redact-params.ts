// Redaction at the door: what a call would store goes through the operator's rules before any handler sees it, its idempotency
// hash included.

import type { MethodName } from '../protocol/index.js';
import type { Redactor } from '../redaction/redactor.js';

/** Params that hold what people and tools have said, by method. All else is names, numbers and settings. */
const STORED: Partial<Record<MethodName, readonly string[]>> = {
  'session.open': ['system', 'tools'],
  'session.append': ['messages', 'results', 'preload', 'input'],
  'llm.prepare': ['messages', 'append', 'system', 'tools'],
  'llm.error': ['error'],
  'memory.compact': ['reason'],
  'durable.set_plan': ['title', 'text'],
  'durable.set_todos': ['items'],
  'durable.set_manifest': ['text'],
  'durable.add_decision': ['text'],
  'context.ingest': ['entries'],
  'context.refresh': ['taxonomies', 'labels'],
};

/** Answers that say how much was taken out of their call. */
export const TELLS: ReadonlySet<MethodName> = new Set(['session.open', 'session.append', 'llm.prepare']);

/** `params` as they may be stored, and the number of places that were redacted. */
export function redactParams<P>(
  method: MethodName,
  params: P,
  redactor: Redactor,
): { params: P; count: number } {
  const fields = STORED[method];
  let count = 0;
  let out = params as Record<string, unknown>;
  for (const field of fields ?? []) {
    if (out[field] === undefined) continue;
    const found = redactor.value(out[field]);
    if (found.count === 0) continue;
    count += found.count;
    out = { ...out, [field]: found.value };
  }
  return { params: out as P, count };
}

// Which calls may be sent a second time, and how long to wait before the next connection. Pure.
import { type MethodName, READING } from '../protocol/index.js';

/** Calls that change nothing, or whose second execution changes nothing more. */
const REPEATABLE: ReadonlySet<string> = new Set<MethodName>([
  ...READING,
  'rpc.discover',
  'session.open',
  'session.files',
  'session.close',
  'context.refresh',
]);

/** Calls that take an idempotency key. */
const KEYED: ReadonlySet<string> = new Set<MethodName>([
  'session.append',
  'turn.end',
  'session.undo',
  'llm.prepare',
  'llm.error',
  'durable.set_plan',
  'durable.set_todos',
  'durable.set_manifest',
  'durable.add_decision',
]);

/**
 * The params with an idempotency key where the call needs one to be safe against repetition. A prepare that appends
 * nothing needs none: asked twice, it answers the same.
 */
export function withKey(
  method: string,
  params: Record<string, unknown>,
  newKey: () => string,
): Record<string, unknown> {
  if (!KEYED.has(method) || params['key'] !== undefined) return params;
  if (method === 'llm.prepare' && params['append'] === undefined) return params;
  return { ...params, key: newKey() };
}

/** May the call be sent again after its connection was lost? */
export function isRepeatable(method: string, params: Record<string, unknown>): boolean {
  return REPEATABLE.has(method) || method === 'llm.prepare' || params['key'] !== undefined;
}

export interface Backoff {
  /** First wait in ms; default 50. */
  minMs?: number;
  /** Longest wait in ms; default 5,000. */
  maxMs?: number;
  /** Give up after so many ms without a connection; default never. */
  giveUpMs?: number;
}

/** Wait before attempt `n` (from 0): doubling, between half and all of it, so that clients do not come in step. */
export function backoffMs(n: number, b: Backoff, random: () => number): number {
  const full = Math.min(b.maxMs ?? 5_000, (b.minMs ?? 50) * 2 ** Math.min(n, 20));
  return full / 2 + (full / 2) * random();
}

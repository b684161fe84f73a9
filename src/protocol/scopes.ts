// Which scope of a token each method needs: the one place where the language says who may do what. Pure.
import type { MethodName } from './methods.js';

/** `any`: whoever is connected. `read`: looking, which an agent may too. `agent`: changing sessions. `admin`: the daemon itself. */
export type MethodScope = 'any' | 'read' | 'agent' | 'admin';

const ANY: ReadonlySet<MethodName> = new Set(['initialize', 'rpc.discover']);

/** Calls that look and change nothing: whoever may read may call them, and they may be sent twice. */
export const READING: ReadonlySet<MethodName> = new Set([
  'daemon.status',
  'session.state',
  'session.messages',
  'session.list',
  'session.archives',
  'session.subscribe',
  'session.unsubscribe',
  'durable.get',
  'context.packet',
  'context.topics',
  'recall.search',
  'recall.get',
  'tokens.count',
  'journal.read',
  'journal.replay',
  'journal.export',
  'journal.verify',
  'journal.bisect',
  'journal.diff',
]);

const ADMIN: ReadonlySet<MethodName> = new Set([
  'daemon.stop',
  'test.clock',
  'journal.import',
  'journal.backup',
]);

/** What is in no list changes a session. */
export function scopeOf(method: MethodName): MethodScope {
  if (ANY.has(method)) return 'any';
  if (READING.has(method)) return 'read';
  return ADMIN.has(method) ? 'admin' : 'agent';
}

/** May a token with these scopes call the method? */
export function isAllowed(method: MethodName, scopes: readonly string[]): boolean {
  const needed = scopeOf(method);
  if (needed === 'any') return true;
  return scopes.includes(needed) || (needed === 'read' && scopes.includes('agent'));
}

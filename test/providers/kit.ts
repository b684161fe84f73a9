// Short ways to write messages, and the folder of shared cases and data, for the tests of this room.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FormatSpec, Native, Profile, Violation } from '../../src/providers/types.js';
import { nativeOf, validateRequest } from '../../src/providers/validate.js';

export type Msg = Record<string, unknown>;

export const natives = (messages: readonly unknown[]): Native[] =>
  messages.map((m) => nativeOf(JSON.stringify(m)));

export const user = (content: unknown): Msg => ({ role: 'user', content });
export const assistant = (...content: unknown[]): Msg => ({ role: 'assistant', content });
export const text = (t: string) => ({ type: 'text', text: t });
export const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'read', input });
export const result = (id: string, content: unknown = 'ok') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});

/** The rules that a request breaks, each once, sorted. */
export function broken(
  spec: FormatSpec,
  profile: Profile,
  messages: readonly unknown[],
  more: { system?: unknown; tools?: unknown; pending?: string[] } = {},
): string[] {
  return rules(violations(spec, profile, messages, more));
}

export function violations(
  spec: FormatSpec,
  profile: Profile,
  messages: readonly unknown[],
  more: { system?: unknown; tools?: unknown; pending?: string[] } = {},
): Violation[] {
  const { pending, ...parts } = more;
  return validateRequest(
    spec,
    profile,
    { ...parts, messages: natives(messages) },
    { pending: new Set(pending) },
  );
}

export const rules = (found: readonly Violation[]): string[] => [...new Set(found.map((v) => v.rule))].sort();

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const shared = process.env['CURATED_SHARED'] ?? resolve(root, '../shared');

/** A folder or file of the shared data, or undefined where the data are not on this machine. */
export function sharedPath(part: string): string | undefined {
  const path = resolve(shared, part);
  return existsSync(path) ? path : undefined;
}

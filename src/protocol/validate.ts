// From a schema's complaint to the one typed error of the wire: UNKNOWN_FIELD or BAD_TYPE, with the path. Pure.
import type { z } from 'zod';
import { CuratedError } from '../errors.js';
import { Native } from '../json/native.js';
import { join } from './piece.js';
import { SERVER_REQUESTS, type ServerRequestName, type ServerResult } from './server-requests.js';

export type Checked<T> = { ok: true; value: T } | { ok: false; error: CuratedError };

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
}

/** Checks a decoded value. A name that is not known is told before anything that is missing: it is the likelier slip. */
export function check<T>(schema: z.ZodType<T>, value: unknown, base = ''): Checked<T> {
  const r = schema.safeParse(value);
  if (r.success) return { ok: true, value: r.data };
  const issues = r.error.issues as readonly Issue[];
  const issue = issues.find((i) => i.code === 'unrecognized_keys') ?? issues[0]!;
  const path = issue.path.reduce<string>((at, step) => join(at, step as string | number), base);
  const unknown = issue.keys?.[0];
  if (unknown !== undefined) {
    const at = join(path, unknown);
    return { ok: false, error: new CuratedError('UNKNOWN_FIELD', `${at}: no such field here`, { path: at }) };
  }
  const what = issue.message
    .replace(/^Invalid input: /, '')
    .replace(/^expected (.*), received undefined$/, 'is missing: expected $1');
  const message = `${path === '' ? 'params' : path}: ${what}${hint(value, issue.path)}`;
  const detail = issue.values === undefined ? undefined : { values: issue.values };
  return { ok: false, error: new CuratedError('BAD_TYPE', message, { path, detail }) };
}

/** Some encoders write null for what is absent. It is not taken so: JSON has it for NaN as well. */
function hint(value: unknown, path: readonly PropertyKey[]): string {
  const at = path.reduce<unknown>((v, step) => (v as Record<PropertyKey, unknown> | null)?.[step], value);
  return (at instanceof Native ? at.value : at) === null ? '; what is absent is left out, not null' : '';
}

/** Checks a client's answer to a request of ours. */
export function checkServerResult<M extends ServerRequestName>(
  method: M,
  value: unknown,
): Checked<ServerResult<M>> {
  return check(SERVER_REQUESTS[method].result as unknown as z.ZodType<ServerResult<M>>, value, '/result');
}

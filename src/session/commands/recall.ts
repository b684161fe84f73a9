// recall.get: the bytes that were cleared, by handle, whole or in part.

import { fail } from '../../errors.js';
import { RawJson, sliceIn } from '../../json/index.js';
import type { Params } from '../../protocol/methods.js';
import type { Session } from '../session.js';
import { archiveText } from '../state/fold-history.js';

type RecallParams = Params<'recall.get'>;

/** The exact JSON text of the value behind a handle, or undefined. */
export function originalOf(session: Session, handle: string): string | undefined {
  const { state } = session;
  const archive = state.archives.get(handle);
  if (archive !== undefined) return archiveText(state, archive[0], archive[1]);
  const place = state.handles.get(handle);
  const message = place === undefined ? undefined : state.messages[place.at];
  if (place === undefined || message === undefined) return state.orphans.get(handle);
  return sliceIn(message.native, place.path);
}

export interface Recalled {
  text?: string;
  parts?: RawJson;
  total_bytes: number;
  original: true;
}

export function recall(
  original: string,
  p: RecallParams,
  truncate: (text: string, maxTokens: number) => string,
): Recalled {
  const value: unknown = JSON.parse(original);
  const limited = p.range !== undefined || p.grep !== undefined || p.max_tokens !== undefined;
  if (typeof value !== 'string' && !limited) {
    return { parts: new RawJson(original), total_bytes: Buffer.byteLength(original), original: true };
  }
  const whole = typeof value === 'string' ? value : textOf(value, original);
  let text = whole;
  if (p.grep !== undefined) text = grep(text, p.grep);
  if (p.range !== undefined) text = slice(text, p.range[0], p.range[1]);
  if (p.max_tokens !== undefined) text = truncate(text, p.max_tokens);
  return { text, total_bytes: Buffer.byteLength(whole), original: true };
}

/** The texts of a block list; of any other value its JSON. */
function textOf(value: unknown, original: string): string {
  if (!Array.isArray(value)) return original;
  return value
    .map((b: unknown) => (b as { text?: unknown } | null)?.text)
    .filter((t) => typeof t === 'string')
    .join('\n');
}

/** Lines that hold the text, ignoring case. A plain search: a pattern from outside could be made to run for ever. */
function grep(text: string, needle: string): string {
  const wanted = needle.toLowerCase();
  return text
    .split('\n')
    .filter((line) => line.toLowerCase().includes(wanted))
    .join('\n');
}

/** The characters whose first byte is in [from, to) of the UTF-8 text: ranges that follow each other give each of them once. */
function slice(text: string, from: number, to: number): string {
  if (to < from) fail('BAD_TYPE', 'the range ends before it starts', { path: '/range' });
  const bytes = Buffer.from(text);
  const first = (i: number) => {
    let at = Math.min(i, bytes.length);
    while (at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at += 1;
    return at;
  };
  return bytes.subarray(first(from), first(to)).toString('utf8');
}

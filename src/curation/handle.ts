// Handles: short names under which cleared bytes can be had back. Derived, never random, so that a replay gives the same.

import { sha256Bytes } from '../hash.js';
import { hasLone, jsonBytesRoom, writeJsonBytes } from '../json/index.js';

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

function short(json: string | Uint8Array, length: number): string {
  const digest = sha256Bytes(json);
  let text = '';
  for (let i = 0; i < length; i += 1) text += ALPHABET[digest[i]! & 31];
  return text;
}

/** Prefixes that were asked for lately; they are functions of their names. */
const prefixes = new Map<string, string>();
const PREFIXES_KEPT = 4096;

/** First letters of all handles of one session: how a tenant's handle finds its session without an index. */
export function handlePrefix(tenant: string, session: string): string {
  const name = `${tenant.length} ${tenant}${session}`;
  let prefix = prefixes.get(name);
  if (prefix === undefined) {
    prefix = `r${short(JSON.stringify([tenant, session]), 5)}`;
    if (prefixes.size >= PREFIXES_KEPT) prefixes.clear();
    prefixes.set(name, prefix);
  }
  return prefix;
}

/** The same of a handle: a session that was forked or imported has given out handles under another's. */
export function prefixOf(handle: string): string {
  return handle.slice(0, 6);
}

/**
 * @param seq event that brought the message; unique within one line of history
 * @param part index of the part in its message
 * @param body the exact text that is cleared: after a rewind the same seq may name another message
 */
export function handleOf(tenant: string, session: string, seq: number, part: number, body: string): string {
  return `${handlePrefix(tenant, session)}${short(namedBytes(seq, part, body), 9)}`;
}

/** Bodies of up to so many UTF-16 units are written into one room: each clearing names one, and most are short. */
const SHORT = 16_384;
/** For what stands around the body. */
const AROUND = 64;
const room = Buffer.allocUnsafeSlow(AROUND + jsonBytesRoom(SHORT));

/** `JSON.stringify([String(seq), String(part), body])` as UTF-8; good until the next call. */
function namedBytes(seq: number, part: number, body: string): string | Uint8Array {
  if (body.length > SHORT || hasLone(body)) return JSON.stringify([String(seq), String(part), body]);
  const end = writeJsonBytes(body, room, room.write(`["${seq}","${part}",`, 0));
  return room.subarray(0, end + room.write(']', end));
}

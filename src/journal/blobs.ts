// Large texts out of payloads and back: what stands above BLOB_BYTES becomes a content-addressed blob. Pure.
import { CuratedError } from '../errors.js';
import { type Payload, sha256 } from './record.js';
import type { Blob } from './store.js';

/** UTF-16 units above which a string leaves the payload: a row stays within one page, and equal texts are stored once. */
export const BLOB_BYTES = 2048;

/** Key of a reference to UTF-8 bytes; `$blob16` to UTF-16LE, for strings with lone surrogates that UTF-8 cannot hold. */
const UTF8 = '$blob';
const UTF16 = '$blob16';
/** A user's own key that looks like ours gets one more `$`, and loses it on the way back. */
const LOOKALIKE = /^\$+blob(16)?$/;
const ESCAPED = /^\$\$+blob(16)?$/;

const MAX_DEPTH = 1000;

const encoder = new TextEncoder();
const LONE = /\p{Surrogate}/u;

export function textBlob(text: string): { blob: Blob; ref: Payload } {
  const wellFormed = !LONE.test(text);
  const bytes = wellFormed ? encoder.encode(text) : new Uint8Array(Buffer.from(text, 'utf16le'));
  const hash = `sha256:${sha256(bytes)}`;
  return { blob: { hash, bytes }, ref: { [wellFormed ? UTF8 : UTF16]: hash } };
}

/** `payload` with every long string replaced by its reference. What holds none is returned as it is, not copied. */
export function detach(payload: Payload, limit = BLOB_BYTES): { payload: Payload; blobs: Blob[] } {
  const blobs = new Map<string, Blob>();
  let depth = 0;
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value.length <= limit) return value;
      const { blob, ref } = textBlob(value);
      blobs.set(blob.hash, blob);
      return ref;
    }
    // What is too deep, or a cycle, is for the writer of the record to refuse.
    if (!isPlain(value) || depth > MAX_DEPTH) return value;
    depth++;
    const out = mapChildren(value, walk, (key) => (LOOKALIKE.test(key) ? `$${key}` : key));
    depth--;
    return out;
  };
  return { payload: walk(payload) as Payload, blobs: [...blobs.values()] };
}

/** Hashes that a payload names. */
export function references(payload: Payload): string[] {
  const out: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const hash = refOf(value)?.hash;
    if (hash !== undefined) out.push(hash);
    else for (const child of Object.values(value)) walk(child);
  };
  walk(payload);
  return out;
}

/** The inverse of `detach`. `fetch` returns a blob's bytes; a missing one is STORAGE. */
export function attach(payload: Payload, fetch: (hash: string) => Uint8Array | undefined): Payload {
  const walk = (value: unknown): unknown => {
    if (!isPlain(value)) return value;
    const ref = refOf(value);
    if (ref === undefined) return mapChildren(value, walk, (key) => (ESCAPED.test(key) ? key.slice(1) : key));
    const bytes = fetch(ref.hash);
    if (bytes === undefined) throw new CuratedError('STORAGE', `the text ${ref.hash} is not in the journal`);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(ref.encoding);
  };
  return walk(payload) as Payload;
}

function refOf(value: object): { hash: string; encoding: 'utf8' | 'utf16le' } | undefined {
  const keys = Object.keys(value);
  if (keys.length !== 1 || (keys[0] !== UTF8 && keys[0] !== UTF16)) return undefined;
  const hash: unknown = (value as Payload)[keys[0]];
  return typeof hash === 'string' ? { hash, encoding: keys[0] === UTF8 ? 'utf8' : 'utf16le' } : undefined;
}

/** Arrays and plain objects are walked; an instance of a class (a RawJson) is a leaf. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** Copies only when a child or a key changed. */
function mapChildren(value: object, fn: (v: unknown) => unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const child = fn(value[i]);
      if (child === value[i]) continue;
      copy ??= value.slice();
      copy[i] = child;
    }
    return copy ?? value;
  }
  const entries = Object.entries(value);
  let changed = false;
  for (const entry of entries) {
    const key = rename(entry[0]);
    const child = fn(entry[1]);
    changed ||= key !== entry[0] || child !== entry[1];
    entry[0] = key;
    entry[1] = child;
  }
  return changed ? Object.fromEntries(entries) : value;
}

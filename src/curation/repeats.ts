// Equal calls (L1-3, L1-4): which result is repeated by a later successful call of the same tool with the same arguments.
// Kept as an index that grows with the session; pure, rebuilt from the calls at any time.

import { sha256 } from '../hash.js';
import { canonicalize, canonicalValue } from '../json/index.js';
import type { CallIndex, CallRecord, ResultRecord } from './calls.js';

/**
 * The key of L1-4: top-level keys sorted, each `key=JSON(value);` with keys sorted at every depth, SHA-256, the first 8
 * bytes as hex; no arguments give `empty`. Two different arguments may share it, so it only names a bucket.
 */
export function argumentsKey(args: unknown): string {
  if (typeof args !== 'object' || args === null || Object.keys(args).length === 0) return 'empty';
  const record = args as Record<string, unknown>;
  const text = Object.keys(record)
    .sort()
    .map((key) => `${key}=${canonicalize(JSON.stringify(record[key]))};`)
    .join('');
  return sha256(text).slice(0, 16);
}

/** Equality itself is decided on the whole canonical JSON: the key of L1-4 has collisions by construction. */
export function argumentsIdentity(args: unknown): string {
  if (typeof args !== 'object' || args === null)
    return args === undefined ? '' : canonicalize(JSON.stringify(args));
  let identity = identities.get(args);
  if (identity === undefined) {
    identity = canonicalValue(args);
    identities.set(args, identity);
  }
  return identity;
}

/** Arguments are parsed once and nobody changes them; several indexes ask for each. */
const identities = new WeakMap<object, string>();

export class Repeats {
  /** Successful results of the newest turn of each (tool, arguments). */
  readonly #newest = new Map<string, number[]>();
  /** Result index -> index of the equal later result that makes it superfluous. */
  readonly #repeatedBy = new Map<number, number>();
  #seen = 0;
  #generation = 0;

  /** Takes in results that came since the last call; those that are superfluous from now on. O(new). */
  sync(calls: CallIndex): number[] {
    const fresh: number[] = [];
    if (calls.generation !== this.#generation) {
      this.#generation = calls.generation;
      this.reset();
    }
    for (; this.#seen < calls.results.length; this.#seen += 1) {
      const result = calls.results[this.#seen]!;
      const identity = identityOf(calls, result);
      // A failed repeat makes nothing superfluous (L1-15); nor does a result whose call was never seen.
      if (identity === undefined || result.error) continue;
      const before = this.#newest.get(identity);
      // Equal calls of one turn clear nothing (L1-3).
      if (before !== undefined && calls.results[before[0]!]!.turn >= result.turn) {
        before.push(this.#seen);
        continue;
      }
      for (const earlier of before ?? []) {
        this.#repeatedBy.set(earlier, this.#seen);
        fresh.push(earlier);
      }
      this.#newest.set(identity, [this.#seen]);
    }
    return fresh;
  }

  /** Forgets everything: the history is another one. */
  reset(): void {
    this.#newest.clear();
    this.#repeatedBy.clear();
    this.#seen = 0;
  }

  repeatedBy(result: number): number | undefined {
    return this.#repeatedBy.get(result);
  }
}

/** Tool and whole canonical arguments of a call. */
export function callIdentity(call: CallRecord): string {
  call.identity ??= `${call.tool}\u0000${argumentsIdentity(call.args)}`;
  return call.identity;
}

/** The same for a result's call; undefined when it was never seen. */
function identityOf(calls: CallIndex, result: ResultRecord): string | undefined {
  const call = result.call === undefined ? undefined : calls.calls[result.call];
  return call === undefined ? undefined : callIdentity(call);
}

// Counts in encodings the core has no tables for, by @dqbd/tiktoken behind a cap on unbroken runs (it is quadratic on
// them). Meant for a worker: it is slow, and loads a vocabulary on first use. Texts with long runs count a little high.
import { createRequire } from 'node:module';
import type { get_encoding, Tiktoken, TiktokenEncoding } from '@dqbd/tiktoken';
import { fail } from '../src/errors.js';
import { supportedEncodings } from './encodings.js';

const FALLBACK: readonly TiktokenEncoding[] = ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit'];

/** Encodings `fallbackCount` knows beside the exact ones. */
export function fallbackEncodings(): readonly string[] {
  return FALLBACK;
}

/**
 * Longest run, in UTF-16 units, that is given to the reference whole. Its time on one piece grows with the square: some
 * half a millisecond at this length. Cutting such a run adds at most one token a cut, under 0.1 %.
 */
const RUN_CAP = 1024;
/** A run the reference may take as one piece: letters, digits and marks, spaces, or symbols. Matched whole, so in linear time. */
const RUNS = /[\p{L}\p{M}\p{N}]+|\s+|[^\s\p{L}\p{N}]+/gu;
/** Units given to the reference in one call: it keeps every token of a call in memory. */
const CALL_CAP = 1 << 20;

const loaded = new Map<string, Tiktoken>();

function load(encoding: TiktokenEncoding): Tiktoken {
  let one = loaded.get(encoding);
  if (one === undefined) {
    // Loaded on demand: no worker pays for it that never meets such a model.
    const reference = createRequire(import.meta.url)('@dqbd/tiktoken') as {
      get_encoding: typeof get_encoding;
    };
    one = reference.get_encoding(encoding);
    loaded.set(encoding, one);
  }
  return one;
}

/**
 * Tokens of `text` in `encoding`, ordinary semantics; exact unless a run above RUN_CAP had to be cut. Throws
 * UNSUPPORTED for encodings neither it nor the core has; the core's own are better counted by `Tokenizer`.
 */
export function fallbackCount(text: string, encoding: string): number {
  const known = FALLBACK.find((e) => e === encoding) ?? supportedEncodings().find((e) => e === encoding);
  if (known === undefined) return fail('UNSUPPORTED', `no counter for the encoding ${encoding}`);
  const reference = load(known);
  let tokens = 0;
  for (const part of parts(text)) tokens += reference.encode_ordinary(part).length;
  return tokens;
}

/** `text` in pieces of at most CALL_CAP units, cut within overlong runs, and else only where a line ends. */
export function* parts(text: string): Generator<string> {
  const cuts: number[] = [];
  for (const { index, 0: run } of text.matchAll(RUNS)) {
    if (run.length <= RUN_CAP) continue;
    for (let at = index; at < index + run.length; at += RUN_CAP) cuts.push(whole(text, at));
    cuts.push(index + run.length);
  }
  cuts.push(text.length);
  let from = 0;
  for (const cut of cuts) {
    while (cut - from > CALL_CAP) {
      const line = text.lastIndexOf('\n', from + CALL_CAP);
      const to = line > from ? line + 1 : whole(text, from + CALL_CAP);
      yield text.slice(from, to);
      from = to;
    }
    if (cut > from) yield text.slice(from, cut);
    from = Math.max(from, cut);
  }
}

/** `at`, or one less when it lies within a surrogate pair. */
function whole(text: string, at: number): number {
  const inside =
    at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return inside ? at - 1 : at;
}

// The reference for counts: @dqbd/tiktoken's ordinary encoding, and what the parity tests share. The oracle is
// quadratic on unbroken runs, so generators keep runs short.
import { get_encoding } from '@dqbd/tiktoken';
import type { BuiltInEncoding as Encoding } from '../../native/index.js';

export const ENCODINGS: readonly Encoding[] = ['o200k_base', 'cl100k_base'];

const oracles = new Map<Encoding, ReturnType<typeof get_encoding>>();

/** The reference's tokens of `text`. */
export function expectedTokens(text: string, encoding: Encoding): Uint32Array {
  let oracle = oracles.get(encoding);
  if (oracle === undefined) {
    oracle = get_encoding(encoding);
    oracles.set(encoding, oracle);
  }
  return oracle.encode_ordinary(text);
}

/** The reference's count of `text`. */
export function expected(text: string, encoding: Encoding): number {
  return expectedTokens(text, encoding).length;
}

/** The shortest part of `text` (cut at code points) that still differs; for a readable failure. */
export function smallest(text: string, differs: (t: string) => boolean): string {
  let chars = [...text];
  for (let size = chars.length >> 1; size >= 1; size >>= 1) {
    for (let i = 0; i + size <= chars.length; ) {
      const without = [...chars.slice(0, i), ...chars.slice(i + size)];
      if (differs(without.join(''))) chars = without;
      else i += size;
    }
  }
  return chars.join('');
}

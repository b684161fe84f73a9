// The counting core as the pool sees it: bytes in, counts out, on whichever thread it runs.
import { get_encoding, type Tiktoken } from '@dqbd/tiktoken';
import type { Encoding } from './contract.js';

/** Longest stretch without a change between blank and non-blank that is given to the BPE at once: it is quadratic. */
const RUN_CAP = 256;
const LONG_RUN = new RegExp(`\\S{${RUN_CAP + 1},}|\\s{${RUN_CAP + 1},}`, 'u');
const CUT = new RegExp(`\\S{1,${RUN_CAP}}|\\s{1,${RUN_CAP}}`, 'gu');

const encoders = new Map<Encoding, Tiktoken>();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function encoder(encoding: Encoding): Tiktoken {
  let found = encoders.get(encoding);
  if (found === undefined) {
    found = get_encoding(encoding);
    encoders.set(encoding, found);
  }
  return found;
}

/** Tokens of a text, special-token literals being text. */
function countText(text: string, encoding: Encoding): number {
  const core = encoder(encoding);
  if (text.length <= RUN_CAP || !LONG_RUN.test(text)) return core.encode_ordinary(text).length;
  let total = 0;
  let rest = text;
  for (;;) {
    const run = LONG_RUN.exec(rest);
    if (run === null) return total + core.encode_ordinary(rest).length;
    if (run.index > 0) total += core.encode_ordinary(rest.slice(0, run.index)).length;
    for (const piece of run[0].match(CUT) ?? []) total += core.encode_ordinary(piece).length;
    rest = rest.slice(run.index + run[0].length);
  }
}

/** Counts texts `first` to `first + n - 1` of an arena view into `counts`. */
export function countInto(
  encoding: Encoding,
  bytes: Uint8Array,
  offsets: Uint32Array,
  counts: Uint32Array,
  first: number,
  n: number,
): void {
  for (let i = first; i < first + n; i++) {
    // TextDecoder takes no shared memory: slice copies it out.
    counts[i] = countText(decoder.decode(bytes.slice(offsets[i]!, offsets[i + 1]!)), encoding);
  }
}

// The extractive summariser as a pool task: a long history is worked off on a worker, a short one where it stands.

import type { Encoding } from '../pool/contract.js';
import { countHere } from '../pool/count-core.js';
import { registerTask } from '../pool/registry.js';
import { type Extract, extract } from './extractive.js';
import { firstDecisions } from './pins.js';
import type { Said, SourceMessage } from './source.js';

export interface ExtractPayload {
  messages: readonly SourceMessage[];
  budget: number;
  encoding: Encoding;
}

export interface DecidedPayload {
  /** Messages of the first turn. */
  messages: readonly Said[];
  /** Tokens of all lines together. */
  budget: number;
  encoding: Encoding;
}

declare module '../pool/contract.js' {
  interface TaskMap {
    summary_extract: { payload: ExtractPayload; result: Extract };
    first_decisions: { payload: DecidedPayload; result: string[] };
  }
}

/** Characters up to which a round trip to a worker costs more than the work: about 10 MB are worked off in a second. */
const INLINE_CHARS = 4000;

function size(messages: readonly SourceMessage[]): number {
  let chars = 0;
  for (const m of messages) {
    chars += m.text.length;
    for (const c of m.calls) chars += c.args.length;
    for (const r of m.results) chars += r.text.length;
  }
  return chars;
}

registerTask('summary_extract', {
  run: ({ messages, budget, encoding }) =>
    extract(messages, budget, (text) => countHere([text], encoding)[0]!),
  inline: ({ messages }) => size(messages) <= INLINE_CHARS,
});

registerTask('first_decisions', {
  run: ({ messages, budget, encoding }) =>
    firstDecisions(messages, budget, (text) => countHere([text], encoding)[0]!),
  inline: ({ messages }) => messages.reduce((chars, m) => chars + m.text.length, 0) <= INLINE_CHARS,
});

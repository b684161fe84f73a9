// The extractive summariser as a pool task: a long history is worked off on a worker, a short one where it stands.

import type { Encoding } from '../pool/contract.js';
import { countHere } from '../pool/count-core.js';
import { registerTask } from '../pool/registry.js';
import { type Extract, extract } from './extractive.js';
import { type PackedSources, packSources, unpackSources } from './packed.js';
import { firstDecisions } from './pins.js';
import type { Said, SourceMessage } from './source.js';

export interface ExtractPayload {
  messages: readonly SourceMessage[];
  budget: number;
  encoding: Encoding;
}

/** The messages as they are where few, else packed. */
type SentPayload = Omit<ExtractPayload, 'messages'> & { sources: readonly SourceMessage[] | PackedSources };

export interface DecidedPayload {
  /** Messages of the first turn. */
  messages: readonly Said[];
  /** Tokens of all lines together. */
  budget: number;
  encoding: Encoding;
}

declare module '../pool/contract.js' {
  interface TaskMap {
    summary_extract: { payload: SentPayload; result: Extract };
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

const isPacked = (sources: SentPayload['sources']): sources is PackedSources => 'table' in sources;

registerTask('summary_extract', {
  run: ({ sources, budget, encoding }) => {
    const messages = isPacked(sources) ? unpackSources(sources) : sources;
    return extract(messages, budget, (text) => countHere([text], encoding)[0]!);
  },
  inline: ({ sources }) => !isPacked(sources),
});

interface Background {
  /** No call waits for it, until this fires. */
  background?: AbortSignal;
}

/** The built-in summariser's work in a pool. The messages must not change until it has begun. */
export async function extractIn(
  pool: { run(kind: 'summary_extract', payload: SentPayload, o: Background): Promise<Extract> },
  { messages, budget, encoding }: ExtractPayload,
  o: Background = {},
): Promise<Extract> {
  const sources = size(messages) <= INLINE_CHARS ? messages : await packSources(messages);
  return pool.run('summary_extract', { sources, budget, encoding }, o);
}

registerTask('first_decisions', {
  run: ({ messages, budget, encoding }) =>
    firstDecisions(messages, budget, (text) => countHere([text], encoding)[0]!),
  inline: ({ messages }) => messages.reduce((chars, m) => chars + m.text.length, 0) <= INLINE_CHARS,
});

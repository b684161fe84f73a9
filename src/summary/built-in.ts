// The embedded default as a summariser: the extract, made in the pool.

import type { Extract } from './extractive.js';
import type { SourceMessage } from './source.js';
import type { Summariser, Summary, SummaryRequest } from './summariser.js';
import type { ExtractPayload } from './task.js';

/** Characters of one text that are looked at: head and tail of a longer one say what it is. */
const TEXT_CHARS = 200_000;

export class BuiltInSummariser implements Summariser {
  readonly kind = 'extractive';
  readonly #run: (payload: ExtractPayload) => Promise<Extract>;

  constructor(run: (payload: ExtractPayload) => Promise<Extract>) {
    this.#run = run;
  }

  async summarise(r: SummaryRequest, signal: AbortSignal): Promise<Summary> {
    if (r.messages.length === 0) return { ok: false, reason: 'nothing_to_summarise', calls: 0 };
    try {
      const messages = r.messages.map(bounded);
      const { text, kinds } = await this.#run({ messages, budget: r.budget, encoding: r.encoding });
      if (signal.aborted) return { ok: false, reason: 'late', calls: 1 };
      if (text === '') return { ok: false, reason: 'empty', calls: 1 };
      return { ok: true, text, kinds, calls: 1 };
    } catch (e) {
      return { ok: false, reason: 'error', detail: e instanceof Error ? e.message : String(e), calls: 1 };
    }
  }
}

function bounded(m: SourceMessage): SourceMessage {
  const long = m.results.some((r) => r.text.length > TEXT_CHARS) || m.text.length > TEXT_CHARS;
  if (!long) return m;
  const cut = (t: string) =>
    t.length <= TEXT_CHARS ? t : `${t.slice(0, TEXT_CHARS / 2)}\n${t.slice(-TEXT_CHARS / 2)}`;
  return { ...m, text: cut(m.text), results: m.results.map((r) => ({ ...r, text: cut(r.text) })) };
}

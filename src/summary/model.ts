// A summariser that asks a model through a port: chunks that fit the model's window, retries with back-off, one more call
// where kinds are missing. Knows no transport and no session.

import { type ModelAnswer, readAnswer } from './answer.js';
import { missingKinds, promptFor } from './prompts.js';
import { isRetryable } from './retryable.js';
import type { SourceMessage } from './source.js';
import type { Summariser, Summary, SummaryRequest } from './summariser.js';
import { linesOf, shortened, transcript } from './transcript.js';

export interface CompletionRequest {
  session: string;
  purpose: 'summary' | 'compaction';
  system: string;
  user: string;
  maxTokens: number;
}

export type Complete = (request: CompletionRequest, signal: AbortSignal) => Promise<ModelAnswer>;

export interface ModelOptions {
  kind: 'client' | 'http';
  complete: Complete;
  /** Tokens the model takes in one call, its answer not included; unset: unknown. */
  maxInputTokens?: number | undefined;
  /** Tokens of texts; asynchronous, because transcripts are long. */
  count(texts: readonly string[]): Promise<ArrayLike<number>>;
  /** Wait before attempt n + 1, ms. */
  backoff?(attempt: number): number;
}

/** Tokens kept free beside the transcript: our prompt, and what the model's tokenizer counts more than ours. */
const PROMPT_TOKENS = 900;
const MARGIN = 0.8;

export class ModelSummariser implements Summariser {
  readonly kind: 'client' | 'http';
  readonly #o: ModelOptions;

  constructor(o: ModelOptions) {
    this.kind = o.kind;
    this.#o = o;
  }

  async summarise(r: SummaryRequest, signal: AbortSignal): Promise<Summary> {
    const texts: string[] = [];
    let kinds: string[] | null = null;
    let calls = 0;
    for (const chunk of await this.#chunks(r.messages)) {
      const turns: [number, number] = [chunk[0]!.turn, chunk.at(-1)!.turn];
      const made = await this.#one({ ...r, messages: chunk, turns }, signal);
      calls += made.calls;
      if (!made.ok) return { ...made, calls };
      texts.push(made.text);
      if (made.kinds !== null) kinds = [...new Set([...(kinds ?? []), ...made.kinds])];
    }
    if (texts.length === 0) return { ok: false, reason: 'nothing_to_summarise', calls };
    return { ok: true, text: texts.join('\n\n'), kinds, calls };
  }

  async #one(r: SummaryRequest, signal: AbortSignal): Promise<Summary> {
    const first = await this.#ask(r, undefined, signal);
    if (!first.ok) return first;
    const missing = r.requireKinds.filter((k) => !(first.kinds ?? []).includes(k));
    if (missing.length === 0) return first;
    const second = await this.#ask(r, missingKinds(missing), signal);
    const calls = first.calls + second.calls;
    return second.ok ? { ...second, calls } : { ...first, calls };
  }

  /** One answer, with retries of what may pass: nothing that the model said is asked for again. */
  async #ask(r: SummaryRequest, extra: string | undefined, signal: AbortSignal): Promise<Summary> {
    const prompt = promptFor(r);
    const task = extra === undefined ? prompt.task : `${prompt.task}\n\n${extra}`;
    const user = `<transcript>\n${transcript(r.messages)}\n</transcript>\n\n${task}`;
    let calls = 0;
    for (;;) {
      calls += 1;
      try {
        const answer = await this.#o.complete(
          { session: r.session, purpose: r.purpose, system: prompt.system, user, maxTokens: r.maxTokens },
          signal,
        );
        const read = readAnswer(answer, r.turns);
        return typeof read === 'string'
          ? { ok: false, reason: read, calls }
          : { ok: true, text: read.text, kinds: read.kinds, calls };
      } catch (e) {
        if (signal.aborted) return { ok: false, reason: 'late', calls };
        const detail = e instanceof Error ? e.message : String(e);
        if (calls >= r.attempts || !isRetryable(e)) return { ok: false, reason: 'error', detail, calls };
        await pause(this.#o.backoff?.(calls) ?? 250 * 4 ** (calls - 1), signal);
        if (signal.aborted) return { ok: false, reason: 'late', detail, calls };
      }
    }
  }

  /** Oldest first; no chunk is larger than the window, also where one message alone is (NS-15). */
  async #chunks(messages: readonly SourceMessage[]): Promise<SourceMessage[][]> {
    const max = this.#o.maxInputTokens;
    if (messages.length === 0) return [];
    if (max === undefined) return [[...messages]];
    const room = Math.max(64, Math.floor((max - PROMPT_TOKENS) * MARGIN));
    const sizes = await this.#o.count(messages.map((m) => linesOf(m).join('\n\n')));
    const chunks: SourceMessage[][] = [];
    let used = room;
    messages.forEach((m, i) => {
      const size = sizes[i]! + 2;
      // Base64 and the like have a token for one or two characters: the cut is by the worst of them.
      const piece = size > room ? shortened(m, room) : m;
      const cost = Math.min(size, room);
      if (used + cost > room) {
        chunks.push([]);
        used = 0;
      }
      chunks.at(-1)!.push(piece);
      used += cost;
    });
    return chunks;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

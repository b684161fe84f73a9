// Reads a provider's stream beside the host (PV-A53, PV-C13): the bytes go on as they came, a copy is put together to the
// message for session.append and the reports for turn.end. Pure; knows no socket.

import type { Answer, AnswerReader } from './answer/answer.js';
import { AnthropicAnswer } from './answer/anthropic.js';
import { ChatAnswer } from './answer/chat.js';

export type { Answer } from './answer/answer.js';

export class AnswerStream {
  readonly #reader: AnswerReader;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #data: string[] = [];

  constructor(format: 'anthropic' | 'openai-chat') {
    this.#reader = format === 'anthropic' ? new AnthropicAnswer() : new ChatAnswer();
  }

  /** @returns the very bytes that were given: they go on to the host's own reader */
  push<T extends Uint8Array>(chunk: T): T {
    this.#take(this.#decoder.decode(chunk, { stream: true }));
    return chunk;
  }

  end(): Answer {
    this.#take(`${this.#decoder.decode()}\n\n`);
    return this.#reader.answer;
  }

  /** Lines of server-sent events; an event ends with an empty line. */
  #take(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') this.#event();
      else if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }

  #event(): void {
    if (this.#data.length === 0) return;
    const data = this.#data.join('\n');
    this.#data = [];
    if (data === '[DONE]') {
      this.#reader.answer.complete = true;
      return;
    }
    try {
      this.#reader.take(JSON.parse(data));
    } catch {
      this.#reader.answer.unknown = true;
    }
  }
}

/** The host's own `anthropic-beta` header with the values that a prepared request needs (PV-A54): none is lost. */
export function withBetas(
  header: string | undefined,
  betas: readonly string[] | undefined,
): string | undefined {
  const own = (header ?? '').split(',').map((b) => b.trim());
  const all = [...new Set([...own, ...(betas ?? [])])].filter((b) => b !== '');
  return all.length === 0 ? undefined : all.join(',');
}

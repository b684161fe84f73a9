// The message of a Chat Completions stream (PV-C13): deltas of parallel calls come interleaved, by index.

import type { Answer, AnswerReader } from './answer.js';
import { grow, isObj, type Obj } from './object.js';

export class ChatAnswer implements AnswerReader {
  readonly answer: Answer = { complete: false, unknown: false };
  readonly #calls = new Map<number, Obj>();

  take(event: unknown): void {
    if (!isObj(event)) return;
    if (event['error'] !== undefined) this.answer.error = event['error'];
    // The last chunk has usage and no choices (PV-C8).
    if (isObj(event['usage'])) this.answer.usage = event['usage'];
    const choice = Array.isArray(event['choices']) ? (event['choices'][0] as unknown) : undefined;
    if (!isObj(choice)) return;
    if (typeof choice['finish_reason'] === 'string') this.answer.stop_reason = choice['finish_reason'];
    if (isObj(choice['delta'])) this.#delta(choice['delta']);
  }

  #delta(delta: Obj): void {
    this.answer.message ??= { role: 'assistant', content: null };
    const { message } = this.answer;
    for (const [key, value] of Object.entries(delta)) {
      if (key === 'role' || value == null) continue;
      if (key === 'tool_calls') this.#take(value);
      else if (typeof value === 'string') grow(message, key, value);
      else this.answer.unknown = true;
    }
    if (this.#calls.size > 0)
      message['tool_calls'] = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call);
  }

  #take(pieces: unknown): void {
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      if (!isObj(piece)) continue;
      const index = Number(piece['index'] ?? 0);
      const call = this.#calls.get(index) ?? {
        id: '',
        type: 'function',
        function: { name: '', arguments: '' },
      };
      this.#calls.set(index, call);
      if (typeof piece['id'] === 'string') call['id'] = piece['id'];
      const told = piece['function'];
      if (!isObj(told)) continue;
      grow(call['function'] as Obj, 'name', told['name']);
      grow(call['function'] as Obj, 'arguments', told['arguments']);
    }
  }
}

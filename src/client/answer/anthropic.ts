// The message of an Anthropic stream, block by block (PV-A53): text, inputs, thinking, signatures, citations, compaction.

import type { Answer, AnswerReader } from './answer.js';
import { grow, isObj, type Obj } from './object.js';

/** Reports that a message carries at its start and again, in their last form, at its end. */
const REPORTS = ['context_management', 'diagnostics', 'input_transformations'] as const;

export class AnthropicAnswer implements AnswerReader {
  readonly answer: Answer = { complete: false, unknown: false };
  readonly #blocks: Obj[] = [];
  readonly #inputs = new Map<Obj, string>();

  take(event: unknown): void {
    if (!isObj(event)) return;
    switch (event['type']) {
      case 'message_start':
        this.#start(event['message']);
        break;
      case 'content_block_start':
        if (isObj(event['content_block']))
          this.#blocks[Number(event['index'])] = { ...event['content_block'] };
        break;
      case 'content_block_delta':
        this.#delta(this.#blocks[Number(event['index'])], event['delta']);
        break;
      case 'content_block_stop':
        this.#stop(this.#blocks[Number(event['index'])]);
        break;
      case 'message_delta':
        this.#end(event);
        break;
      case 'message_stop':
        this.answer.complete = true;
        break;
      case 'error':
        this.answer.error = event['error'];
        break;
      case 'ping':
        break;
      default:
        this.answer.unknown = true;
    }
  }

  #start(message: unknown): void {
    if (!isObj(message)) return;
    if (isObj(message['usage'])) this.answer.usage = message['usage'];
    this.answer.message = { role: 'assistant', content: this.#blocks };
    this.#reports(message);
  }

  #delta(block: Obj | undefined, delta: unknown): void {
    if (block === undefined || !isObj(delta)) return;
    switch (delta['type']) {
      case 'text_delta':
        grow(block, 'text', delta['text']);
        break;
      case 'thinking_delta':
        grow(block, 'thinking', delta['thinking']);
        break;
      case 'signature_delta':
        grow(block, 'signature', delta['signature']);
        break;
      case 'input_json_delta':
        this.#inputs.set(block, (this.#inputs.get(block) ?? '') + String(delta['partial_json'] ?? ''));
        break;
      case 'citations_delta':
        block['citations'] = [
          ...(Array.isArray(block['citations']) ? block['citations'] : []),
          delta['citation'],
        ];
        break;
      case 'compaction_delta': {
        // One delta holds the whole of it, its encrypted fields too.
        const { type: _, ...fields } = delta;
        Object.assign(block, fields);
        break;
      }
      default:
        this.answer.unknown = true;
    }
  }

  #stop(block: Obj | undefined): void {
    const text = block === undefined ? undefined : this.#inputs.get(block);
    if (block === undefined || text === undefined) return;
    if (text !== '') block['input'] = JSON.parse(text) as unknown;
    this.#inputs.delete(block);
  }

  #end(event: Obj): void {
    const { delta, usage } = event;
    if (isObj(delta) && typeof delta['stop_reason'] === 'string')
      this.answer.stop_reason = delta['stop_reason'];
    if (isObj(usage)) this.answer.usage = { ...this.answer.usage, ...usage };
    this.#reports(event);
  }

  #reports(from: Obj): void {
    for (const key of REPORTS) if (from[key] != null) this.answer[key] = from[key];
  }
}

// A fake Anthropic Messages endpoint, written from PROVIDERS.md alone: it refuses what the real one refuses, keeps a prompt
// cache, binds thinking to its prefix on AB models and reports usage in the provider's own shape.

import { headerRules } from '../rules/anthropic-request.js';
import { checkRequest } from '../rules/check.js';
import { nativeRules } from '../rules/native.js';
import { anthropicProfile, type RuleProfile } from '../rules/profile.js';
import { isObj, num, type Obj, objs, str } from '../types.js';
import { useCache } from './anthropic-cache.js';
import { bill, type PriceRow, type Spent } from './bill.js';
import { Binding } from './binding.js';
import { requestSize, sizeOf } from './count.js';
import { editNatively } from './native-edits.js';
import { PromptCache } from './prompt-cache.js';
import type { FakeReply, Headers } from './reply.js';

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';
const OPUS_PRICES: PriceRow = { input: 5, write5m: 6.25, write1h: 10, read: 0.5, output: 25 };

export interface FakeAnthropicOptions {
  now?: () => number;
  prices?: PriceRow;
  /** Accounts from before the enforcement (PV-A27) say false. */
  enforceBinding?: boolean;
  window?: number;
  profile?: (model: string) => RuleProfile;
  /** Content of the answer, its thinking aside. */
  answer?: (request: Obj) => { content: Obj[]; stop_reason: string };
}

interface BindingResult {
  reply?: FakeReply;
  /** Index of the first message whose thinking is dropped. */
  dropFrom?: number;
  transformations: Obj[];
}

export class FakeAnthropic {
  readonly requests: Obj[] = [];
  readonly spent: Spent[] = [];
  readonly #cache: PromptCache;
  readonly #binding = new Binding();
  readonly #o: FakeAnthropicOptions;
  #id = 1;

  constructor(o: FakeAnthropicOptions = {}) {
    this.#o = o;
    this.#cache = new PromptCache(o.now ?? Date.now);
  }

  /** Cost of all answered requests in USD. */
  get cost(): number {
    return this.spent.reduce((n, s) => n + bill(s, this.#o.prices ?? OPUS_PRICES), 0);
  }

  /** POST /v1/messages. */
  messages(body: string, headers: Headers = {}): FakeReply {
    const request = parse(body);
    if (request === undefined) return refuse('request body is not valid JSON');
    const refused = this.#refused(request, headers);
    if (refused !== undefined) return refused;
    const bound = this.#bound(request, headers);
    if (bound.reply !== undefined) return bound.reply;
    return this.#answer(request, bound);
  }

  /** POST /v1/messages/count_tokens: the same checks, no cache, no answer. */
  countTokens(body: string, headers: Headers = {}): FakeReply {
    const request = parse(body);
    if (request === undefined) return refuse('request body is not valid JSON');
    const refused = this.#refused(request, headers) ?? this.#bound(request, headers).reply;
    if (refused !== undefined) return refused;
    const { request: edited } = editNatively(request);
    const original = requestSize(request);
    return {
      status: 200,
      body: {
        input_tokens: requestSize(edited),
        ...(request['context_management'] === undefined
          ? {}
          : { context_management: { original_input_tokens: original } }),
      },
    };
  }

  #profile(request: Obj): RuleProfile {
    return (this.#o.profile ?? anthropicProfile)(String(request['model']));
  }

  #refused(request: Obj, headers: Headers): FakeReply | undefined {
    const { thread } = request;
    if (isObj(thread) && thread['type'] === 'continue') return refuseThread();
    // The server judges thinking by its own signatures, not by what the client sent before.
    const violation = [
      ...checkRequest(request, { ...this.#profile(request), modelClass: 'AF' }),
      ...nativeRules(request, headers['anthropic-beta'] ?? ''),
      ...headerRules(request, headers['anthropic-beta'] ?? ''),
    ][0];
    if (violation !== undefined)
      return refuse(`${dotted(violation.path)}: ${violation.message}`, violation.rule);
    const size = requestSize(request);
    const window = this.#o.window ?? 200_000;
    return size > window ? refuse(`prompt is too long: ${size} tokens > ${window} maximum`) : undefined;
  }

  #bound(request: Obj, headers: Headers): BindingResult {
    const none = { transformations: [] };
    const beta = (headers['anthropic-beta'] ?? '').includes(BINDING_BETA);
    const thinking = isObj(request['thinking']) ? request['thinking'] : {};
    const control = thinking['block_binding'];
    if (control !== undefined && !beta) {
      return { ...none, reply: refuse('thinking.block_binding: Extra inputs are not permitted', 'PV-A28') };
    }
    if (this.#profile(request).modelClass !== 'AB') return none;
    const fault = this.#binding.fault(request);
    if (fault === undefined) return none;
    if (fault.forged) {
      return {
        ...none,
        reply: refuse(`${dotted(fault.path)}: Invalid signature in thinking block`, 'PV-A22'),
      };
    }
    const behaviour = isObj(control) ? control['prefix_mismatch_behavior'] : undefined;
    const told = (type: string): Obj[] =>
      beta ? [{ type, path: dotted(fault.path), reason: 'prefix_binding_mismatch' }] : [];
    if (behaviour === 'drop_block') {
      if (thinking['type'] !== 'adaptive' && thinking['type'] !== 'enabled') {
        return { ...none, reply: refuse('thinking.block_binding needs thinking to be on', 'PV-A28') };
      }
      return { dropFrom: fault.message, transformations: told('thinking_dropped') };
    }
    if (this.#o.enforceBinding === false && behaviour === undefined) {
      return { transformations: told('thinking_mismatch_allowed') };
    }
    const text = 'Invalid signature in thinking block, the block is bound to a different conversation';
    return { ...none, reply: refuse(`${dotted(fault.path)}: ${text}`, 'PV-A25') };
  }

  #answer(request: Obj, bound: BindingResult): FakeReply {
    const kept = bound.dropFrom === undefined ? request : withoutThinking(request, bound.dropFrom);
    const { request: sent, applied } = editNatively(kept);
    const profile = this.#profile(request);
    const used = useCache(this.#cache, sent, profile.minCacheTokens);
    const answer = this.#o.answer?.(request) ?? {
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
    };
    const thinks = profile.modelClass === 'AB' || isObj(request['thinking']);
    const content = thinks
      ? [{ type: 'thinking', thinking: '', signature: this.#binding.issue(kept) }, ...answer.content]
      : answer.content;
    const output = Math.min(sizeOf(answer.content), num(request['max_tokens']) ?? Number.MAX_SAFE_INTEGER);
    this.requests.push(request);
    this.spent.push({ ...used, output });
    return {
      status: 200,
      body: {
        id: `msg_${this.#id++}`,
        type: 'message',
        role: 'assistant',
        model: str(request['model']) ?? '',
        content,
        stop_reason: answer.stop_reason,
        stop_sequence: null,
        ...(request['context_management'] === undefined
          ? {}
          : { context_management: { applied_edits: applied } }),
        ...(bound.transformations.length > 0 ? { input_transformations: bound.transformations } : {}),
        usage: {
          input_tokens: used.uncached,
          cache_creation_input_tokens: used.write5m + used.write1h,
          cache_creation: {
            ephemeral_5m_input_tokens: used.write5m,
            ephemeral_1h_input_tokens: used.write1h,
          },
          cache_read_input_tokens: used.read,
          output_tokens: output,
        },
      },
    };
  }
}

function withoutThinking(request: Obj, from: number): Obj {
  const messages = objs(request['messages']).map((m, i) =>
    i < from || !Array.isArray(m['content'])
      ? m
      : { ...m, content: objs(m['content']).filter((b) => !/thinking$/.test(String(b['type']))) },
  );
  return { ...request, messages };
}

function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.');
}

function parse(body: string): Obj | undefined {
  try {
    const v: unknown = JSON.parse(body);
    return isObj(v) ? v : undefined;
  } catch {
    return undefined;
  }
}

function refuse(message: string, rule?: string): FakeReply {
  return {
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_fake' },
    ...(rule === undefined ? {} : { rule }),
  };
}

/** PV-A37: on this answer a client sends everything again and stops threading. */
function refuseThread(): FakeReply {
  const error = {
    type: 'invalid_request_error',
    message: 'thread: this request cannot be continued',
    details: { error_code: 'thread_unsupported_request' },
  };
  return { status: 400, body: { type: 'error', error, request_id: 'req_fake' }, rule: 'PV-A37' };
}

// Fake OpenAI endpoints (Chat Completions and Responses), written from PROVIDERS.md alone.
import { checkRequest } from '../rules/check.js';
import { responsesFieldRules } from '../rules/native.js';
import { chatProfile, type RuleProfile, responsesProfile } from '../rules/profile.js';
import { isObj, type Obj, str } from '../types.js';
import { bill, type PriceRow, type Spent } from './bill.js';
import { sizeOf } from './count.js';
import { breakpointCache, type OpenAiUsage, stepCache } from './openai-cache.js';
import { PromptCache } from './prompt-cache.js';
import type { FakeReply } from './reply.js';

/** 5 to 10 minutes in memory on older models, 30 minutes from 5.6 on (PV-C10, C11). */
const STEP_TTL_MS = 300_000;
const BREAKPOINT_TTL_MS = 1_800_000;
const GPT_5_4: PriceRow = {
  input: 2.5,
  write5m: 2.5,
  write1h: 2.5,
  read: 0.25,
  output: 15,
  tierLimit: 272_000,
  tierInput: 2,
  tierOutput: 1.5,
};

export interface FakeOpenAiOptions {
  now?: () => number;
  prices?: PriceRow;
  window?: number;
  /** A strict chat template (PV-S). */
  template?: Partial<Pick<RuleProfile, 'alternation' | 'singleSystem'>>;
  answer?: (request: Obj) => Obj[];
}

export class FakeOpenAi {
  readonly requests: Obj[] = [];
  readonly spent: Spent[] = [];
  readonly #cache: PromptCache;
  readonly #o: FakeOpenAiOptions;
  #id = 1;
  /** Ids that a chain may go on from. */
  readonly #responses = new Set<string>();

  constructor(o: FakeOpenAiOptions = {}) {
    this.#o = o;
    this.#cache = new PromptCache(o.now ?? Date.now);
  }

  get cost(): number {
    return this.spent.reduce((n, s) => n + bill(s, this.#o.prices ?? GPT_5_4), 0);
  }

  /** POST /v1/chat/completions. */
  chat(body: string): FakeReply {
    const request = parse(body);
    if (request === undefined) return refuse('We could not parse the JSON body of your request.');
    const refused = this.#refused(request, chatProfile(this.#o.template));
    if (refused !== undefined) return refused;
    const usage = this.#use(request);
    const message = this.#o.answer?.(request)[0] ?? { role: 'assistant', content: 'ok' };
    const output = this.#record(request, usage, message);
    const calls = Array.isArray(message['tool_calls']);
    return {
      status: 200,
      body: {
        id: `chatcmpl-${this.#id++}`,
        object: 'chat.completion',
        model: str(request['model']) ?? '',
        choices: [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }],
        usage: {
          prompt_tokens: usage.prompt,
          completion_tokens: output,
          total_tokens: usage.prompt + output,
          prompt_tokens_details: { cached_tokens: usage.cached, ...written(request, usage) },
        },
      },
    };
  }

  /** POST /v1/responses with full input. */
  responses(body: string): FakeReply {
    const request = parse(body);
    if (request === undefined) return refuse('We could not parse the JSON body of your request.');
    const fields = responsesFieldRules(request)[0];
    if (fields !== undefined) return refuse(fields.message, fields.rule, param(fields.path));
    const previous = request['previous_response_id'];
    if (previous !== undefined && !this.#responses.has(String(previous))) {
      const text = `Previous response with id '${String(previous)}' not found.`;
      return refuse(text, 'PV-R8', 'previous_response_id', 'previous_response_not_found');
    }
    const refused = this.#refused(request, responsesProfile(request['store'] !== false));
    if (refused !== undefined) return refused;
    const usage = this.#use(request);
    const items = this.#o.answer?.(request) ?? [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
    ];
    const output = this.#record(request, usage, items);
    const id = `resp_${this.#id++}`;
    if (request['store'] !== false) this.#responses.add(id);
    return {
      status: 200,
      body: {
        id,
        object: 'response',
        status: 'completed',
        output: items,
        usage: {
          input_tokens: usage.prompt,
          input_tokens_details: { cached_tokens: usage.cached, ...written(request, usage) },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.prompt + output,
        },
      },
    };
  }

  #refused(request: Obj, p: RuleProfile): FakeReply | undefined {
    const violation = checkRequest(request, p)[0];
    if (violation !== undefined) return refuse(violation.message, violation.rule, param(violation.path));
    const size = sizeOf(request['messages'] ?? request['input']) + sizeOf(request['tools']);
    const window = this.#o.window ?? 400_000;
    if (size <= window) return undefined;
    const text = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${size} tokens.`;
    return refuse(text, undefined, null, 'context_length_exceeded');
  }

  #use(request: Obj): OpenAiUsage {
    return exactModel(request)
      ? breakpointCache(this.#cache, request, BREAKPOINT_TTL_MS)
      : stepCache(this.#cache, request, STEP_TTL_MS);
  }

  #record(request: Obj, usage: OpenAiUsage, answer: unknown): number {
    const output = sizeOf(answer);
    this.requests.push(request);
    this.spent.push({
      uncached: usage.prompt - usage.cached - usage.written,
      write5m: usage.written,
      write1h: 0,
      read: usage.cached,
      output,
    });
    return output;
  }
}

/** GPT-5.6 and later cache at exact breakpoints. */
function exactModel(request: Obj): boolean {
  const m = /^gpt-(\d+)(?:\.(\d+))?/.exec(String(request['model']));
  if (m === null) return false;
  const [major, minor] = [Number(m[1]), Number(m[2] ?? 0)];
  return major > 5 || (major === 5 && minor >= 6);
}

function written(request: Obj, usage: OpenAiUsage): Obj {
  return exactModel(request) ? { cache_write_tokens: usage.written } : {};
}

/** `/messages/3/content` as `messages.[3].content`. */
function param(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '.[$1]')
    .replaceAll('/', '.');
}

function parse(body: string): Obj | undefined {
  try {
    const v: unknown = JSON.parse(body);
    return isObj(v) ? v : undefined;
  } catch {
    return undefined;
  }
}

function refuse(
  message: string,
  rule?: string,
  at: string | null = null,
  code: string | null = null,
): FakeReply {
  return {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: at, code } },
    ...(rule === undefined ? {} : { rule }),
  };
}

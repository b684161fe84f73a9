// Logs of a provider's API: one request with its response a line. Each request carries the whole history again; requests
// that start with the messages of an earlier one are one session.
import { createHash } from 'node:crypto';
import { sliceValue, sliceValues } from '../../json/index.js';
import { Native } from '../../json/native.js';
import type { Format } from '../../providers/types.js';
import { classesOfUsage } from '../usage-report.js';
import {
  isJson,
  type Json,
  type LoggedRequest,
  type LoggedSession,
  type LogShape,
  nativeOf,
  stringOf,
  timeOf,
} from './logged.js';

const REQUESTS = ['request', 'req', 'request_body', 'requestBody'] as const;
const RESPONSES = ['response', 'res', 'response_body', 'responseBody'] as const;
/** Conversations that are followed at once. The one untouched longest is closed first. */
const OPEN = 64;

interface Body {
  value: Json;
  text: string;
}

export class RequestLog implements LogShape {
  readonly #open = new Map<number, Followed>();
  /** Newest conversation by the hash of its first message. */
  #count = 0;
  #done: LoggedSession[] = [];

  static knows(v: Json): boolean {
    return REQUESTS.some((k) => k in v) && RESPONSES.some((k) => k in v);
  }

  take(v: Json, text: string): boolean {
    const request = bodyOf(v, text, REQUESTS);
    if (request === undefined) return false;
    const response = bodyOf(v, text, RESPONSES);
    const format = formatOf(request.value, response?.value);
    if (format === undefined) return false;
    const messages = messagesOf(request, format);
    if (messages === undefined) return false;
    // A request that failed cost nothing and changed nothing.
    if (response === undefined || isJson(response.value['error'])) return response !== undefined;
    const answer = answerOf(response, format);
    if (answer === undefined) return false;
    this.#follow(v, request.value, response.value, format, messages, answer);
    return true;
  }

  drain(): LoggedSession[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  end(): void {
    for (const f of this.#open.values()) this.#done.push(f.session);
    this.#open.clear();
  }

  #follow(
    v: Json,
    request: Json,
    response: Json,
    format: Format,
    messages: Native[],
    answer: Native[],
  ): void {
    const signs = messages.map(signOf);
    const named = sessionName(v, request);
    let found: [number, Followed] | undefined;
    for (const entry of this.#open) if (entry[1].goesOn(format, named, signs)) found = entry;
    const known = found?.[1];
    if (found !== undefined) this.#open.delete(found[0]);
    const model = stringOf(response['model']) ?? stringOf(request['model']);
    const at = timeOf(v['timestamp'] ?? v['ts'] ?? v['time'] ?? v['created_at'] ?? response['created']);
    const usage = classesOfUsage(format, response['usage']);
    const logged: LoggedRequest = {
      carried: messages.length,
      answer: answer.length,
      ...(at === undefined ? {} : { at }),
      ...(model === undefined ? {} : { model }),
      ...(usage === undefined ? {} : { usage }),
    };
    const system = nativeOf(format === 'openai-responses' ? request['instructions'] : request['system']);
    const tools = nativeOf(request['tools']);
    const id = named ?? `request-${++this.#count}`;
    const next =
      known ??
      new Followed(named, {
        id,
        // A history that was rewritten in the middle continues its session in another context.
        isPart: named !== undefined && [...this.#open.values()].some((f) => f.name === named),
        format,
        ...(model === undefined ? {} : { model }),
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
        messages: [],
        attached: 0,
        requests: [],
      });
    next.add(messages, signs, answer, logged);
    this.#open.set(found?.[0] ?? ++this.#count, next);
    if (this.#open.size <= OPEN) return;
    const [oldest, least] = this.#open.entries().next().value!;
    this.#done.push(least.session);
    this.#open.delete(oldest);
  }
}

/** A conversation that later requests may go on with. */
class Followed {
  readonly name: string | undefined;
  readonly session: LoggedSession;
  #signs: string[] = [];

  constructor(name: string | undefined, session: LoggedSession) {
    this.name = name;
    this.session = session;
  }

  /** Do the messages start with everything that was sent so far? Answers may come back written otherwise. */
  goesOn(format: Format, name: string | undefined, signs: readonly string[]): boolean {
    const sent = this.#signs;
    if (this.name !== name || this.session.format !== format || signs.length < sent.length) return false;
    return sent.length > 0 && sent.every((s, i) => s === signs[i]);
  }

  add(messages: readonly Native[], signs: readonly string[], answer: Native[], request: LoggedRequest): void {
    const { session } = this;
    const before = session.requests.at(-1);
    const kept = before?.carried ?? 0;
    // A repeated request asks the same again: what it answered takes the place of the earlier answer.
    session.messages.length = Math.min(session.messages.length, kept);
    session.messages.push(...messages.slice(kept), ...answer);
    if (before !== undefined && messages.length > kept) {
      // The answer as it came back is what the history holds from here on.
      before.answer = Math.min(before.answer, messages.length - kept);
    } else if (before !== undefined) {
      before.answer = 0;
    }
    session.requests.push(request);
    this.#signs = [...signs];
  }
}

function bodyOf(v: Json, text: string, names: readonly string[]): Body | undefined {
  const name = names.find((n) => n in v);
  if (name === undefined) return undefined;
  const whole = v[name];
  if (typeof whole === 'string') return parsed(whole);
  if (!isJson(whole)) return undefined;
  const inner = whole['body'];
  if (typeof inner === 'string') return parsed(inner);
  if (isJson(inner)) return { value: inner, text: sliceValue(text, [name, 'body']) ?? JSON.stringify(inner) };
  return { value: whole, text: sliceValue(text, [name]) ?? JSON.stringify(whole) };
}

function parsed(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? { value, text } : undefined;
  } catch {
    return undefined;
  }
}

function formatOf(request: Json, response: Json | undefined): Format | undefined {
  if ('input' in request && !('messages' in request)) return 'openai-responses';
  if (!Array.isArray(request['messages'])) return undefined;
  if (response !== undefined && Array.isArray(response['choices'])) return 'openai-chat';
  if (response !== undefined && Array.isArray(response['content'])) return 'anthropic';
  const model = String(request['model'] ?? '');
  return 'system' in request || model.includes('claude') ? 'anthropic' : 'openai-chat';
}

function messagesOf(request: Body, format: Format): Native[] | undefined {
  const key = format === 'openai-responses' ? 'input' : 'messages';
  const given = request.value[key];
  if (format === 'openai-responses' && typeof given === 'string')
    return [new Native(JSON.stringify({ role: 'user', content: given }))];
  if (!Array.isArray(given) || !given.every(isJson)) return undefined;
  const texts = sliceValues(request.text, [key]) ?? [];
  return texts.map((t, i) => new Native(t, given[i]));
}

/** Messages as they would stand in the next request. */
function answerOf(response: Body, format: Format): Native[] | undefined {
  const { value, text } = response;
  if (format === 'anthropic') {
    const content = sliceValue(text, ['content']);
    return Array.isArray(value['content'])
      ? [new Native(`{"role":"assistant","content":${content ?? '[]'}}`)]
      : undefined;
  }
  if (format === 'openai-chat') {
    const message = sliceValue(text, ['choices', 0, 'message']);
    return message === undefined ? undefined : [new Native(message)];
  }
  return sliceValues(text, ['output'])?.map((t) => new Native(t));
}

/** Hash of a message without its cache marks, which move from request to request. */
function signOf(message: Native): string {
  const bare = message.text.includes('"cache_control"')
    ? JSON.stringify(message.value, (k, v: unknown) => (k === 'cache_control' ? undefined : v))
    : JSON.stringify(message.value);
  return createHash('sha1').update(bare).digest('base64');
}

function sessionName(v: Json, request: Json): string | undefined {
  const meta = isJson(request['metadata']) ? request['metadata'] : {};
  for (const from of [v, meta])
    for (const key of ['session', 'session_id', 'sessionId', 'conversation_id', 'thread_id']) {
      const name = stringOf(from[key]);
      if (name !== undefined) return name;
    }
  return undefined;
}

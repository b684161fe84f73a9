// Asks a model over HTTP: the Anthropic Messages API, or Chat Completions as OpenAI and compatible servers speak it. The
// key comes from the environment or a file that only its owner can read; it is in no message, no log and no error.

import { readFileSync, statSync } from 'node:fs';
import { fetch } from 'undici';
import { CuratedError } from '../errors.js';
import type { ModelAnswer } from './answer.js';
import { wellFormed } from './escape.js';
import type { Complete, CompletionRequest } from './model.js';
import { HttpFailure } from './retryable.js';

export interface HttpOptions {
  api: 'anthropic' | 'openai-chat';
  /** Base address, with or without the API's path. */
  url: string;
  model: string;
  /** Gives the key, or undefined for servers that want none. Asked at each call, so that a new key is used at once. */
  key(): string | undefined;
}

/** A key out of an environment variable; `<name>_FILE` names a file instead, which must be 0600 or stricter. */
export function keyFrom(name: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (name === undefined) return undefined;
  const direct = env[name];
  if (direct !== undefined && direct !== '') return direct;
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') return undefined;
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0) throw new CuratedError('CONFIG', `${path} can be read by others; chmod 600 it`);
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new CuratedError('CONFIG', `${path} belongs to another user`);
  return readFileSync(path, 'utf8').trim();
}

function endpoint(o: HttpOptions): string {
  const base = o.url.replace(/\/+$/, '');
  const path = o.api === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
  const known = path.slice('/v1'.length);
  if (base.endsWith(known)) return base;
  return base.endsWith('/v1') ? `${base}${known}` : `${base}${path}`;
}

function headers(o: HttpOptions): Record<string, string> {
  const key = o.key();
  const common = { 'content-type': 'application/json' };
  if (o.api === 'anthropic')
    return {
      ...common,
      'anthropic-version': '2023-06-01',
      ...(key === undefined ? {} : { 'x-api-key': key }),
    };
  return { ...common, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
}

function bodyOf(o: HttpOptions, r: CompletionRequest): unknown {
  const user = { role: 'user', content: r.user };
  return o.api === 'anthropic'
    ? { model: o.model, max_tokens: r.maxTokens, system: r.system, messages: [user] }
    : {
        model: o.model,
        max_tokens: r.maxTokens,
        messages: [{ role: 'system', content: r.system }, user],
        stream: false,
      };
}

/** Bytes of an answer that are read at most: no summary is that long. */
const MAX_BYTES = 8 * 1024 * 1024;

export function httpComplete(o: HttpOptions): Complete {
  return async (request, signal) => {
    const response = await fetch(endpoint(o), {
      method: 'POST',
      headers: headers(o),
      body: JSON.stringify(bodyOf(o, request)),
      signal,
      redirect: 'error',
    });
    const text = await response.text();
    if (text.length > MAX_BYTES) throw new HttpFailure(200, 'the answer is too long');
    if (!response.ok) throw new HttpFailure(response.status, failureText(response.status, text));
    return answerOf(o.api, JSON.parse(text));
  };
}

function failureText(status: number, text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown; type?: unknown } | string };
    const message = typeof error === 'string' ? error : error?.message;
    const type = typeof error === 'object' ? `${String(error?.type ?? '')}: ` : '';
    if (typeof message === 'string') return `${status} ${type}${wellFormed(message.slice(0, 500))}`;
  } catch {
    // Not JSON: the status says enough.
  }
  return `${status}`;
}

function answerOf(api: HttpOptions['api'], value: unknown): ModelAnswer {
  const v = (value ?? {}) as Record<string, unknown>;
  if (api === 'anthropic') {
    const blocks = Array.isArray(v['content']) ? (v['content'] as { type?: string; text?: string }[]) : [];
    return {
      text: blocks.map((b) => (b?.type === 'text' ? (b.text ?? '') : '')).join(''),
      stopReason: typeof v['stop_reason'] === 'string' ? v['stop_reason'] : null,
      toolCalls: blocks.some((b) => b?.type === 'tool_use'),
    };
  }
  const choice = (Array.isArray(v['choices']) ? v['choices'][0] : undefined) as
    | { finish_reason?: unknown; message?: { content?: unknown; refusal?: unknown; tool_calls?: unknown } }
    | undefined;
  const { message } = choice ?? {};
  const refused = typeof message?.refusal === 'string' && message.refusal !== '';
  return {
    text: typeof message?.content === 'string' ? message.content : '',
    stopReason: refused ? 'refusal' : typeof choice?.finish_reason === 'string' ? choice.finish_reason : null,
    toolCalls: Array.isArray(message?.tool_calls) && message.tool_calls.length > 0,
  };
}

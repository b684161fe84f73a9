// The request as the agent gets it: texts put together, nothing decided. Pure.

import { pointer, RawJson } from '../json/index.js';
import type { Rendering } from './rendering.js';
import type { SessionState } from './state.js';

/** Texts of a request's three parts; `messages` is a JSON array. */
export interface RequestText {
  system?: string;
  tools?: string;
  messages: string;
}

/** System as a field of the request: openai-chat has it as the first message instead. */
export function systemText(state: SessionState): string | undefined {
  return state.format === 'openai-chat' ? undefined : state.system?.native.text;
}

export function requestText(state: SessionState, rendering: Rendering): RequestText {
  const system = systemText(state);
  const tools = toolsText(state);
  return {
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    messages: `[${rendering.pieces.map((_, i) => rendering.textOf(i)).join(',')}]`,
  };
}

/** The listed tools: what the host sent, less what is hidden, byte for byte; undefined when none is left. */
export function toolsText(state: SessionState): string | undefined {
  return state.toolList.text();
}

export function requestJson(text: RequestText): RawJson {
  const fields: string[] = [];
  if (text.system !== undefined) fields.push(`"system":${text.system}`);
  if (text.tools !== undefined) fields.push(`"tools":${text.tools}`);
  fields.push(`"messages":${text.messages}`);
  return new RawJson(`{${fields.join(',')}}`);
}

/** sha256 of the request, as `llm.prepare` reports it. */
export function requestHash(state: SessionState, rendering: Rendering): string {
  return rendering.digest(systemText(state), toolsText(state));
}

/** Places of cache marks in the request as it goes out. */
export function breakpoints(
  rendering: Rendering,
  system: string | undefined,
  tools: string | undefined,
): { path: string; ttl: string }[] {
  const found: { path: string; ttl: string }[] = [];
  if (tools?.includes('"cache_control"')) found.push({ path: '/tools', ttl: ttlOf(tools) });
  if (system?.includes('"cache_control"')) found.push({ path: '/system', ttl: ttlOf(system) });
  for (const { index, path, text } of rendering.marks()) {
    found.push({ path: `/messages/${index}${path}`, ttl: ttlOf(text) });
  }
  for (const mark of rendering.placed) {
    found.push({ path: `/messages/${rendering.ownIndexOf(mark.at)}${pointer(mark.path)}`, ttl: '5m' });
  }
  return found;
}

function ttlOf(text: string): string {
  return /"ttl"\s*:\s*"1h"/.test(text) ? '1h' : '5m';
}

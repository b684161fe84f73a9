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

export function requestText(state: SessionState, rendering: Rendering): RequestText {
  const system = rendering.statics.system(state);
  const tools = rendering.statics.tools(state);
  return {
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    messages: `[${rendering.pieces.map((_, i) => rendering.textOf(i)).join(',')}]`,
  };
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
  return rendering.digest(rendering.statics.system(state), rendering.statics.tools(state));
}

/** Places of cache marks in the request as it goes out. */
export function breakpoints(state: SessionState, rendering: Rendering): { path: string; ttl: string }[] {
  const system = rendering.statics.system(state);
  const tools = rendering.statics.tools(state);
  const found: { path: string; ttl: string }[] = [];
  const { marks } = rendering.statics;
  const own = (part: string, text: string | undefined): boolean =>
    text?.includes('"cache_control"') === true && !marks.some((m) => m.path[0] === part);
  if (own('tools', tools)) found.push({ path: '/tools', ttl: ttlOf(tools!) });
  if (own('system', system)) found.push({ path: '/system', ttl: ttlOf(system!) });
  for (const mark of marks) found.push({ path: pointer(mark.path), ttl: '5m' });
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

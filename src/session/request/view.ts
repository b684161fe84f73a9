// The request as the agent gets it: texts put together, nothing decided. Pure.

import { pointer, RawJson } from '../../json/index.js';
import { ttlOf } from '../marks/mark-memo.js';
import type { SessionState } from '../state/state.js';
import type { Rendering } from './rendering.js';

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
  const { marks, listed } = rendering.statics;
  const own = (part: 'system' | 'tools', text: string | undefined): void => {
    if (text === undefined || marks.some((m) => m.path[0] === part)) return;
    const ttl = listed[part].ttlIn(text);
    if (ttl !== undefined) found.push({ path: `/${part}`, ttl });
  };
  own('tools', tools);
  own('system', system);
  for (const mark of marks) found.push({ path: pointer(mark.path), ttl: '5m' });
  for (const { index, path, text } of rendering.marks()) {
    found.push({ path: `/messages/${index}${path}`, ttl: ttlOf(text) });
  }
  for (const mark of rendering.placed) {
    found.push({ path: `/messages/${rendering.ownIndexOf(mark.at)}${pointer(mark.path)}`, ttl: '5m' });
  }
  return found;
}

// What a session is opened with, and what its host changes later: model, system prompt, tools, recorded answers.

import { Native } from '../../json/native.js';
import { specOf } from '../../providers/spec.js';
import type { Payloads } from './events.js';
import type { SessionState, StaticPart } from './state.js';
import { ToolList } from './tool-list.js';

/** Recorded answers of idempotency keys that are kept a session; the oldest leave first. */
const KEYS_KEPT = 4096;

export function opened(state: SessionState, p: Payloads['session.opened']): void {
  state.status = 'open';
  state.format = p.format;
  state.spec = specOf(p.format);
  state.model = p.model;
  if (p.context_window !== undefined) state.contextWindow = p.context_window;
  if (p.max_output_tokens !== undefined) state.maxOutputTokens = p.max_output_tokens;
  if (p.project !== undefined) state.project = p.project;
  const system = staticPart(p.system, p.system_tokens, p.system_features, p.system_redactions);
  if (system !== undefined) state.system = system;
  const tools = staticPart(p.tools, p.tools_tokens, p.tools_features, p.tools_redactions, p._tools_each);
  if (tools !== undefined) setTools(state, tools, false);
  state.config = p.config;
  state.own = p.own ?? {};
  state.epoch = 1;
}

export function resumed(state: SessionState, p: Payloads['session.resumed']): void {
  state.status = 'open';
  state.epoch = p.epoch;
  if (p.model !== undefined) state.model = p.model;
}

/** Another configuration: what was only observed under the old one is forgotten. */
export function configured(state: SessionState, p: Payloads['session.config']): void {
  state.config = p.config;
  if (p.own !== undefined) state.own = p.own;
  state.calls.uncleared(new Set(state.ledger.dropObserved()));
  state.toolListObserved = ToolList.from(state.toolList);
}

export function systemSet(state: SessionState, p: Payloads['session.system']): void {
  state.staticChanged = state.sent.requests > 0;
  const system = staticPart(p.text, p.tokens, p.features, p.redactions);
  if (system === undefined) delete (state as Partial<SessionState>).system;
  else state.system = system;
}

export function toolsSet(state: SessionState, p: Payloads['session.tools']): void {
  const tools = staticPart(p.text, p.tokens, p.features, p.redactions, p._each);
  setTools(state, tools, p._keep_order === true);
}

/** A call was answered under its key. */
export function keyed(state: SessionState, p: Payloads['session.key']): void {
  state.held = state.held.filter((h) => h.key !== p.key);
  state.keys.set(p.key, {
    body: p.body,
    method: p.method,
    result: p.result,
    ...(p.request_seq === undefined ? {} : { requestSeq: p.request_seq }),
  });
  if (state.keys.size > KEYS_KEPT) state.keys.delete(state.keys.keys().next().value!);
}

function setTools(state: SessionState, tools: StaticPart | undefined, keepOrder: boolean): void {
  if (tools === undefined) delete (state as Partial<SessionState>).tools;
  else state.tools = tools;
  state.staticChanged = state.sent.requests > 0;
  for (const list of [state.toolList, state.toolListObserved]) list.replace(tools, keepOrder);
  const { seen } = state.toolFacts;
  for (const { key } of state.toolList.catalog) if (!seen.has(key)) seen.set(key, state.turn);
}

function staticPart(
  text: string | null | undefined,
  tokens: number | undefined,
  features: readonly number[] | undefined,
  redactions: number | undefined,
  each?: readonly number[],
): StaticPart | undefined {
  if (text == null) return undefined;
  return {
    native: new Native(text),
    tokens: tokens ?? 0,
    features: features ?? [],
    ...(redactions === undefined ? {} : { redacted: true as const }),
    ...(each === undefined ? {} : { each }),
  };
}

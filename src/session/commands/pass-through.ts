// Requests of an exempt kind (P-6): handed back as they came, journalled, no counter moved.

import { sha256 } from '../../hash.js';
import { canonicalize, RawJson } from '../../json/index.js';
import { estimate } from '../../tokens/estimator.js';
import { addFeatures, noFeatures } from '../../tokens/features.js';
import { measureSystem, measureTools } from '../../tokens/request-count.js';
import type { Draft } from '../commit.js';
import { measureAll, measured } from '../intake/intake.js';
import { breakpoints, requestHash, requestJson, requestText } from '../request/view.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { fitOf } from '../window/estimate.js';
import { toldWindow } from '../window/window.js';
import { type Prepared, type PrepareParams, type RequestTokens, tokensOf } from './prepared.js';

export async function passThrough(
  session: Session,
  p: PrepareParams,
  draft: Draft,
  kind: string,
): Promise<Prepared> {
  const { state, rendering } = session;
  rendering.sync(state);
  rendering.place([]);
  const own = p.messages ?? p.append;
  const given =
    own === undefined && p.system === undefined && p.tools === undefined ? undefined : givenText(session, p);
  const tokens = given === undefined ? tokensOf(session, p) : await tokensGiven(session, p);
  const request = given === undefined ? requestJson(requestText(state, rendering)) : new RawJson(given);
  const hash = given === undefined ? requestHash(state, rendering) : `sha256:${sha256(canonicalize(given))}`;
  draft.push(
    event('llm.request', {
      hash,
      request: 0,
      task_kind: kind,
      messages: own?.length ?? state.messages.length,
      tokens: 0,
      ...(given === undefined ? {} : { passthrough: given }),
    }),
  );
  return {
    turn: state.turn,
    seq: state.seq,
    ...(p.return === 'patch' && p.base === undefined
      ? {
          patch: {
            base_messages: own?.length ?? state.messages.length,
            ops: new RawJson(givenOps(session, p)),
          },
        }
      : { request }),
    hash,
    tokens,
    cache: {
      prefix_stable: true,
      recache_tokens: 0,
      breakpoints: given === undefined ? breakpoints(state, rendering) : [],
    },
    curated: [],
    pending: [],
    fits: true,
  };
}

function givenText({ state }: Session, p: PrepareParams): string {
  const fields: string[] = [];
  const messages = (p.messages ?? p.append ?? []).map((m) => m.text);
  // As in a curated request: openai-chat has the system prompt as the first message.
  if (p.system !== undefined && state.format === 'openai-chat')
    messages.unshift(`{"role":"system","content":${p.system.text}}`);
  else if (p.system !== undefined) fields.push(`"system":${p.system.text}`);
  if (p.tools !== undefined) fields.push(`"tools":${p.tools.text}`);
  fields.push(`"messages":[${messages.join(',')}]`);
  return `{${fields.join(',')}}`;
}

/** What makes the request of the agent's own `{system, tools, messages}`. */
function givenOps({ state }: Session, p: PrepareParams): string {
  if (p.system === undefined || state.format !== 'openai-chat') return '[]';
  const message = `{"role":"system","content":${p.system.text}}`;
  return `[{"op":"add","path":"/messages/0","value":${message}},{"op":"remove","path":"/system"}]`;
}

/** Tokens of what the call gave, not of the session's request: nothing of it is stored. */
async function tokensGiven(session: Session, p: PrepareParams): Promise<RequestTokens> {
  const { state } = session;
  const fixed = [];
  if (p.system !== undefined) fixed.push(await measured(session, measureSystem(p.system.value)));
  if (p.tools !== undefined)
    fixed.push(await measured(session, measureTools(p.tools.value as unknown[], state.format)));
  const messages = await measureAll(session, p.messages ?? p.append ?? []);
  const sum = (parts: readonly { tokens: number }[]) => parts.reduce((n, part) => n + part.tokens, 0);
  const features = [...fixed, ...messages].reduce((f, part) => addFeatures(f, part.features), noFeatures());
  const { tokens: estimated, p95 } = estimate({ ...fitOf(session), anchor: null }, features);
  const budget = session.budget(p.max_tokens);
  const all = sum(fixed) + sum(messages);
  return {
    raw: all,
    curated: all,
    static: sum(fixed),
    session: 0,
    volatile: sum(messages),
    estimated,
    p95,
    window: toldWindow(budget, session.settings),
    threshold: budget.threshold,
  };
}

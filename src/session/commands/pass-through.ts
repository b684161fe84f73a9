// Requests of an exempt kind (P-6): handed back as they came, journalled, no counter moved.

import { sha256 } from '../../hash.js';
import { canonicalize, RawJson } from '../../json/index.js';
import type { Draft } from '../commit.js';
import { event } from '../events.js';
import type { Session } from '../session.js';
import { breakpoints, requestHash, requestJson, requestText } from '../view.js';
import { type Prepared, type PrepareParams, tokensOf } from './prepared.js';

export function passThrough(session: Session, p: PrepareParams, draft: Draft, kind: string): Prepared {
  const { state, rendering } = session;
  rendering.sync(state);
  rendering.place([]);
  const own = p.messages ?? p.append;
  const given =
    own === undefined && p.system === undefined && p.tools === undefined ? undefined : givenText(p);
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
      ? { patch: { base_messages: own?.length ?? state.messages.length, ops: new RawJson('[]') } }
      : { request }),
    hash,
    tokens: tokensOf(session, p),
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

function givenText(p: PrepareParams): string {
  const fields: string[] = [];
  if (p.system !== undefined) fields.push(`"system":${p.system.text}`);
  if (p.tools !== undefined) fields.push(`"tools":${p.tools.text}`);
  fields.push(`"messages":[${(p.messages ?? p.append ?? []).map((m) => m.text).join(',')}]`);
  return `{${fields.join(',')}}`;
}

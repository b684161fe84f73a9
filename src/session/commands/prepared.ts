// The answer of llm.prepare: its shape, and the parts that every way of making it shares.

import type { Outcome } from '../../curation/stack.js';
import type { RawJson } from '../../json/index.js';
import type { Params } from '../../protocol/methods.js';
import { estimateRequest } from '../estimate.js';
import type { MessageHint } from '../events.js';
import { type Patch, patchOf } from '../patch.js';
import { patchFrom } from '../patch-from.js';
import type { ProjectedEvent } from '../project.js';
import { rawTokens, requestTokens, sectionTokens } from '../sections.js';
import type { Session } from '../session.js';
import { requestJson, requestText } from '../view.js';

export type PrepareParams = Params<'llm.prepare'> & { hintMap?: ReadonlyMap<number, MessageHint> };

/** Tokens of the request: stored, as it goes out, by section, and as the provider will count them. */
export interface RequestTokens {
  raw: number;
  curated: number;
  static: number;
  session: number;
  volatile: number;
  estimated: number;
  p95: number;
  window?: number;
  threshold: number;
}

export interface Prepared {
  turn: number;
  seq: number;
  request?: RawJson;
  patch?: Patch;
  hash: string;
  tokens: RequestTokens;
  cache: {
    prefix_stable: boolean;
    first_changed?: number;
    recache_tokens: number;
    breakpoints: { path: string; ttl: string }[];
  };
  curated: ProjectedEvent[];
  pending: Outcome['waiting'];
  violations?: { rule: string; path: string; message: string }[];
  /** Request fields of native edits, and the beta header values they need. */
  context_management?: unknown;
  truncation?: 'auto';
  betas?: string[];
  fits: true;
}

/** The form in which the request is asked for. */
export type Form = Pick<PrepareParams, 'return' | 'base'>;

export function body(session: Session, form: Form): { request?: RawJson; patch?: Patch } {
  const { state, rendering } = session;
  const { lastAnswer } = rendering;
  if (form.return === 'patch' && form.base === undefined)
    return { patch: patchOf(state, rendering, session.edits) };
  // An answer that is not held any more cannot be told by its differences: the whole request is right for every base.
  if (form.return === 'patch' && lastAnswer !== undefined && lastAnswer.hash === form.base)
    return { patch: patchFrom(lastAnswer, state, rendering) };
  return { request: requestJson(requestText(state, rendering)) };
}

export function tokensOf(session: Session, p: { max_tokens?: number | undefined }): RequestTokens {
  const { state, settings, rendering } = session;
  const overhead = settings.curated.fixedOverheadTokens;
  const sections = sectionTokens(state, rendering);
  const budget = session.budget(p.max_tokens);
  const estimated = estimateRequest(session);
  return {
    raw: rawTokens(state, overhead),
    curated: requestTokens(state, rendering, overhead),
    static: sections.static,
    session: sections.session,
    volatile: sections.volatile,
    estimated: estimated.tokens,
    p95: estimated.p95,
    ...(budget.window === undefined ? {} : { window: budget.window }),
    threshold: budget.threshold,
  };
}

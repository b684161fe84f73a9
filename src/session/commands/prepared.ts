// The answer of llm.prepare: its shape, and the parts that every way of making it shares.

import type { Outcome } from '../../curation/stack.js';
import type { Params } from '../../protocol/methods.js';
import type { RequestBody } from '../request/request-body.js';
import { rawTokens, requestTokens, toldTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import type { MessageHint } from '../state/events.js';
import type { ProjectedEvent } from '../state/project.js';
import { estimateRequest } from '../window/estimate.js';
import { toldWindow } from '../window/window.js';

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
  window: number;
  threshold: number;
}

export interface Prepared extends RequestBody {
  turn: number;
  seq: number;
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

export function tokensOf(session: Session, p: { max_tokens?: number | undefined }): RequestTokens {
  const { state, settings, rendering } = session;
  const overhead = settings.curated.fixedOverheadTokens;
  const sections = toldTokens(state, rendering);
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
    window: toldWindow(budget, settings),
    threshold: budget.threshold,
  };
}

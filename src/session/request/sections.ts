// Tokens of the request by section: static (system, definitions), session (what is ours), volatile (the rest). Pure.

import type { SessionState } from '../state/state.js';
import type { Rendering } from './rendering.js';

export interface SectionTokens {
  static: number;
  session: number;
  volatile: number;
  total: number;
}

export function sectionTokens(state: SessionState, rendering: Rendering): SectionTokens {
  const fixed =
    (state.system?.tokens ?? 0) + (state.tools?.tokens ?? 0) - listOf(state, rendering).hiddenTokens;
  const session = rendering.insertedTokens;
  const volatile = rendering.tokens - rendering.insertedTokens;
  return { static: fixed, session, volatile, total: fixed + session + volatile };
}

/**
 * The same as it is told: operator content is static wherever it stands, also as a message among the others. What decisions reckon
 * with is `sectionTokens`: there static is what stands before the messages.
 */
export function toldTokens(state: SessionState, rendering: Rendering): SectionTokens {
  const { static: fixed, session, volatile, total } = sectionTokens(state, rendering);
  const { systemTokens } = rendering;
  return { static: fixed + systemTokens, session, volatile: volatile - systemTokens, total };
}

function listOf(state: SessionState, rendering: Rendering) {
  return rendering.projected ? state.toolListObserved : state.toolList;
}

/** @param overhead tokens that the host adds out of our sight. What the view's tokens are with it: the number that budgets go by. */
export function requestTokens(state: SessionState, rendering: Rendering, overhead: number): number {
  return sectionTokens(state, rendering).total + overhead;
}

/** Tokens of what was stored, before any decision. */
export function rawTokens(state: SessionState, overhead: number): number {
  return (state.system?.tokens ?? 0) + (state.tools?.tokens ?? 0) + state.messageTokens + overhead;
}

// Window, reserve and threshold of a session: from what the host said, else from the model table (NS-2, NS-4, L5-1). Pure.

import { autoCompactThreshold, capabilitiesOf, DEFAULT_MAX_OUTPUT_TOKENS } from '../../economics/window.js';
import type { Settings } from '../../settings/types.js';
import type { SessionState } from '../state/state.js';

export interface Budget {
  /** Tokens; undefined when neither host nor table knows the model. */
  window: number | undefined;
  maxOutput: number;
  /** Tokens above which the request is over budget (B). */
  threshold: number;
  /** Tokens of the largest request that is not over budget: the formula's threshold itself, one less than the ratio's (L5-1). */
  most: number;
}

/** The window as it is told: where nobody knows it, what the gate takes for one (L5-1), for something must be reckoned with. */
export function toldWindow(budget: Budget, settings: Settings): number {
  return budget.window ?? settings.plugins.contextWindow.maxContextTokens;
}

/** @param maxTokens the answer's limit in this call, where the agent states one */
export function budgetOf(state: SessionState, settings: Settings, maxTokens?: number): Budget {
  const gate = settings.plugins.contextWindow;
  const ratio = Math.floor(gate.maxContextTokens * gate.triggerRatio);
  const known = capabilitiesOf(
    state.model,
    { contextWindow: state.contextWindow, maxOutputTokens: maxTokens ?? state.maxOutputTokens },
    settings.curated.models,
  );
  if (known === undefined) {
    const maxOutput = maxTokens ?? state.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
    return { window: undefined, maxOutput, threshold: ratio, most: ratio - 1 };
  }
  const formula = autoCompactThreshold(known.contextWindow, known.maxOutputTokens);
  const byRatio = gate.ratioGate && ratio <= formula;
  const threshold = byRatio ? ratio : formula;
  return {
    window: known.contextWindow,
    maxOutput: known.maxOutputTokens,
    threshold,
    most: byRatio ? ratio - 1 : formula,
  };
}

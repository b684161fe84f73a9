// Windows of models, output reserve and the compaction threshold (REQUIREMENTS NS-1, NS-2, NS-4, NS-5). Pure.

/** Largest part of the window kept free for a summary or an answer. */
export const SUMMARY_OUTPUT_TOKENS = 20_000;
/** Distance between the threshold and the reserve. */
export const COMPACTION_BUFFER_TOKENS = 13_000;
/** Flat price of an image in the estimate, where its provider's formula is unknown. */
export const IMAGE_TOKENS = 1_400;
/** Wrapping of a message. */
export const MESSAGE_TOKENS = 4;
/** Messages that a compaction keeps verbatim. */
export const RECENT_MESSAGES = 4;
/** Assumed where neither the client nor the table says. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 32_000;

/** R: tokens of the window reserved for output. */
export function outputReserve(window: number, maxOutput: number): number {
  return Math.min(maxOutput, SUMMARY_OUTPUT_TOKENS, Math.floor(window / 2));
}

/**
 * Compaction is due when a request has strictly more tokens than this (NS-3).
 * The quarter keeps a tiny reserve from giving a tiny threshold, the reserve itself a small window from giving none.
 */
export function autoCompactThreshold(window: number, maxOutput: number): number {
  const reserve = outputReserve(window, maxOutput);
  return Math.max(window - reserve - COMPACTION_BUFFER_TOKENS, reserve, Math.floor(window / 4));
}

export interface ModelWindowRow {
  contextWindow: number;
  maxOutputTokens?: number;
}

/** NS-4, by model prefix; an operator's own table goes first. */
const MODEL_WINDOWS: Readonly<Record<string, ModelWindowRow>> = {
  'claude-': { contextWindow: 200_000 },
  'gpt-5': { contextWindow: 128_000 },
  'gpt-4o': { contextWindow: 128_000 },
  'gpt-4.1': { contextWindow: 128_000 },
  'gpt-4-turbo': { contextWindow: 128_000 },
  o1: { contextWindow: 200_000 },
  o3: { contextWindow: 200_000 },
  o4: { contextWindow: 200_000 },
  'gpt-4': { contextWindow: 8_192 },
  'gpt-3.5': { contextWindow: 16_385 },
};

export interface Capabilities {
  contextWindow: number;
  maxOutputTokens: number;
  source: 'given' | 'operator' | 'table';
}

function longestPrefix(
  model: string,
  rows: Readonly<Record<string, ModelWindowRow>>,
): ModelWindowRow | undefined {
  let best: string | undefined;
  for (const prefix of Object.keys(rows)) {
    if (model.startsWith(prefix) && (best === undefined || prefix.length > best.length)) best = prefix;
  }
  return best === undefined ? undefined : rows[best];
}

/**
 * What the model can take: what the client said, else the operator's table, else ours, by longest prefix.
 * Undefined: unknown, the ratio gate decides (L5-1).
 */
export function capabilitiesOf(
  model: string,
  given: { contextWindow?: number | undefined; maxOutputTokens?: number | undefined } = {},
  operator: Readonly<Record<string, ModelWindowRow>> = {},
): Capabilities | undefined {
  const id = model.toLowerCase().replace(/^.*\//, '');
  const own = longestPrefix(id, operator);
  const row = own ?? longestPrefix(id, MODEL_WINDOWS);
  const window = given.contextWindow ?? row?.contextWindow;
  if (window === undefined) return undefined;
  return {
    contextWindow: window,
    maxOutputTokens: given.maxOutputTokens ?? row?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
    source: given.contextWindow !== undefined ? 'given' : own !== undefined ? 'operator' : 'table',
  };
}

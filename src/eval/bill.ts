// What a run of requests costs under the provider's cache, by src/economics' model: whatever the provider holds of an
// unchanged prefix is read, the rest is written or paid in full. The cache counts as always warm: recordings have no clock.
import {
  CACHE_RULES,
  type CacheRules,
  type CacheState,
  EMPTY_CACHE,
  lookupPrice,
  type Mark,
  NO_TOKENS,
  type PriceRow,
  predictCache,
  requestCost,
  type TokenClasses,
} from '../economics/index.js';
import type { Format, Profile } from '../providers/types.js';
import type { SeenRequest } from './request.js';

/** What a model's requests are priced by. `price` undefined: tokens only, never $0. */
export interface Tariff {
  model: string;
  rules: CacheRules;
  price: PriceRow | undefined;
}

/** Priced when a recording names no model. */
export const DEFAULT_MODEL: Readonly<Record<Format, string>> = {
  anthropic: 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5.4',
  'openai-responses': 'gpt-5.4',
};

/** @param at day of the prices, epoch ms */
export function tariffOf(profile: Profile, at: number): Tariff {
  const price = lookupPrice(profile.model, at);
  const openai =
    price === undefined || price.write5m > price.input ? CACHE_RULES.openai : CACHE_RULES.openaiOld;
  const base = profile.format === 'anthropic' ? CACHE_RULES.anthropic : openai;
  const rules = profile.modelClass === 'SH' ? CACHE_RULES.local : base;
  return { model: profile.model, rules: { ...rules, minTokens: profile.minCacheTokens }, price };
}

export class Bill {
  readonly #tariff: Tariff;
  #state: CacheState = EMPTY_CACHE;
  #last: SeenRequest | undefined;
  /** Requests whose messages, system or tools did not start with those of the request before. */
  breaks = 0;
  requests = 0;
  readonly total: TokenClasses = { ...NO_TOKENS };
  /** USD; undefined while the model has no price. */
  cost: number | undefined;

  constructor(tariff: Tariff) {
    this.#tariff = tariff;
    this.cost = tariff.price === undefined ? undefined : 0;
  }

  /** @param output tokens of the answer */
  add(request: SeenRequest, output: number): TokenClasses {
    const same = unchanged(this.#last, request);
    if (this.#last !== undefined && same.messages < this.#last.messages.length) this.breaks++;
    const positions = 2 + request.messages.reduce((n, m) => n + m.blocks, 0);
    const { classes, next } = predictCache(this.#state, this.#tariff.rules, {
      tokens: request.tokens,
      positions,
      unchangedPositions: same.positions,
      unchangedTokens: same.tokens,
      marks: this.#tariff.rules.kind === 'marks' ? marksOf(request, same, positions) : [],
    });
    this.#state = next;
    this.#last = request;
    this.requests++;
    const used = { ...classes, output };
    for (const key of Object.keys(this.total) as (keyof TokenClasses)[]) this.total[key] += used[key];
    if (this.#tariff.price !== undefined) this.cost = this.cost! + requestCost(this.#tariff.price, used);
    return used;
  }
}

interface Same {
  messages: number;
  positions: number;
  tokens: number;
}

/** How much of `now` is byte for byte what was sent before: tools, then system, then messages. */
function unchanged(before: SeenRequest | undefined, now: SeenRequest): Same {
  if (before === undefined || before.tools !== now.tools) return { messages: 0, positions: 0, tokens: 0 };
  if (before.system !== now.system) return { messages: 0, positions: 1, tokens: now.toolTokens };
  const same = { messages: 0, positions: 2, tokens: now.toolTokens + now.systemTokens };
  const end = Math.min(before.messages.length, now.messages.length);
  while (same.messages < end && before.messages[same.messages]!.bare === now.messages[same.messages]!.bare) {
    same.positions += now.messages[same.messages]!.blocks;
    same.tokens += now.messages[same.messages]!.tokens;
    same.messages++;
  }
  return same;
}

/**
 * Where a careful agent marks: after the system prompt, where the known prefix ends, and at the end. Four are allowed.
 */
function marksOf(request: SeenRequest, same: Same, positions: number): Mark[] {
  const marks: Mark[] = [{ position: 1, tokens: request.toolTokens + request.systemTokens }];
  if (same.positions > 2) marks.push({ position: same.positions - 1, tokens: same.tokens });
  marks.push({ position: positions - 1, tokens: request.tokens });
  return marks;
}

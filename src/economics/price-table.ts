// Our own dated prices, in USD per million tokens. Data: a row is superseded by a later one, never edited.

export interface PriceTier {
  /** Prompts with more tokens reprice as a whole. */
  above: number;
  /** Factors on the row's prices. */
  input: number;
  cache: number;
  output: number;
}

export interface PriceRow {
  /** Model ids, without date or provider. */
  ids: readonly string[];
  provider: 'anthropic' | 'openai' | 'other';
  /** First day (UTC) on which it holds; `0000-00-00`: since the model's release. */
  validFrom: string;
  asOf: string;
  source: string;
  input: number;
  /** Short-lived write: 5 minutes, at OpenAI 30. Equal to `input` where writing is free. */
  write5m: number;
  /** Absent: not sold. */
  write1h?: number;
  read: number;
  output: number;
  /** Shorter prefixes are not cached. */
  minCacheTokens: number;
  tier?: PriceTier;
  /** Factor of the fast mode, where there is one. */
  fast?: number;
}

const RELEASE = '0000-00-00';
/** The day on which the rows were looked up. */
export const AS_OF = '2026-11-29';
const ANTHROPIC = 'https://docs.claude.com/en/docs/about-claude/pricing';
const OPENAI = 'https://platform.openai.com/docs/pricing';

interface Brief {
  ids: readonly string[];
  input: number;
  /** Read price relative to input. */
  r: number;
  output: number;
  min: number;
  validFrom?: string;
  fast?: number;
  tier?: PriceTier;
  /** Write price relative to input, 1.25 by default. */
  w?: number;
}

const cents = (v: number): number => Number(v.toPrecision(12));

function anthropic(b: Brief): PriceRow {
  return {
    ids: b.ids,
    provider: 'anthropic',
    validFrom: b.validFrom ?? RELEASE,
    asOf: AS_OF,
    source: ANTHROPIC,
    input: b.input,
    write5m: cents(b.input * 1.25),
    write1h: cents(b.input * 2),
    read: cents(b.input * b.r),
    output: b.output,
    minCacheTokens: b.min,
    ...(b.tier === undefined ? {} : { tier: b.tier }),
    ...(b.fast === undefined ? {} : { fast: b.fast }),
  };
}

/** OpenAI's long-context tier of all models since GPT-5.4. */
const LONG: PriceTier = { above: 272_000, input: 2, cache: 2, output: 1.5 };

function openai(b: Brief): PriceRow {
  return {
    ids: b.ids,
    provider: 'openai',
    validFrom: b.validFrom ?? RELEASE,
    asOf: AS_OF,
    source: OPENAI,
    input: b.input,
    write5m: cents(b.input * (b.w ?? 1.25)),
    read: cents(b.input * b.r),
    output: b.output,
    minCacheTokens: b.min,
    ...(b.tier === undefined ? {} : { tier: b.tier }),
  };
}

export const PRICE_TABLE: readonly PriceRow[] = [
  anthropic({ ids: ['claude-fable-5-1'], input: 10, r: 0.025, output: 50, min: 512 }),
  anthropic({ ids: ['claude-opus-5-5'], input: 4, r: 0.05, output: 20, min: 512, fast: 2 }),
  anthropic({ ids: ['claude-sonnet-5-5'], input: 2, r: 0.1, output: 10, min: 512 }),
  anthropic({
    ids: ['claude-sonnet-5-5'],
    validFrom: '2026-10-07',
    input: 2,
    r: 0.05,
    output: 10,
    min: 512,
  }),
  anthropic({
    ids: ['claude-haiku-5-5'],
    input: 0.1,
    r: 0.1,
    output: 0.5,
    min: 512,
    tier: { above: 100_000, input: 5, cache: 5, output: 5 },
  }),
  anthropic({ ids: ['claude-fable-5'], input: 10, r: 0.1, output: 50, min: 512 }),
  anthropic({ ids: ['claude-opus-5'], input: 5, r: 0.1, output: 25, min: 512 }),
  anthropic({ ids: ['claude-opus-4-8'], input: 5, r: 0.1, output: 25, min: 1024 }),
  anthropic({ ids: ['claude-opus-4-7'], input: 5, r: 0.1, output: 25, min: 2048 }),
  anthropic({ ids: ['claude-opus-4-5', 'claude-opus-4-6'], input: 5, r: 0.1, output: 25, min: 4096 }),
  anthropic({ ids: ['claude-sonnet-5'], input: 2, r: 0.1, output: 10, min: 1024 }),
  anthropic({ ids: ['claude-sonnet-4-5', 'claude-sonnet-4-6'], input: 3, r: 0.1, output: 15, min: 1024 }),
  anthropic({ ids: ['claude-haiku-4-5'], input: 1, r: 0.1, output: 5, min: 4096 }),
  openai({ ids: ['gpt-6.1-sol'], input: 2, r: 0.05, output: 10, min: 1024, tier: LONG }),
  openai({ ids: ['gpt-6-astra'], input: 10, r: 0.1, output: 50, min: 1024, tier: LONG }),
  openai({ ids: ['gpt-6-sol'], input: 2, r: 0.1, output: 10, min: 1024, tier: LONG }),
  openai({ ids: ['gpt-6-luna'], input: 0.1, r: 0.1, output: 0.5, min: 1024, tier: LONG }),
  openai({ ids: ['gpt-5.6-sol'], input: 4, r: 0.1, output: 20, min: 1024, tier: LONG }),
  openai({ ids: ['gpt-5.6-terra'], input: 2, r: 0.1, output: 12, min: 1024, tier: LONG }),
  openai({ ids: ['gpt-5.6-luna'], input: 0.2, r: 0.1, output: 1.2, min: 1024, tier: LONG }),
  openai({ ids: ['gpt-5.5'], input: 5, r: 0.1, output: 30, min: 1024, w: 1, tier: LONG }),
  openai({ ids: ['gpt-5.4'], input: 2.5, r: 0.1, output: 15, min: 1024, w: 1, tier: LONG }),
  openai({ ids: ['gpt-4.1'], input: 2, r: 0.25, output: 8, min: 1024, w: 1 }),
  openai({ ids: ['gpt-4o'], input: 2.5, r: 0.5, output: 10, min: 1024, w: 1 }),
];

/** Factors that apply to a whole request. */
export const REQUEST_FACTORS = { inRegion: 1.1, batch: 0.5 } as const;

// What each model's provider refuses, caches and charges for pixels, by model id: dated data and one lookup.
// Facts as of 2026-11-28, source PROVIDERS.md; `unconfirmed` names the fields where the stricter reading was taken.
import type { Format, ImageRule, ModelClass, Profile } from './types.js';

/** Fields of a profile that a host may set. */
export type ProfileOverrides = Partial<Omit<Profile, 'format' | 'model' | 'maxMarks' | 'unconfirmed'>>;

type Family = 'opus' | 'sonnet' | 'haiku' | 'fable' | 'mythos';

interface ClaudeId {
  family: Family | undefined;
  /** 4.5 as 405, so that 4.10 would come after 4.9; Infinity where it cannot be read. */
  version: number;
}

const version = (major: number, minor = 0) => major * 100 + minor;

/** `claude-opus-4-5-20251101`, `claude-3-5-haiku-latest`, `anthropic/claude-sonnet-4.6`, `us.anthropic.claude-…-v1:0`. */
export function claudeId(model: string): ClaudeId | undefined {
  const id = model.toLowerCase();
  if (!id.includes('claude') && !/(?:^|[^a-z])(?:opus|sonnet|haiku|fable|mythos)-\d/.test(id))
    return undefined;
  const newer = /(opus|sonnet|haiku|fable|mythos)[-_ ]?(\d{1,2})(?:[-._](\d{1,2}))?(?!\d)/.exec(id);
  if (newer !== null)
    return { family: newer[1] as Family, version: version(Number(newer[2]), Number(newer[3] ?? 0)) };
  const older = /claude-(\d)(?:[-.](\d))?-(opus|sonnet|haiku)/.exec(id);
  if (older !== null)
    return { family: older[3] as Family, version: version(Number(older[1]), Number(older[2] ?? 0)) };
  const family = /(opus|sonnet|haiku|fable|mythos)/.exec(id)?.[1] as Family | undefined;
  return { family, version: /claude-(?:instant|v?[12])/.test(id) ? version(2) : Number.POSITIVE_INFINITY };
}

/** Newest version of each family that does not bind thinking to its prefix (PV-A25). */
const LAST_UNBOUND: Record<Family, number> = {
  opus: version(5),
  sonnet: version(5),
  haiku: version(4, 5),
  fable: version(5),
  mythos: version(5),
};

/** First version of each family that takes `role: system` inside messages (PV-A11). */
const FIRST_MID_SYSTEM: Record<Family, number> = {
  opus: version(4, 8),
  sonnet: version(5, 5),
  haiku: version(5, 5),
  fable: version(5),
  mythos: version(5),
};

/** First version of each family that refuses a prefilled assistant turn (PV-A15). Mythos is not named there: refused. */
const FIRST_NO_PREFILL: Record<Family, number> = {
  opus: version(4, 6),
  sonnet: version(4, 6),
  haiku: version(5, 5),
  fable: 0,
  mythos: 0,
};

/** First version of each family that keeps all earlier thinking (PV-A33). Haiku 5.5 is unconfirmed: not. */
const FIRST_KEEPS_THINKING: Record<Family, number> = {
  opus: version(4, 5),
  sonnet: version(4, 6),
  haiku: version(6),
  fable: 0,
  mythos: 0,
};

/** Models that refuse a forced tool (PV-A16); an id that cannot be read is taken to refuse it too. */
function forcesTool(family: Family, v: number): boolean {
  if (family === 'fable') return v !== version(5, 1);
  return !(family === 'opus' || family === 'sonnet') || v !== version(5, 5);
}

/** PV-N1 to N3. Editing came with the fourth generation; an id that cannot be read gets none. */
const FIRST_NATIVE = version(4);
const CLAUDE_NATIVE = ['clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'] as const;

/** Smallest cached prefix in tokens, from this version of the family on (PV-A43); Opus 5.5 unconfirmed: 1,024. */
const MIN_CACHE: Record<Family, readonly (readonly [from: number, tokens: number])[]> = {
  opus: [
    [version(5, 5), 1_024],
    [version(5), 512],
    [version(4, 8), 1_024],
    [version(4, 7), 2_048],
    [version(4, 5), 4_096],
    [0, 1_024],
  ],
  sonnet: [
    [version(5, 5), 512],
    [0, 1_024],
  ],
  haiku: [
    [version(5, 5), 512],
    [version(4, 5), 4_096],
    [0, 2_048],
  ],
  fable: [[0, 512]],
  mythos: [[0, 512]],
};

/** What an unknown model is taken to need: the largest minimum of the table. */
const UNKNOWN_MIN_CACHE = 4_096;

const CLAUDE_IMAGE_45: ImageRule = {
  kind: 'patches',
  patch: 28,
  perPatch: 1,
  base: 0,
  maxEdge: 1_568,
  maxTokens: 1_568,
};
/** The 5.5 family's 2,000 px, also for the unmeasured models in between: the larger count. */
const CLAUDE_IMAGE_55: ImageRule = {
  ...CLAUDE_IMAGE_45,
  maxEdge: 2_000,
  maxTokens: Number.POSITIVE_INFINITY,
};
const GPT6_IMAGE: ImageRule = {
  kind: 'patches',
  patch: 32,
  perPatch: 1.2,
  base: 0,
  maxEdge: Number.POSITIVE_INFINITY,
  maxTokens: Number.POSITIVE_INFINITY,
};
const GPT4O_IMAGE: ImageRule = {
  kind: 'tiles',
  patch: 512,
  perPatch: 170,
  base: 85,
  maxEdge: 2_048,
  maxTokens: Number.POSITIVE_INFINITY,
};

type Facts = Omit<Profile, 'format' | 'model' | 'maxMarks'>;

function claudeFacts(id: ClaudeId | undefined): Facts {
  const unconfirmed: string[] = [];
  const known = id?.family !== undefined && Number.isFinite(id.version);
  if (!known)
    unconfirmed.push('modelClass', 'minCacheTokens', 'midSystem', 'prefill', 'thinkingKept', 'image');
  const family = id?.family ?? 'opus';
  const v = known ? id.version : Number.POSITIVE_INFINITY;
  if (known && family === 'mythos' && v === version(5, 1)) unconfirmed.push('modelClass');
  if (known && family === 'opus' && (v === version(5, 5) || v === version(4, 7)))
    unconfirmed.push('minCacheTokens');
  if (known && family === 'sonnet' && v === version(4, 6)) unconfirmed.push('minCacheTokens');
  if (known && family === 'sonnet' && v === version(5)) unconfirmed.push('midSystem');
  if (known && family === 'haiku' && v === version(5, 5)) unconfirmed.push('thinkingKept');
  if (known && v > version(4, 5)) unconfirmed.push('image');
  return {
    modelClass: v <= LAST_UNBOUND[family] ? 'AF' : 'AB',
    minCacheTokens: known ? MIN_CACHE[family].find(([from]) => v >= from)![1] : UNKNOWN_MIN_CACHE,
    midSystem: id?.family !== undefined && v >= FIRST_MID_SYSTEM[family],
    prefill: v < FIRST_NO_PREFILL[family],
    thinkingKept: known && v >= FIRST_KEEPS_THINKING[family] ? 'all' : 'last',
    image: v <= version(4, 5) ? CLAUDE_IMAGE_45 : CLAUDE_IMAGE_55,
    forcedTool: known && forcesTool(family, v),
    native:
      !known || v < FIRST_NATIVE
        ? []
        : v >= FIRST_MID_SYSTEM[family]
          ? [...CLAUDE_NATIVE, 'tool_changes']
          : CLAUDE_NATIVE,
    unconfirmed,
  };
}

/** Weights that people serve themselves behind a strict chat template (PV-S1, PV-S2), by the names of the weights. */
const TEMPLATES: readonly (readonly [RegExp, Partial<Facts>])[] = [
  [/gemma/i, { alternation: 'strict' }],
  [/llama-?2/i, { alternation: 'strict' }],
  [/llama-?3\.1/i, { alternation: 'none', maxCalls: 1 }],
  [/mi[sx]tral.*-v0\.\d/i, { alternation: 'template', ids: { maxLength: 9, pattern: /^[a-zA-Z0-9]{9}$/ } }],
];

/** The rules of a strict template, whichever it is. Plain strings (PV-S5) are asked for by configuration: newer templates take lists. */
const STRICT: Partial<Facts> = {
  modelClass: 'SH',
  singleSystem: true,
  minCacheTokens: 16,
  midSystem: false,
};

function openAiFacts(format: Format, model: string, wanted: ModelClass | undefined): Facts {
  const chat = format === 'openai-chat';
  const gpt = /gpt-(\d+)/i.exec(model);
  const facts: Facts = {
    modelClass: chat ? 'CC' : 'RS',
    minCacheTokens: 1_024,
    // OpenAI takes system and developer messages anywhere, and a last assistant message.
    midSystem: true,
    prefill: true,
    thinkingKept: 'all',
    image: gpt !== null && Number(gpt[1]) >= 6 ? GPT6_IMAGE : GPT4O_IMAGE,
    needsUser: chat,
    forcedTool: true,
    native: chat ? [] : ['truncation', 'compaction'],
    unconfirmed: gpt !== null ? ['image'] : ['image', 'minCacheTokens'],
    ...(chat ? { ids: { maxLength: 40 } } : {}),
  };
  const template = chat ? TEMPLATES.find(([pattern]) => pattern.test(model)) : undefined;
  if (template === undefined && wanted !== 'SH') return facts;
  return { ...facts, ...STRICT, ...template?.[1] };
}

/**
 * The profile of a model behind a format. A Claude id that is newer than the table, or none at all, is taken as bound
 * to its prefix (AB). `overrides` come from the host's configuration and win.
 */
export function profileOf(format: Format, model: string, overrides: ProfileOverrides = {}): Profile {
  const facts =
    format === 'anthropic' ? claudeFacts(claudeId(model)) : openAiFacts(format, model, overrides.modelClass);
  return { format, model, maxMarks: 4, ...facts, ...overrides };
}

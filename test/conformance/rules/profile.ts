// What a provider and model allow, as far as the rules depend on it (PROVIDERS.md). Pure data.

export type ModelClass = 'AF' | 'AB' | 'CC' | 'RS' | 'SH';

export interface RuleProfile {
  api: 'anthropic' | 'openai-chat' | 'openai-responses';
  modelClass: ModelClass;
  /** A11: `system` messages inside the list. */
  midSystem: boolean;
  /** A15: the last message may be the assistant's. */
  prefill: boolean;
  /** A16: `tool_choice` any or tool is refused. */
  noForcedTool: boolean;
  /** S1, S2: strict chat templates. */
  alternation: 'none' | 'strict' | 'template';
  /** C7, S3: at most one system message, at the head. */
  singleSystem: boolean;
  /** S5: `content` is a plain string, never null or a list. */
  plainContent: boolean;
  /** S6: what a call id looks like. */
  ids?: RegExp;
  /** S7: calls that one message may hold. */
  maxCalls: number;
  /** R6: `store: false`. */
  stored: boolean;
  /** A43, C10: smallest cacheable prefix in tokens. */
  minCacheTokens: number;
}

const NONE = {
  midSystem: false,
  prefill: true,
  noForcedTool: false,
  alternation: 'none',
  singleSystem: false,
  plainContent: false,
  maxCalls: Number.POSITIVE_INFINITY,
  stored: true,
} as const;

/** Bound thinking: the named models, and any id that is newer than what we know. */
const KNOWN_FREE =
  /^claude-(?:3|opus-(?:4|5(?!-5))|sonnet-(?:4|5(?!-5))|haiku-[34]|fable-5(?!-[12])|mythos-5(?!-[12]))/;
const MID_SYSTEM = /^claude-(?:opus-4-8|opus-5|fable-[5-9]|mythos-[5-9]|sonnet-5-5|haiku-5-5)/;
const NO_PREFILL = /^claude-(?:opus-(?:4-[6-9]|5)|sonnet-(?:4-6|5)|fable|haiku-5-5)/;
const NO_FORCED = /^claude-(?:fable-5-1|opus-5-5|sonnet-5-5)/;

function anthropicMinimum(model: string): number {
  if (/opus-4-8|sonnet-(?:4|5$)/.test(model)) return 1024;
  if (/opus-4-7|haiku-3-5/.test(model)) return 2048;
  if (/opus-4-[56]|haiku-4-5/.test(model)) return 4096;
  return /opus-5|fable-|mythos-|sonnet-5-5|haiku-5-5/.test(model) ? 512 : 1024;
}

export function anthropicProfile(model: string): RuleProfile {
  return {
    ...NONE,
    api: 'anthropic',
    modelClass: KNOWN_FREE.test(model) ? 'AF' : 'AB',
    midSystem: MID_SYSTEM.test(model),
    prefill: !NO_PREFILL.test(model),
    noForcedTool: NO_FORCED.test(model),
    minCacheTokens: anthropicMinimum(model),
  };
}

export function chatProfile(
  strict?: Partial<Pick<RuleProfile, 'alternation' | 'singleSystem' | 'plainContent' | 'ids' | 'maxCalls'>>,
): RuleProfile {
  const selfHosted = strict !== undefined;
  return {
    ...NONE,
    ...strict,
    api: 'openai-chat',
    modelClass: selfHosted ? 'SH' : 'CC',
    minCacheTokens: 1024,
  };
}

export function responsesProfile(stored = false): RuleProfile {
  return { ...NONE, api: 'openai-responses', modelClass: 'RS', stored, minCacheTokens: 1024 };
}

// Provider-native context editing as request fields (PV-N1 to N4): our settings compiled into what the API takes, and which
// part of our own work that replaces. Pure.

import type { NativeEdit, Profile } from '../types.js';

/** What of our own settings has a counterpart in the provider's fields. Tokens, counts, tool names. */
export interface NativeKnobs {
  /** Size of the prompt from which results are cleared. */
  trigger: number;
  /** Size from which the provider writes a summary. */
  compactAt: number;
  keepToolUses: number;
  clearAtLeast?: number;
  excludeTools: readonly string[];
  clearToolInputs: boolean | readonly string[];
  /** Turns whose thinking stays; undefined: all. */
  thinkingTurns?: number;
}

export const NATIVE_DEFAULTS = { trigger: 100_000, compactAt: 150_000, keepToolUses: 3 } as const;
/** PV-N3: the least trigger of `compact_20260112`. */
export const COMPACT_MINIMUM = 50_000;

export const BETAS = {
  editing: 'context-management-2025-06-27',
  compact: 'compact-2026-01-12',
  toolChanges: 'mid-conversation-tool-changes-2026-07-01',
} as const;

export interface NativeFields {
  /** As fields of the request's body, to be sent as they are. */
  context_management?: unknown;
  truncation?: 'auto';
  /** Values of the `anthropic-beta` header that the fields need. */
  betas: string[];
}

/** Which of our own edits the provider makes instead. */
export type Delegated = 'results' | 'thinking' | 'summary';

export interface NativePlan {
  fields: NativeFields;
  edits: readonly NativeEdit[];
  delegated: ReadonlySet<Delegated>;
  knobs: NativeKnobs;
  refused: { edit: NativeEdit; why: string }[];
}

/** @param wanted in the order of the configuration; the fields have the order that the provider wants (PV-N2) */
export function nativePlan(profile: Profile, wanted: readonly NativeEdit[], knobs: NativeKnobs): NativePlan {
  const refused: NativePlan['refused'] = [];
  const edits = wanted.filter((edit) => {
    if (!profile.native.includes(edit)) {
      refused.push({ edit, why: `${profile.model} behind ${profile.format} does not offer ${edit}` });
      return false;
    }
    if (edit === 'compact_20260112' && knobs.compactAt < COMPACT_MINIMUM) {
      const why = `${edit} starts at ${COMPACT_MINIMUM} tokens, more than this window's threshold of ${knobs.compactAt}`;
      refused.push({ edit, why });
      return false;
    }
    return true;
  });
  const fields = profile.format === 'anthropic' ? anthropic(edits, knobs) : responses(edits, knobs);
  const delegated = new Set(edits.flatMap((e) => DELEGATES[e] ?? []));
  return { fields, edits, delegated, knobs, refused };
}

const DELEGATES: Readonly<Record<NativeEdit, Delegated | undefined>> = {
  clear_tool_uses_20250919: 'results',
  clear_thinking_20251015: 'thinking',
  compact_20260112: 'summary',
  compaction: 'summary',
  // Not an edit of what is sent: how our own decisions about tools go out (PV-A46).
  tool_changes: undefined,
  // What `auto` drops is dropped only where the request would be refused: nothing of ours is the same.
  truncation: undefined,
};

const tokens = (value: number) => ({ type: 'input_tokens', value });

function anthropic(edits: readonly NativeEdit[], k: NativeKnobs): NativeFields {
  const list: unknown[] = [];
  if (edits.includes('clear_thinking_20251015')) {
    const keep =
      k.thinkingTurns === undefined ? 'all' : { type: 'thinking_turns', value: Math.max(1, k.thinkingTurns) };
    list.push({ type: 'clear_thinking_20251015', keep });
  }
  if (edits.includes('clear_tool_uses_20250919')) {
    list.push({
      type: 'clear_tool_uses_20250919',
      trigger: tokens(k.trigger),
      keep: { type: 'tool_uses', value: k.keepToolUses },
      ...(k.clearAtLeast === undefined ? {} : { clear_at_least: tokens(k.clearAtLeast) }),
      ...(k.excludeTools.length === 0 ? {} : { exclude_tools: k.excludeTools }),
      ...(k.clearToolInputs === false ? {} : { clear_tool_inputs: k.clearToolInputs }),
    });
  }
  const compacts = edits.includes('compact_20260112');
  if (compacts) list.push({ type: 'compact_20260112', trigger: tokens(k.compactAt) });
  const changes = edits.includes('tool_changes') ? [BETAS.toolChanges] : [];
  if (list.length === 0) return { betas: changes };
  const betas = [
    ...(list.length > (compacts ? 1 : 0) ? [BETAS.editing] : []),
    ...(compacts ? [BETAS.compact] : []),
    ...changes,
  ];
  return { context_management: { edits: list }, betas };
}

function responses(edits: readonly NativeEdit[], k: NativeKnobs): NativeFields {
  return {
    ...(edits.includes('compaction')
      ? { context_management: [{ type: 'compaction', compact_threshold: k.compactAt }] }
      : {}),
    ...(edits.includes('truncation') ? { truncation: 'auto' as const } : {}),
    betas: [],
  };
}

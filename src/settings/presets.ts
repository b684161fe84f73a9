// The presets as data: what each sets, merged below the user's own settings (PROTOCOL 3, REQUIREMENTS E-5).
import type { Partially } from './fields.js';
import type { CuratedSettings, JournalSettings, PluginKey, PluginSettings, PresetName } from './types.js';

/** One layer of settings: what it says, nothing else. */
export interface ConfigLayer {
  active?: readonly PluginKey[];
  plugins?: Partially<PluginSettings>;
  journal?: Partially<JournalSettings>;
  curated?: Partially<CuratedSettings>;
}

/** What runs when nobody lists plugins. The window gate brings compaction with it (L5-13). */
export const STACK: readonly PluginKey[] = [
  'toolResultClear',
  'toolDefPruner',
  'topicPruner',
  'summaryBuffer',
  'contextWindow',
];

export const PRESETS: Readonly<Record<PresetName, ConfigLayer>> = {
  off: { active: [] },
  observe: { active: STACK },
  conservative: { active: STACK },
  balanced: {
    active: STACK,
    plugins: {
      // Long tool loops have few user turns: results age by rounds too, or nothing would ever be old (COSTS 8).
      toolResultClear: { ageTurns: 3, ageRounds: 5, sizeBytesThreshold: 400 },
    },
    curated: {
      boundary: 'round',
      keep: { toolUses: 4, thinkingTurns: 2 },
      clearAtLeast: 4000,
      clearToolInputs: true,
      maxInputChars: 200,
      dedup: true,
      supersede: true,
      shape: { enabled: true, maxTokens: 3000 },
    },
  },
  aggressive: {
    active: STACK,
    plugins: {
      toolResultClear: { ageTurns: 2, ageRounds: 3, sizeBytesThreshold: 400 },
      toolDefPruner: { unusedTurnsThreshold: 3 },
      summaryBuffer: { messageThreshold: 24, maxRecent: 4 },
      compaction: { messageThreshold: 24 },
      contextWindow: { triggerRatio: 0.6 },
    },
    curated: {
      boundary: 'round',
      keep: { toolUses: 3 },
      clearAtLeast: 2000,
      clearToolInputs: true,
      maxInputChars: 200,
      dedup: true,
      supersede: true,
      shape: { enabled: true, maxTokens: 2000 },
    },
  },
};

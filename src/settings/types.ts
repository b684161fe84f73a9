// The resolved settings as the rooms read them: camelCase, complete, frozen. Types and plugin ids only; knows no YAML.
import type { RedactionRule } from '../redaction/rule.js';

/** Our plugins by their key in `Settings.plugins`; the values are the full ids of events, sections and YAML (P-12). */
export const PLUGIN_IDS = {
  toolResultClear: 'nexus.memory.tool_result_clear',
  toolDefPruner: 'nexus.memory.tool_def_pruner',
  topicPruner: 'nexus.memory.topic_pruner',
  summaryBuffer: 'nexus.memory.summary_buffer',
  compaction: 'nexus.memory.compaction',
  capped: 'nexus.memory.capped',
  contextWindow: 'nexus.gate.context_window',
  progressive: 'nexus.discovery.progressive',
} as const;

export type PluginKey = keyof typeof PLUGIN_IDS;
export type PluginId = (typeof PLUGIN_IDS)[PluginKey];

export const PRESET_NAMES = ['off', 'observe', 'conservative', 'balanced', 'aggressive'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** Layer 1, REQUIREMENTS 4. */
export interface ToolResultClearSettings {
  enabled: boolean;
  /** Final turns between the call and now. */
  ageTurns: number;
  /** Model rounds after which a result is old enough as well; unset: only turns count. */
  ageRounds?: number;
  /** UTF-8 bytes of the body. */
  sizeBytesThreshold: number;
  preserveRecentKinds: readonly string[];
  dropStrategy: 'replace_with_envelope' | 'full_drop';
  askUserTools: readonly string[];
  subsequentCallExempt: readonly string[];
  extraReasons: readonly ('no_citation' | 'synthesis_detected')[];
}

/** Layer 2, REQUIREMENTS 5. */
export interface ToolDefPrunerSettings {
  enabled: boolean;
  unusedTurnsThreshold: number;
  neverPrune: readonly string[];
}

/** Layer 3, REQUIREMENTS 6. */
export interface TopicPrunerSettings {
  enabled: boolean;
  similarityThreshold: number;
  keepLastTopicFull: boolean;
  /** Lower-cased, empty ones dropped. */
  explicitPhrases: readonly string[];
  leadAnchor: 'strict' | 'any';
  match: 'word' | 'substring';
  embedMaxTokens: number;
  embedDeadlineMs: number;
  /** `seed`: phrases and the rolling centroid of an embedder's vectors, nothing else. */
  mode: 'model' | 'seed';
  sensitivity: 'balanced' | 'precise';
  /** Phrases of other languages beside the list. */
  phrasePacks: boolean;
}

export type SummaryStrategy = 'message_count' | 'token_estimate' | 'turn_count';

interface SummarySettings {
  strategy: SummaryStrategy;
  messageThreshold: number;
  tokenThreshold: number;
  turnThreshold: number;
  charsPerToken: number;
  modelRole: string;
  /** The operator's own prompt; the text of `prompt_file` where one is set. */
  prompt?: string;
  promptFile?: string;
}

/** Layer 4, REQUIREMENTS 7. */
export interface SummaryBufferSettings extends SummarySettings {
  maxRecent: number;
  model?: string;
  qualityRetry: boolean;
  requirePreservedKinds: readonly string[];
  requireOverBudget: boolean;
  /** Milliseconds ("60s" in YAML). */
  timeout: number;
  attempts: number;
}

/** Layer 5, REQUIREMENTS 8. */
export interface CompactionSettings extends SummarySettings {
  protectRecent: number;
  persist: boolean;
  requireApproval: {
    enabled: boolean;
    defaultChoice: string;
    /** Milliseconds; unset: the gate's deadline bounds the wait. */
    timeout?: number;
    match: { sizeThresholdBytes: number };
  };
  mustPreserve: readonly string[];
}

export interface CappedSettings {
  maxMessages: number;
  persist: boolean;
}

/** The window gate, REQUIREMENTS 8. */
export interface ContextWindowSettings {
  maxContextTokens: number;
  triggerRatio: number;
  charsPerToken: number;
  mode: 'formula' | 'ratio';
  /** Milliseconds ("120s" in YAML). */
  deadline: number;
  maxAttempts: number;
  /** L5-1: the ratio threshold counts as well; `mode: ratio`, or the block itself sets one of the two numbers. */
  ratioGate: boolean;
}

/** Progressive discovery, REQUIREMENTS 9. */
export interface ProgressiveSettings {
  scope: 'session' | 'turn' | 'hybrid';
  idlePruneTurns: number;
  classlessBehavior: 'include' | 'exclude';
  alwaysInclude: readonly string[];
  defaultDepth: 'class' | 'full';
}

export interface PluginSettings {
  toolResultClear: ToolResultClearSettings;
  toolDefPruner: ToolDefPrunerSettings;
  topicPruner: TopicPrunerSettings;
  summaryBuffer: SummaryBufferSettings;
  compaction: CompactionSettings;
  capped: CappedSettings;
  contextWindow: ContextWindowSettings;
  progressive: ProgressiveSettings;
}

/** REQUIREMENTS 11. */
export interface JournalSettings {
  fsync: 'turn-boundary' | 'every-event' | 'none';
  retainDays: number;
  rotateSizeMb: number;
  excludeEvents: readonly string[];
  redact: readonly RedactionRule[];
  encrypt: EncryptSettings;
}

/** Where the operator's key is; neither: values lie in the file as they are. */
export interface EncryptSettings {
  keyFile?: string;
  keyEnv?: string;
}

/** All conditions of one item must hold. */
export interface TriggerSettings {
  tokens?: number;
  /** Of the model's window. */
  fraction?: number;
  turns?: number;
  calls?: number;
}

export interface TargetSettings {
  tokens?: number;
  /** Of the model's window. */
  fraction?: number;
}

/** What the newest part of a conversation keeps, whatever its age; all that are set hold. */
export interface KeepSettings {
  toolUses?: number;
  turns?: number;
  messages?: number;
  tokens?: number;
  thinkingTurns?: number;
  /** Messages behind the system prompt that stay as they are: a summary begins behind them. */
  firstMessages?: number;
}

/** USD per million tokens; what is left out comes from the table's row. */
export interface PriceOverride {
  input?: number;
  write5m?: number;
  write1h?: number;
  read?: number;
  output?: number;
  minCacheTokens?: number;
  tierLimit?: number;
  tierInput?: number;
  tierOutput?: number;
}

export interface PriceSettings {
  /** Price the session as this model. */
  model?: string;
  /** For the session's own model. */
  own: PriceOverride;
  /** By model id. */
  overrides: Readonly<Record<string, PriceOverride>>;
}

export interface ModelWindow {
  contextWindow: number;
  maxOutputTokens?: number;
}

export type AnthropicNativeEdit =
  | 'clear_tool_uses_20250919'
  | 'clear_thinking_20251015'
  | 'compact_20260112'
  /** Hidden tools are declared as deferred and come back by a message (PV-A46). */
  | 'tool_changes';

/** The block `curated`, PROTOCOL 3. */
export interface CuratedSettings {
  preset: PresetName;
  boundary: 'turn' | 'round';
  costRule: 'on' | 'off';
  /** Share of the session's cost that an edit may put at risk, 0 to 1. */
  mostLoss: number;
  /** Any item suffices. Empty: no trigger of its own, the cost rule alone decides. */
  trigger: readonly TriggerSettings[];
  target?: TargetSettings;
  /** Tokens an edit must free. */
  clearAtLeast: number;
  keep: KeepSettings;
  excludeTools: readonly string[];
  /** Unset: all tools. */
  onlyTools?: readonly string[];
  clearToolInputs: boolean | readonly string[];
  /** Characters of a call argument that is kept when inputs are cleared; unset: no limit of its own. */
  maxInputChars?: number;
  dedup: boolean;
  supersede: boolean;
  images: 'keep' | 'clear';
  shape: { enabled: boolean; maxTokens: number };
  prices: PriceSettings;
  /** Share of sessions left uncurated for comparison. */
  holdout: number;
  observe: boolean;
  durable: { maxTokens: number };
  /** Tokens of all summary text in the request; unset: by the window. */
  summary: { maxTokens?: number };
  context: {
    format: 'map' | 'heading';
    maxTokens: number;
    staleDays: number;
    onMention: boolean;
    /** Folders that any token may have read as projects; of the daemon's configuration only. */
    roots?: readonly string[];
  };
  breakpoints: 'keep' | 'auto';
  /** Milliseconds ("5m", "1h" in YAML); unset: by provider and by what the marks say. */
  cacheTtl?: number;
  /** Unset: by the model's profile. */
  alternation?: 'none' | 'strict' | 'template';
  /** Unset: by the model's profile. */
  singleSystem?: boolean;
  /** Tokens that the host adds to each request out of our sight. */
  fixedOverheadTokens: number;
  /** Error results may be cleared after this many turns; unset: never (L1-5). */
  clearErrorsAfterTurns?: number;
  summarizer: {
    kind: 'auto' | 'client' | 'http' | 'extractive';
    url?: string;
    model?: string;
    api: 'anthropic' | 'openai-chat';
    /** Name of the environment variable that holds the key. */
    keyEnv?: string;
  };
  embedder: {
    kind: 'auto' | 'client' | 'http' | 'local' | 'builtin' | 'off';
    /** Of the daemon's configuration only, like all that follows. */
    url?: string;
    model?: string;
    dimensions?: number;
    keyEnv?: string;
  };
  native: {
    anthropic: readonly AnthropicNativeEdit[];
    openaiResponses: readonly ('truncation' | 'compaction')[];
  };
  /** Where the daemon listens; of the daemon's configuration only. */
  listen: { port: number; socket?: string; allowOrigins: readonly string[] };
  /** Overrides of the daemon's limits by name, for `resolveLimits`; of the daemon's configuration only. */
  limits: Readonly<Record<string, number>>;
  /** NS-4: windows by model prefix, before the built-in table. */
  models: Readonly<Record<string, ModelWindow>>;
}

export interface Settings {
  /** `off`: the request is what was stored. `observe`: the same, with events that say what would have been done. */
  mode: 'off' | 'observe' | 'enforce';
  /** Ids that run. With the gate active, compaction runs too, listed or not (L5-13). */
  active: ReadonlySet<PluginId>;
  plugins: PluginSettings;
  journal: JournalSettings;
  curated: CuratedSettings;
}

/** Something to tell the operator that does not stop the start. */
export interface ConfigNotice {
  level: 'notice' | 'warning';
  /** Dotted path of the key, for people. */
  path: string;
  /** The same as a JSON pointer into the configuration. */
  pointer: string;
  text: string;
}

/** Something that stops the start. */
export interface ConfigFault {
  /** Dotted path of the key, for people. */
  path: string;
  /** The same as a JSON pointer into the configuration; absent: the whole of it. */
  pointer?: string;
  /** 1-based line in the YAML text, where it came from one. */
  line?: number;
  text: string;
}

// The closed sets of words on the wire (PROTOCOL 3, REQUIREMENTS P-6). Pure data.

/** The one version of the protocol this build speaks. */
export const PROTOCOL_VERSION = 1;
/** The version of the curation payloads; each carries it as `_schema_version` (P-11). */
export const SCHEMA_VERSION = 1;

export const SUBPROTOCOLS = ['curated.v1.json', 'curated.v1.msgpack'] as const;
export type Subprotocol = (typeof SUBPROTOCOLS)[number];

export const FORMATS = ['anthropic', 'openai-chat', 'openai-responses'] as const;

export const PRESETS = ['off', 'observe', 'conservative', 'balanced', 'aggressive'] as const;
export type PresetName = (typeof PRESETS)[number];

const CURATED_TASKS = ['main', 'gate_retry'] as const;
export const EXEMPT_TASKS = [
  'plan',
  'classify',
  'summarise',
  'summarize',
  'compact',
  'compaction',
  'subagent',
  'delegate',
  'fanout_judge',
  'hitl_synthesize',
  'rag_contextualize',
] as const;
const EXEMPT: ReadonlySet<string> = new Set(EXEMPT_TASKS);

/**
 * Is a call of this kind passed through uncurated (P-6)? The set is closed: absent and unknown kinds are `main`.
 */
export function isExemptTask(kind: string | undefined): boolean {
  return kind !== undefined && EXEMPT.has(kind);
}

/** Is the kind one that P-6 names? Others are treated as `main` and logged once. */
export function isKnownTask(kind: string): boolean {
  return EXEMPT.has(kind) || (CURATED_TASKS as readonly string[]).includes(kind);
}

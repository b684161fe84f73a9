// The closed set of task kinds (P-6): what is curated and what passes through. Pure.

const EXEMPT: ReadonlySet<string> = new Set([
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
]);

const CURATED: ReadonlySet<string> = new Set(['main', 'gate_retry']);

export interface TaskKind {
  name: string;
  exempt: boolean;
  /** Not in the closed set: treated as main, and told once. */
  unknown: boolean;
}

export function taskKind(name: string | undefined): TaskKind {
  if (name === undefined) return { name: 'main', exempt: false, unknown: false };
  if (EXEMPT.has(name)) return { name, exempt: true, unknown: false };
  return { name: CURATED.has(name) ? name : 'main', exempt: false, unknown: !CURATED.has(name) };
}

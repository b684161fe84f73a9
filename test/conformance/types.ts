// Shapes of the failure-case contract (cases/README.md sections 1, 4, 5, 6). Knows nothing of the product.

/** A JSON object whose fields are looked at one by one. */
export type Obj = Record<string, unknown>;

export type CaseFormat = 'anthropic' | 'openai';
export type RuleFormat = 'anthropic' | 'openai' | 'openai-responses';

export interface ScriptStep extends Obj {
  op: string;
  messages?: Obj[];
  tenant?: string;
  session?: string;
}

export interface Check extends Obj {
  op: string;
}

export interface Case {
  id: string;
  source?: unknown;
  format: CaseFormat;
  config: Obj;
  request: Obj;
  script?: ScriptStep[];
  expect?: string;
  invariant?: string[];
  checks: Check[];
}

export interface Step {
  op: string;
  out?: Obj;
  bytes?: string;
  bytes_in?: string;
  events?: ObservedEvent[];
  summaries?: string[];
  fired?: boolean;
  context_tokens?: number;
  budget?: number;
  epochs?: number;
  result?: Obj;
  error?: { code: string; message: string };
  time_ms?: number;
  other_session_ms?: number;
}

export interface ObservedEvent extends Obj {
  kind: string;
}

export interface HandleSeen {
  path: string;
  handle: string;
  value: unknown;
  tenant?: string;
}

export interface Observation {
  steps: Step[];
  alive: boolean;
  handles?: HandleSeen[];
  summarizer?: { input_text: string }[];
}

export function isObj(v: unknown): v is Obj {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

export function arr(v: unknown): unknown[] {
  return Array.isArray(v) ? v : [];
}

export function objs(v: unknown): Obj[] {
  return arr(v).filter(isObj);
}

export function str(v: unknown): string | undefined {
  return typeof v === 'string' ? v : undefined;
}

export function strings(v: unknown): string[] {
  return arr(v).filter((x) => typeof x === 'string');
}

export function num(v: unknown): number | undefined {
  return typeof v === 'number' ? v : undefined;
}

/** The script of a case; a case without one is a single `curate`. */
export function scriptOf(c: Case): ScriptStep[] {
  return c.script ?? [{ op: 'curate' }];
}

/** The rule set behind `valid` that fits a case. */
export function ruleFormat(c: Case): RuleFormat {
  if (c.format === 'anthropic') return 'anthropic';
  return c.config['api'] === 'responses' ? 'openai-responses' : 'openai';
}

// Rules on the request fields beside system, tools and messages: native edits, on-demand compaction, forced tools. Pure.

import type { Profile, Violation } from '../types.js';
import { isObject, type Json, member, str } from '../values.js';
import { BETAS, COMPACT_MINIMUM } from './fields.js';

/** Fields of a body that decide about native editing; absent = not sent. */
export interface BodyFields {
  context_management?: unknown;
  compaction?: unknown;
  truncation?: unknown;
  tool_choice?: unknown;
  /** References to what the provider keeps: no such request is ours. */
  previous_response_id?: unknown;
  conversation?: unknown;
  thread?: unknown;
  /** Values of the `anthropic-beta` header. */
  betas?: readonly string[];
}

const ON_DEMAND_BETA = 'compact-2026-09-04';

export function checkFields(profile: Profile, body: BodyFields): Violation[] {
  const out: Violation[] = [];
  const add = (rule: string, path: string, message: string) => out.push({ rule, path, message });
  if (profile.format === 'openai-responses') responses(body, add);
  if (profile.format !== 'anthropic') return out;
  forced(profile, body.tool_choice, add);
  if (str(body.thread, 'type') === 'continue')
    add(
      'PV-A37',
      '/thread',
      'a continued thread holds new messages only: it is never curated, send them all',
    );
  anthropicEdits(body, add);
  onDemand(body, add);
  return out;
}

type Add = (rule: string, path: string, message: string) => void;

/** PV-A16: to make a model call a tool is refused on the newest ones. */
function forced(profile: Profile, choice: unknown, add: Add): void {
  const type = str(choice, 'type');
  if (profile.forcedTool || (type !== 'any' && type !== 'tool')) return;
  add('PV-A16', '/tool_choice', `tool_choice ${type} is not supported on ${profile.model}`);
}

function anthropicEdits({ context_management: field, betas = [] }: BodyFields, add: Add): void {
  if (field === undefined) return;
  const edits = member(field, 'edits');
  if (!Array.isArray(edits)) {
    add('PV-N1', '/context_management', 'edits is a list');
    return;
  }
  for (const [i, edit] of edits.entries()) {
    const path = `/context_management/edits/${i}`;
    const type = str(edit, 'type');
    if (!isObject(edit)) add('PV-N1', path, 'an edit is an object with a type');
    else if (type === 'clear_tool_uses_20250919') clearToolUses(edit, path, betas, add);
    else if (type === 'clear_thinking_20251015') clearThinking(edit, i, path, betas, add);
    else if (type === 'compact_20260112') compact(edit, path, betas, add);
    else add('PV-N1', path, `${String(type)} is no known edit`);
  }
}

function needs(beta: string, betas: readonly string[], rule: string, path: string, add: Add): void {
  if (!betas.includes(beta)) add(rule, path, `extra inputs are not permitted without the beta ${beta}`);
}

const isCount = (v: unknown, least: number): boolean => Number.isSafeInteger(v) && (v as number) >= least;

function clearToolUses(edit: Json, path: string, betas: readonly string[], add: Add): void {
  needs(BETAS.editing, betas, 'PV-N1', path, add);
  for (const [key, types] of [
    ['trigger', ['input_tokens', 'tool_uses']],
    ['keep', ['tool_uses']],
    ['clear_at_least', ['input_tokens']],
  ] as const) {
    const v = edit[key];
    if (v === undefined) continue;
    const known = (types as readonly (string | undefined)[]).includes(str(v, 'type'));
    if (!known || !isCount(member(v, 'value'), key === 'trigger' ? 1 : 0))
      add('PV-N1', `${path}/${key}`, `${key} is {type: ${types.join('|')}, value}`);
  }
  const names = (v: unknown) => Array.isArray(v) && v.every((n) => typeof n === 'string');
  if (edit['exclude_tools'] !== undefined && !names(edit['exclude_tools']))
    add('PV-N1', `${path}/exclude_tools`, 'exclude_tools is a list of names');
  const inputs = edit['clear_tool_inputs'];
  if (inputs !== undefined && typeof inputs !== 'boolean' && !names(inputs))
    add('PV-N1', `${path}/clear_tool_inputs`, 'clear_tool_inputs is a boolean or a list of names');
}

function clearThinking(edit: Json, at: number, path: string, betas: readonly string[], add: Add): void {
  needs(BETAS.editing, betas, 'PV-N2', path, add);
  if (at !== 0) add('PV-N2', path, 'clear_thinking must be the first edit');
  const { keep } = edit;
  const turns = str(keep, 'type') === 'thinking_turns' && isCount(member(keep, 'value'), 1);
  if (keep !== undefined && keep !== 'all' && !turns)
    add('PV-N2', `${path}/keep`, 'keep is "all" or {type: thinking_turns, value > 0}');
}

function compact(edit: Json, path: string, betas: readonly string[], add: Add): void {
  needs(BETAS.compact, betas, 'PV-N3', path, add);
  const { trigger } = edit;
  const size = member(trigger, 'value');
  if (trigger !== undefined && (str(trigger, 'type') !== 'input_tokens' || !isCount(size, COMPACT_MINIMUM)))
    add('PV-N3', `${path}/trigger`, `trigger is {type: input_tokens, value >= ${COMPACT_MINIMUM}}`);
}

/** PV-A36: the body's own compaction request. */
function onDemand({ compaction, context_management: field, betas = [] }: BodyFields, add: Add): void {
  if (compaction === undefined) return;
  needs(ON_DEMAND_BETA, betas, 'PV-A36', '/compaction', add);
  if (str(compaction, 'type') !== 'summarize')
    add('PV-A36', '/compaction/type', 'compaction is {type: summarize}');
  if (field !== undefined)
    add('PV-A36', '/compaction', 'compaction and context_management exclude each other');
}

/** PV-N4, PV-R8. */
function responses(body: BodyFields, add: Add): void {
  const { context_management: field, truncation } = body;
  for (const key of ['previous_response_id', 'conversation'] as const) {
    if (body[key] != null)
      add('PV-R8', `/${key}`, 'a chain is not curated in place: begin a new one with the full input');
  }
  if (truncation !== undefined && truncation !== 'auto' && truncation !== 'disabled')
    add('PV-N4', '/truncation', 'truncation is auto or disabled');
  if (field === undefined) return;
  const good =
    Array.isArray(field) &&
    field.every((e) => str(e, 'type') === 'compaction' && isCount(member(e, 'compact_threshold'), 1));
  if (!good)
    add(
      'PV-N4',
      '/context_management',
      'context_management is a list of {type: compaction, compact_threshold}',
    );
}

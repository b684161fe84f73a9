// A whole request against its provider's rules: every message, their sequence, the system text and the tools.

import { type Path, pointer } from '../json/index.js';
import { anthropic } from './anthropic/index.js';
import { isMarked } from './anthropic/read.js';
import { AnthropicWalk, MarkCount } from './anthropic/walk.js';
import type { FormatSpec, HistoryMessage, Native, Profile, RuleWalk, Violation } from './types.js';
import { blank, isObject, itemsAt, jsonOf, loneStrings, member, str } from './values.js';

export interface RequestParts {
  /** Parsed values, as they would be sent; absent = not sent. */
  system?: unknown;
  tools?: unknown;
  messages: readonly Native[];
}

/** The message's text, parsed once. Throws on what is no JSON: a caller's fault. */
export function nativeOf(text: string): Native {
  return { text, value: JSON.parse(text) as unknown };
}

export function historyOf(spec: FormatSpec, natives: readonly Native[]): HistoryMessage[] {
  return natives.map((native) => ({ native, reading: spec.read(native) }));
}

/** All violations of a request, in the order system, tools, messages. `pending` calls may be unanswered. */
export function validateRequest(
  spec: FormatSpec,
  profile: Profile,
  request: RequestParts,
  o: { pending?: ReadonlySet<string> } = {},
): Violation[] {
  const marks = new MarkCount();
  const out = [...checkTools(spec, request.tools, marks), ...checkSystem(spec, request.system, marks)];
  const walk: RuleWalk = spec.format === 'anthropic' ? new AnthropicWalk(profile, marks) : spec.walk(profile);
  for (const [index, native] of request.messages.entries()) {
    const last = index === request.messages.length - 1;
    for (const v of spec.check(native)) {
      if (last && isEmptyPrefill(spec, native, v)) continue;
      out.push({ ...v, path: `/messages/${index}${v.path}` });
    }
    out.push(...walk.push(spec.read(native), native, index));
  }
  out.push(...walk.finish(o.pending, declaredNames(request.tools)));
  return out;
}

/**
 * Violations of what goes out before the messages, its cache marks among themselves included: nobody can take those out (P-4),
 * while those of the messages give way to them.
 */
export function staticViolations(spec: FormatSpec, system: unknown, tools: unknown): Violation[] {
  const marks = new MarkCount();
  return [...checkTools(spec, tools, marks), ...checkSystem(spec, system, marks)];
}

/** Names in a list of tools; undefined where it holds tools that it does not name (PV-A46). */
export function declaredNames(tools: unknown): ReadonlySet<string> | undefined {
  const names = (Array.isArray(tools) ? tools : []).map(toolName);
  return names.includes(undefined) ? undefined : new Set(names as string[]);
}

/** A final assistant message may be empty (PV-A17). */
function isEmptyPrefill(spec: FormatSpec, native: Native, v: Violation): boolean {
  return (
    spec.format === anthropic.format &&
    v.rule === 'PV-A17' &&
    v.path === '/content' &&
    str(native.value, 'role') === 'assistant'
  );
}

function checkSystem(spec: FormatSpec, system: unknown, marks: MarkCount): Violation[] {
  const out: Violation[] = [];
  if (system === undefined) return out;
  if (loneStrings(jsonOf(system), system).length > 0)
    out.push({ rule: 'PV-A18', path: '/system', message: 'lone surrogate in the system text' });
  if (spec.format !== 'anthropic') return out;
  if (typeof system !== 'string' && !Array.isArray(system))
    out.push({ rule: 'PV-A20', path: '/system', message: 'system is a string or a list of text blocks' });
  for (const [i, block] of itemsAt(system, []).entries()) {
    const text = str(block, 'text');
    if (text === undefined || blank(text) || str(block, 'type') === undefined)
      out.push({ rule: 'PV-A17', path: `/system/${i}`, message: 'system text blocks must be non-empty' });
    if (isObject(block) && isMarked(block))
      out.push(...mark(marks, member(block, 'cache_control'), `/system/${i}`));
  }
  return out;
}

function mark(marks: MarkCount, control: unknown, path: string): Violation[] {
  const { tooMany, ttlOrder } = marks.add(control);
  const out: Violation[] = [];
  if (tooMany) out.push({ rule: 'PV-A38', path, message: 'a maximum of 4 blocks with cache_control' });
  if (ttlOrder) out.push({ rule: 'PV-A40', path, message: 'a 1h mark must not come after a 5m mark' });
  return out;
}

/** Name of a tool in any format: `{name}`, `{function: {name}}`, `{custom: {name}}`; server tools may have only a type. */
export function toolName(tool: unknown): string | undefined {
  return str(tool, 'name') ?? str(member(tool, 'function'), 'name') ?? str(member(tool, 'custom'), 'name');
}

/** Where a tool that the client runs lacks its name; a provider's own tools may be known by their type alone. */
function missingName(spec: FormatSpec, tool: unknown): Path | undefined {
  if (!isObject(tool)) return [];
  const type = str(tool, 'type');
  const clients = type === undefined || type === 'function' || type === 'custom';
  if (!clients || (toolName(tool) ?? '').trim() !== '') return undefined;
  return spec.format === 'openai-chat' ? [type ?? 'function', 'name'] : ['name'];
}

function checkTools(spec: FormatSpec, tools: unknown, marks: MarkCount): Violation[] {
  const out: Violation[] = [];
  if (tools === undefined) return out;
  if (!Array.isArray(tools)) return [{ rule: 'PV-A45', path: '/tools', message: 'tools is a list' }];
  if (tools.length === 0 && spec.format !== 'anthropic')
    out.push({ rule: 'PV-A45', path: '/tools', message: 'a list of tools names at least one' });
  for (const lone of loneStrings(jsonOf(tools), tools))
    out.push({
      rule: 'PV-A18',
      path: `/tools${pointer(lone.path)}`,
      message: 'lone surrogate in a tool definition',
    });
  const names = new Set<string>();
  let deferred = 0;
  for (const [i, tool] of tools.entries()) {
    const path = `/tools/${i}`;
    const missing = missingName(spec, tool);
    if (missing !== undefined)
      out.push({ rule: 'PV-A45', path: path + pointer(missing), message: 'a tool has a name' });
    const name = toolName(tool);
    if (name !== undefined) {
      if (names.has(name)) out.push({ rule: 'PV-A45', path, message: `tool names must be unique: ${name}` });
      names.add(name);
    }
    const defer = member(tool, 'defer_loading') === true;
    if (defer) deferred++;
    if (spec.format !== 'anthropic') continue;
    if (defer && str(tool, 'type')?.startsWith('tool_search_tool') === true)
      out.push({ rule: 'PV-A45', path, message: 'the tool search tool is never deferred' });
    if (isObject(tool) && isMarked(tool)) {
      if (defer)
        out.push({ rule: 'PV-A39', path, message: 'cache_control is not allowed on a deferred tool' });
      out.push(...mark(marks, tool['cache_control'], path));
    }
  }
  if (deferred > 0 && deferred === tools.length)
    out.push({ rule: 'PV-A45', path: '/tools', message: 'all tools cannot be deferred' });
  return out;
}

// What is wrong inside one Chat Completions message or one Responses item, mended in place.
import type { Path, TextEdit } from '../../json/index.js';
import { ROLES } from '../roles.js';
import { isObject, type Json, jsonOf, member, str } from '../values.js';
import { NO_OUTPUT, NO_TEXT, type RepairDraft, UNKNOWN_TOOL } from './draft.js';
import { hintEdits, mendedArguments, repairSurrogates } from './leaves.js';

/** Mends a chat message; true = it is dropped. */
export function mendChat(draft: RepairDraft, at: number): boolean {
  const { value } = draft.history[at]!.native;
  if (!isObject(value)) return false;
  mendRole(draft, at, value, 'openai-chat');
  const role = str(value, 'role');
  mendHints(draft, at, value, 'content');
  const calls = member(value, 'tool_calls');
  const hasCalls = role === 'assistant' && Array.isArray(calls) && calls.some(isCall);
  if (!hasCalls && calls !== undefined && calls !== null) {
    const what =
      Array.isArray(calls) && calls.length === 0
        ? 'an empty list of calls was left out'
        : 'calls that are none, or not the model’s, were left out';
    draft.content(at, 'PV-C1', what, [{ op: 'remove', path: ['tool_calls'] }]);
  }
  if (hasCalls) {
    for (const [i, call] of calls.entries())
      if (isCall(call)) mendCall(draft, at, call, ['tool_calls', i]);
      else
        draft.content(at, 'PV-C1', 'what is no call was left out of the calls', [
          { op: 'remove', path: ['tool_calls', i] },
        ]);
  }
  const content = member(value, 'content');
  const spoken = hasCalls || isObject(member(value, 'function_call')) || isObject(member(value, 'audio'));
  if (isEmpty(content) && !(role === 'assistant' && (spoken || str(value, 'refusal')))) {
    if (role === 'system' || role === 'developer') {
      draft.add({ what: 'an empty system message was left out', rule: 'PV-C6', edits: [{ op: 'drop', at }] });
      return true;
    }
    fill(draft, at, 'content', role === 'tool' ? NO_OUTPUT : NO_TEXT, str(value, 'tool_call_id'));
  } else mendContent(draft, at, value, 'content', 'text');
  repairSurrogates(draft, at, new Set());
  return false;
}

/** Is it one that can be answered? */
function isCall(call: unknown): boolean {
  return (
    str(call, 'id') !== undefined || isObject(member(call, 'function')) || isObject(member(call, 'custom'))
  );
}

/** Told apart at the door; a journal may hold them from before, or from when nothing was curated. */
function mendRole(
  draft: RepairDraft,
  at: number,
  value: Json,
  format: 'openai-chat' | 'openai-responses',
): void {
  if (ROLES[format].has(str(value, 'role') ?? '')) return;
  draft.content(
    at,
    format === 'openai-chat' ? 'PV-C7' : 'PV-R10',
    'a role that the format does not know goes out as the user’s',
    [{ op: 'set', path: ['role'], json: '"user"' }],
  );
}

/** Mends a Responses item; true = it is dropped. `store`: as the profile has it. */
export function mendItem(draft: RepairDraft, at: number, store?: boolean): boolean {
  const { value } = draft.history[at]!.native;
  if (!isObject(value)) return false;
  const type = str(value, 'type') ?? (str(value, 'role') === undefined ? undefined : 'message');
  const drop = (rule: string, what: string): true => {
    draft.add({ what, rule, edits: [{ op: 'drop', at }] });
    return true;
  };
  mendHints(draft, at, value, type === 'message' ? 'content' : 'output');
  if (type === 'message') {
    mendRole(draft, at, value, 'openai-responses');
    const text = str(value, 'role') === 'assistant' ? 'output_text' : 'input_text';
    const system = str(value, 'role') === 'system' || str(value, 'role') === 'developer';
    if (isEmpty(member(value, 'content'))) {
      if (system) return drop('PV-C6', 'an empty system message was left out');
      fill(draft, at, 'content', NO_TEXT);
    } else mendContent(draft, at, value, 'content', text);
  } else if (type === 'reasoning') {
    if (member(value, 'encrypted_content') === '')
      return drop('PV-R5', 'reasoning that cannot be verified was left out');
    if (store === false && !str(value, 'encrypted_content'))
      return drop('PV-R6', 'reasoning that is stored nowhere was left out');
    if (!Array.isArray(member(value, 'summary')))
      draft.content(at, 'PV-R5', 'the summary of a reasoning item is a list', [
        { op: 'set', path: ['summary'], json: '[]' },
      ]);
  } else if (type === 'compaction') {
    if (!str(value, 'encrypted_content'))
      return drop('PV-R7', 'a compaction without its content was left out');
  } else if (type === 'function_call') {
    mendName(draft, at, member(value, 'name'), ['name'], 'PV-R10');
    mendArgs(draft, at, member(value, 'arguments'), ['arguments'], 'PV-R10');
  } else if (type === 'custom_tool_call') mendName(draft, at, member(value, 'name'), ['name'], 'PV-R10');
  else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    if (isEmpty(member(value, 'output'))) fill(draft, at, 'output', NO_OUTPUT, str(value, 'call_id'));
    else mendContent(draft, at, value, 'output', 'input_text');
  }
  repairSurrogates(draft, at, new Set());
  return false;
}

function isEmpty(content: unknown): boolean {
  if (content === undefined || content === null || content === '') return true;
  if (!Array.isArray(content)) return false;
  return content.every((part) => {
    const type = str(part, 'type');
    return (
      (type === 'text' || type === 'input_text' || type === 'output_text') && member(part, 'text') === ''
    );
  });
}

function fill(draft: RepairDraft, at: number, key: string, text: string, callId?: string): void {
  const edit: TextEdit = { op: 'set', path: [key], json: JSON.stringify(text) };
  draft.content(at, 'PV-C6', 'empty content got a placeholder', [edit], callId);
}

/** Content that is neither a string nor a list goes out as its JSON text. */
function stringify(draft: RepairDraft, at: number, value: Json, key: string): void {
  const content = member(value, key);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    if (typeof content !== 'number' && typeof content !== 'boolean') return;
  }
  draft.content(at, 'PV-C6', 'content became a string', [
    { op: 'set', path: [key], json: JSON.stringify(jsonOf(content)) },
  ]);
}

/** Content in a form that the API takes: parts that are none become texts, so that nothing of them is lost. */
function mendContent(draft: RepairDraft, at: number, value: Json, key: string, type: string): void {
  stringify(draft, at, value, key);
  const content = member(value, key);
  if (!Array.isArray(content)) return;
  const full = !isEmpty(content);
  for (const [i, part] of content.entries()) {
    const own = str(part, 'type');
    const isText = own === 'text' || own === 'input_text' || own === 'output_text';
    if (full && isText && member(part, 'text') === '') {
      draft.content(at, 'PV-C6', 'an empty text was left out', [{ op: 'remove', path: [key, i] }]);
      continue;
    }
    if (own && !(isText && str(part, 'text') === undefined)) continue;
    const text = typeof part === 'string' ? part : (str(part, 'text') ?? jsonOf(part));
    draft.content(at, 'PV-C6', 'a part that the API does not know became a text', [
      { op: 'set', path: [key, i], json: JSON.stringify({ type, text }) },
    ]);
  }
}

function mendName(draft: RepairDraft, at: number, name: unknown, path: Path, rule: string): void {
  if (typeof name === 'string' && name !== '') return;
  const json = JSON.stringify(UNKNOWN_TOOL);
  draft.content(at, rule, 'a call that names no tool got a name', [{ op: 'set', path, json }]);
}

function mendHints(draft: RepairDraft, at: number, value: Json, listKey: string): void {
  const edits = hintEdits(value, []);
  const list = member(value, listKey);
  if (Array.isArray(list))
    for (const [i, part] of list.entries()) edits.push(...hintEdits(part, [listKey, i]));
  const calls = member(value, 'tool_calls');
  if (Array.isArray(calls))
    for (const [i, call] of calls.entries()) edits.push(...hintEdits(call, ['tool_calls', i]));
  draft.content(at, 'PV-A20', 'the host’s own notes were left out', edits);
}

function mendCall(draft: RepairDraft, at: number, call: unknown, path: Path): void {
  if (isObject(member(call, 'custom'))) return;
  const fn = member(call, 'function');
  if (!isObject(fn)) {
    const json = JSON.stringify({
      name: UNKNOWN_TOOL,
      arguments: fn === undefined ? '{}' : JSON.stringify({ invalid_arguments: fn }),
    });
    const edit: TextEdit = { op: 'set', path: [...path, 'function'], json };
    draft.content(at, 'PV-C5', 'a call that names no tool got a name', [edit], str(call, 'id'));
    return;
  }
  mendName(draft, at, member(fn, 'name'), [...path, 'function', 'name'], 'PV-C5');
  mendArgs(draft, at, member(fn, 'arguments'), [...path, 'function', 'arguments'], 'PV-C5', str(call, 'id'));
}

function mendArgs(
  draft: RepairDraft,
  at: number,
  args: unknown,
  path: Path,
  rule: string,
  callId?: string,
): void {
  const text = typeof args === 'string' ? args : isObject(args) ? jsonOf(args) : '';
  const mended = mendedArguments(text) ?? (typeof args === 'string' ? undefined : text);
  if (mended === undefined) return;
  const edit: TextEdit = { op: 'set', path, json: JSON.stringify(mended) };
  draft.content(at, rule, 'call arguments became a string that holds a JSON object', [edit], callId);
}

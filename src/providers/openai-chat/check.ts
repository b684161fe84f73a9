// Rules that one Chat Completions message must hold by itself.
import { type Path, pointer } from '../../json/index.js';
import { holdsObject, parsedArgs } from '../arguments.js';
import { ROLES } from '../roles.js';
import type { Native, Violation } from '../types.js';
import { isObject, type Json, loneStrings, member, str } from '../values.js';

type Add = (rule: string, path: Path, text: string) => void;

export function checkChat(message: Native, index?: number): Violation[] {
  const out: Violation[] = [];
  const at = index === undefined ? '' : `/messages/${index}`;
  const add: Add = (rule, path, text) => out.push({ rule, path: at + pointer(path), message: text });
  const value = message.value;
  if (!isObject(value)) {
    add('PV-C7', [], 'a message is an object with a role');
    return out;
  }
  const role = str(value, 'role') ?? '';
  if (!ROLES['openai-chat'].has(role)) add('PV-C7', ['role'], `no such role: ${role}`);
  hintKeys(value, [], add);
  const calls = member(value, 'tool_calls');
  const hasCalls = checkCalls(calls, role, add);
  const spoken =
    role === 'assistant' && (hasCalls || isObject(member(value, 'function_call')) || saysOtherwise(value));
  checkContent(member(value, 'content'), spoken, add);
  if (role === 'tool' && !str(value, 'tool_call_id'))
    add('PV-C2', ['tool_call_id'], "messages with role 'tool' must name the call they answer");
  for (const lone of loneStrings(message.text, value)) add('PV-A18', lone.path, 'lone surrogate in a string');
  return out;
}

/** A refusal or a recorded voice answer stands in place of content. */
function saysOtherwise(value: Json): boolean {
  return !!str(value, 'refusal') || isObject(member(value, 'audio'));
}

export function hintKeys(v: Json, at: Path, add: Add): void {
  for (const key of Object.keys(v)) if (key.startsWith('_')) add('PV-A20', [...at, key], 'unknown parameter');
}

function checkCalls(calls: unknown, role: string, add: Add): boolean {
  if (calls === undefined || calls === null) return false;
  if (!Array.isArray(calls) || calls.length === 0) {
    add('PV-C1', ['tool_calls'], 'tool_calls is a list with at least one call, or absent');
    return false;
  }
  if (role !== 'assistant') add('PV-C1', ['tool_calls'], 'only assistant messages hold tool_calls');
  const seen = new Set<string>();
  for (const [i, call] of calls.entries()) {
    const at: Path = ['tool_calls', i];
    const id = str(call, 'id');
    if (!id) add('PV-C3', [...at, 'id'], 'a call needs an id');
    else if (seen.has(id)) add('PV-C3', [...at, 'id'], `call ids are unique within a message: ${id}`);
    else seen.add(id);
    if (isObject(call)) hintKeys(call, at, add);
    if (isObject(member(call, 'custom'))) continue;
    if (!str(member(call, 'function'), 'name'))
      add('PV-C5', [...at, 'function', 'name'], 'a call names its tool');
    checkArguments(
      member(member(call, 'function'), 'arguments'),
      'PV-C5',
      [...at, 'function', 'arguments'],
      add,
    );
  }
  return true;
}

/** PV-C5, PV-R10; a lone surrogate may hide as an escape inside the string. */
export function checkArguments(args: unknown, rule: string, at: Path, add: Add): void {
  if (!holdsObject(args)) add(rule, at, 'arguments is a string that holds a JSON object');
  else if (loneStrings(args as string, parsedArgs(args as string)).length > 0)
    add('PV-A18', at, 'lone surrogate inside the arguments');
}

/** PV-C6: not empty, except beside calls, where null, '' and absence are kept as given. */
function checkContent(content: unknown, spoken: boolean, add: Add): void {
  if (content === undefined || content === null || content === '') {
    if (!spoken) add('PV-C6', ['content'], 'expected a string or array, got nothing');
  } else if (Array.isArray(content)) checkParts(content, spoken, ['content'], add);
  else if (typeof content !== 'string') add('PV-C6', ['content'], 'expected a string or array');
}

/** The list form of content, in both OpenAI APIs: not empty, and no empty text beside other parts. */
export function checkParts(parts: readonly unknown[], mayBeEmpty: boolean, at: Path, add: Add): void {
  let full = false;
  const empty: number[] = [];
  for (const [i, part] of parts.entries()) {
    if (!isObject(part)) {
      add('PV-C6', [...at, i], 'a part is an object with a type');
      full = true;
      continue;
    }
    hintKeys(part, [...at, i], add);
    const type = str(part, 'type');
    if (!type) add('PV-C6', [...at, i, 'type'], 'a part names its type');
    const isText = type === 'text' || type === 'input_text' || type === 'output_text';
    if (isText && typeof part['text'] !== 'string')
      add('PV-C6', [...at, i, 'text'], 'a text part holds a string');
    if (!isText || part['text'] !== '') full = true;
    else empty.push(i);
  }
  if (full) for (const i of empty) add('PV-C6', [...at, i, 'text'], 'a text part must not be empty');
  else if (!mayBeEmpty) add('PV-C6', at, 'content must not be empty');
}

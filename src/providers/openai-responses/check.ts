// Rules that one item of a Responses `input` must hold by itself.
import { type Path, pointer } from '../../json/index.js';
import { checkArguments, checkParts, hintKeys } from '../openai-chat/check.js';
import { ROLES } from '../roles.js';
import type { Native, Violation } from '../types.js';
import { isObject, type Json, loneStrings, member, str } from '../values.js';
import { callOf, outputOf } from './items.js';

type Add = (rule: string, path: Path, text: string) => void;

export function checkItem(message: Native, index?: number): Violation[] {
  const out: Violation[] = [];
  const at = index === undefined ? '' : `/messages/${index}`;
  const add: Add = (rule, path, text) => out.push({ rule, path: at + pointer(path), message: text });
  const value = message.value;
  if (!isObject(value)) {
    add('PV-R10', [], 'an item is an object with a type');
    return out;
  }
  hintKeys(value, [], add);
  const type = str(value, 'type') ?? (str(value, 'role') === undefined ? undefined : 'message');
  if (type === undefined) add('PV-R10', ['type'], 'an item needs a type');
  else if (type === 'message') {
    const role = str(value, 'role') ?? '';
    if (!ROLES['openai-responses'].has(role)) add('PV-R10', ['role'], `no such role: ${role}`);
    checkContent(value, 'content', add);
  } else if (type === 'reasoning') {
    if (!Array.isArray(member(value, 'summary')))
      add('PV-R5', ['summary'], 'a reasoning item keeps its summary');
    if (member(value, 'encrypted_content') === '')
      add('PV-R5', ['encrypted_content'], 'the encrypted content could not be verified');
  } else if (type === 'compaction') {
    if (!str(value, 'encrypted_content'))
      add('PV-R7', ['encrypted_content'], 'a compaction item keeps its encrypted content');
  } else checkPair(value, type, add);
  for (const lone of loneStrings(message.text, value)) add('PV-A18', lone.path, 'lone surrogate in a string');
  return out;
}

function checkPair(value: Json, type: string, add: Add): void {
  const call = callOf(value);
  if (call !== undefined && !str(value, call.callKey))
    add('PV-R2', [call.callKey], `a ${type} is paired by its ${call.callKey}`);
  const named = type === 'function_call' || type === 'custom_tool_call';
  if (named && !str(value, 'name')) add('PV-R10', ['name'], 'a call names its tool');
  if (type === 'function_call') checkArguments(member(value, 'arguments'), 'PV-R10', ['arguments'], add);
  const output = outputOf(value);
  if (output === undefined) return;
  if (!str(value, output.outputKey) && !str(value, 'call_id'))
    add('PV-R2', [output.outputKey], `a ${type} is paired by its ${output.outputKey}`);
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    checkContent(value, 'output', add);
}

function checkContent(value: Json, key: 'content' | 'output', add: Add): void {
  const content = member(value, key);
  if (Array.isArray(content)) checkParts(content, false, [key], add);
  else if (typeof content !== 'string' || content === '')
    add('PV-C6', [key], 'expected a non-empty string or a list of parts');
}

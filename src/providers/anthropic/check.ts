// Rules that one Anthropic message must hold by itself: roles of blocks, emptiness, Unicode, arguments, thinking.
import { type Path, pointer } from '../../json/index.js';
import type { Native, Violation } from '../types.js';
import { blank, isObject, type Json, loneStrings, member, str } from '../values.js';
import { isMarked, isServerCall, isServerResult } from './read.js';

const UNMARKABLE = new Set(['thinking', 'redacted_thinking']);

export function checkAnthropic(message: Native, index?: number): Violation[] {
  const out: Violation[] = [];
  const at = index === undefined ? '' : `/messages/${index}`;
  const add = (rule: string, path: Path, text: string) =>
    out.push({ rule, path: at + pointer(path), message: text });
  const value = message.value;
  if (!isObject(value)) {
    add('PV-A10', [], 'a message is an object with role and content');
    return out;
  }
  const role = str(value, 'role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    add('PV-A10', ['role'], `role must be user, assistant or system, not ${JSON.stringify(value['role'])}`);
  hintKeys(value, [], add);
  const content = member(value, 'content');
  if (value['clear_at'] !== undefined) checkClearAt(value, role, content, add);
  if (typeof content === 'string') {
    if (blank(content) && !isEffortOnly(value)) add('PV-A17', ['content'], 'text content must be non-empty');
  } else if (!Array.isArray(content)) {
    if (!isEffortOnly(value)) add('PV-A17', ['content'], 'content must be a string or a list of blocks');
  } else {
    if (content.length === 0 && !isEffortOnly(value)) add('PV-A17', ['content'], 'content must not be empty');
    checkBlocks(content, role, add);
  }
  for (const lone of loneStrings(message.text, value))
    add('PV-A18', lone.path, 'the request body is not valid JSON: lone surrogate in a string');
  return out;
}

type Add = (rule: string, path: Path, text: string) => void;

/** A mid-conversation system message that only sets the effort may have no content (PV-A12). */
export function isEffortOnly(value: unknown): boolean {
  if (str(value, 'role') !== 'system') return false;
  const content = member(value, 'content');
  const none =
    content === undefined ||
    content === null ||
    content === '' ||
    (Array.isArray(content) && content.length === 0);
  return none && isObject(member(value, 'output_config'));
}

/** PV-A14, PV-A39: a message that clears itself is text of the operator's and nothing else. */
function checkClearAt(value: Json, role: string | undefined, content: unknown, add: Add): void {
  if (role !== 'system') add('PV-A14', ['clear_at'], 'clear_at is for system messages');
  if (value['output_config'] !== undefined)
    add('PV-A14', ['output_config'], 'a message with clear_at has no output_config');
  if (!Array.isArray(content)) return;
  for (const [i, block] of content.entries()) {
    if (str(block, 'type') !== 'text')
      add('PV-A14', ['content', i], 'a message with clear_at holds only text');
    if (isObject(block) && isMarked(block))
      add('PV-A39', ['content', i], 'cache_control is not allowed in a message with clear_at');
  }
}

/** Keys that begin with `_` are a host's own notes; the provider takes no extra inputs (PV-A20). */
function hintKeys(v: Json, at: Path, add: Add): void {
  for (const key of Object.keys(v))
    if (key.startsWith('_')) add('PV-A20', [...at, key], 'extra inputs are not permitted');
}

function checkBlocks(content: readonly unknown[], role: string | undefined, add: Add): void {
  // A block by itself has no ids to differ from.
  const calls = content.length > 1 ? new Set<string>() : undefined;
  const results = content.length > 1 ? new Set<string>() : undefined;
  let other = false;
  for (const [i, block] of content.entries()) {
    const at: Path = ['content', i];
    if (!isObject(block) || typeof block['type'] !== 'string') {
      add('PV-A17', at, 'a block is an object with a type');
      continue;
    }
    const type = block['type'];
    hintKeys(block, at, add);
    if (isMarked(block) && UNMARKABLE.has(type)) add('PV-A39', at, `cache_control is not allowed on ${type}`);
    if (type === 'tool_result') {
      if (other) add('PV-A5', at, 'tool_result blocks must come first');
      checkResult(block, at, role, results, add);
      continue;
    }
    other = true;
    if (type === 'tool_use') checkCall(block, at, role, calls, add);
    else if (type === 'text') checkText(block, at, add);
    else if (type === 'thinking' || type === 'redacted_thinking') checkThinking(block, type, at, role, add);
    else if (type === 'compaction') checkCompaction(block, i, at, role, add);
    else if ((isServerCall(type) || isServerResult(type)) && role !== 'assistant')
      add('PV-A34', at, `${type} belongs in an assistant message`);
  }
}

function checkText(block: Json, at: Path, add: Add): void {
  const text = block['text'];
  if (typeof text !== 'string') add('PV-A17', at, 'a text block holds a string');
  else if (blank(text)) add('PV-A17', at, 'text content blocks must contain non-whitespace text');
}

type Seen = Set<string> | undefined;

function checkCall(block: Json, at: Path, role: string | undefined, seen: Seen, add: Add): void {
  if (role !== 'assistant') add('PV-A1', at, 'tool_use belongs in an assistant message');
  const id = str(block, 'id');
  if (id === undefined || id === '') add('PV-A3', [...at, 'id'], 'tool_use needs an id');
  else if (seen?.has(id)) add('PV-A3', [...at, 'id'], `tool_use ids must be unique: ${id}`);
  else seen?.add(id);
  if (!str(block, 'name')) add('PV-A19', [...at, 'name'], 'tool_use names its tool');
  if (!isObject(member(block, 'input')))
    add('PV-A19', [...at, 'input'], 'input should be a valid dictionary');
}

function checkResult(block: Json, at: Path, role: string | undefined, seen: Seen, add: Add): void {
  if (role !== 'user') add('PV-A2', at, 'tool_result belongs in a user message');
  const id = str(block, 'tool_use_id');
  if (id === undefined || id === '') add('PV-A2', [...at, 'tool_use_id'], 'tool_result needs a tool_use_id');
  else if (seen?.has(id)) add('PV-A3', [...at, 'tool_use_id'], `each tool_use has a single result: ${id}`);
  else seen?.add(id);
  const body = member(block, 'content');
  const bodyPath: Path = [...at, 'content'];
  if (body === undefined) return;
  if (typeof body === 'string') {
    if (blank(body)) add('PV-A17', bodyPath, 'the text of a tool result must be non-empty');
  } else if (!Array.isArray(body))
    add('PV-A17', bodyPath, 'the content of a tool result is a string or a list');
  else if (body.length === 0) add('PV-A17', bodyPath, 'the content of a tool result must not be empty');
  else
    for (const [k, inner] of body.entries()) {
      if (!isObject(inner)) add('PV-A17', [...bodyPath, k], 'a block is an object with a type');
      else {
        hintKeys(inner, [...bodyPath, k], add);
        if (inner['type'] === 'text') checkText(inner, [...bodyPath, k], add);
      }
    }
}

function checkThinking(block: Json, type: string, at: Path, role: string | undefined, add: Add): void {
  if (role !== 'assistant') add('PV-A22', at, `${type} belongs in an assistant message`);
  if (type === 'redacted_thinking') {
    if (!str(block, 'data')) add('PV-A22', [...at, 'data'], 'redacted_thinking needs its data');
    return;
  }
  // An empty text is a real block (PV-A24); an empty signature never is.
  if (str(block, 'thinking') === undefined) add('PV-A22', [...at, 'thinking'], 'thinking needs its text');
  if (!str(block, 'signature')) add('PV-A24', [...at, 'signature'], 'Invalid signature in thinking block');
}

function checkCompaction(block: Json, i: number, at: Path, role: string | undefined, add: Add): void {
  if (role !== 'assistant' || i !== 0)
    add('PV-A35', at, 'a compaction block comes first in an assistant message');
  const content = member(block, 'content');
  if (content !== undefined && content !== null && (typeof content !== 'string' || content === ''))
    add('PV-A35', [...at, 'content'], 'the content of a compaction is null or a non-empty text');
}

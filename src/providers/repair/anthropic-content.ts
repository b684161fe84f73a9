// What is wrong inside one Anthropic message, mended in place: empty texts, hints, Unicode, arguments, thinking.
import { hasLone, type Path, pointer, type TextEdit } from '../../json/index.js';
import { isEffortOnly } from '../anthropic/check.js';
import { isServerCall, isServerResult } from '../anthropic/read.js';
import { parsedArgs } from '../arguments.js';
import { ROLES } from '../roles.js';
import { blank, isObject, type Json, jsonOf, member, str } from '../values.js';
import { NO_OUTPUT, NO_TEXT, type RepairDraft, UNKNOWN_TOOL } from './draft.js';
import { hintEdits, repairSurrogates } from './leaves.js';

export interface Mended {
  /** Blocks that were left out. */
  gone: Set<number>;
  /** A placeholder of ours stands at the end of the content. */
  filled: boolean;
}

/** Mends message `at`. */
export function mendAnthropic(draft: RepairDraft, at: number): Mended {
  const gone = new Set<number>();
  const { value } = draft.history[at]!.native;
  if (!isObject(value)) return { gone, filled: false };
  draft.content(at, 'PV-A20', 'the host’s own notes were left out', hintEdits(value, []));
  // Told apart at the door; a journal may hold them from before, or from when nothing was curated.
  const { role } = draft.history[at]!.reading;
  if (!ROLES.anthropic.has(str(value, 'role') ?? ''))
    draft.content(at, 'PV-A10', 'a role that the format does not know goes out as the user’s', [
      { op: 'set', path: ['role'], json: JSON.stringify(role) },
    ]);
  if (value['clear_at'] !== undefined && role !== 'system')
    draft.content(at, 'PV-A14', 'clear_at is for system messages: it was left out', [
      { op: 'remove', path: ['clear_at'] },
    ]);
  const content = member(value, 'content');
  const none = content === undefined || content === null || (typeof content === 'string' && blank(content));
  if (none) {
    if (!isEffortOnly(value))
      draft.content(at, 'PV-A17', 'an empty message got a placeholder', [
        { op: 'set', path: ['content'], json: JSON.stringify(NO_TEXT) },
      ]);
    return { gone, filled: false };
  }
  let filled = false;
  if (typeof content !== 'string' && !Array.isArray(content))
    draft.content(at, 'PV-A17', 'content that is no text became its JSON text', [
      { op: 'set', path: ['content'], json: JSON.stringify(jsonOf(content)) },
    ]);
  if (Array.isArray(content)) {
    for (const [i, block] of content.entries()) mendBlock(draft, at, i, block, role, gone);
    filled = mendBlanks(draft, at, content, gone, isEffortOnly(value));
  }
  repairSurrogates(draft, at, new Set([...gone].map((i) => pointer(['content', i]))));
  return { gone, filled };
}

function remove(i: number): TextEdit {
  return { op: 'remove', path: ['content', i] };
}

function mendBlock(
  draft: RepairDraft,
  at: number,
  i: number,
  block: unknown,
  role: string | undefined,
  gone: Set<number>,
): void {
  const path: Path = ['content', i];
  if (typeof block === 'string' && !blank(block)) {
    const json = JSON.stringify({ type: 'text', text: block });
    draft.content(at, 'PV-A17', 'a bare string became a text block', [{ op: 'set', path, json }]);
    return;
  }
  if (typeof block === 'string') return;
  const type = str(block, 'type');
  if (!isObject(block) || type === undefined || (type === 'text' && str(block, 'text') === undefined)) {
    asText(draft, at, path, block, 'PV-A17', 'a block that the format does not know became a text block');
    return;
  }
  draft.content(at, 'PV-A20', 'the host’s own notes were left out', hintEdits(block, path));
  const drop = (rule: string, what: string) => {
    gone.add(i);
    draft.content(at, rule, what, [remove(i)]);
  };
  if ((isServerCall(type) || isServerResult(type)) && role !== 'assistant') {
    asText(draft, at, path, block, 'PV-A34', `${type} outside an assistant message became text`);
    return;
  }
  switch (type) {
    case 'thinking':
    case 'redacted_thinking':
      mendThinking(draft, at, block, path, role, drop);
      break;
    case 'tool_use':
      if (role !== 'assistant') drop('PV-A1', 'a tool call outside an assistant message was left out');
      else mendInput(draft, at, block, path);
      break;
    case 'tool_result':
      if (role === 'user') mendBody(draft, at, block, path);
      else drop('PV-A2', 'a tool result that answers no call was left out');
      break;
    case 'compaction':
      // An empty text never came from the provider: a failed summary has null, and nothing is lost with it (PV-A35).
      if (role !== 'assistant' || i !== 0)
        asText(draft, at, path, block, 'PV-A35', 'a compaction that does not come first became text');
      else if (member(block, 'content') === '')
        draft.content(at, 'PV-A35', 'an empty compaction became a failed one', [
          { op: 'set', path: [...path, 'content'], json: 'null' },
        ]);
      break;
    default:
  }
}

/** Nothing of it is lost: the text that it holds, or its JSON. */
function asText(
  draft: RepairDraft,
  at: number,
  path: Path,
  block: unknown,
  rule: string,
  what: string,
): void {
  const own = str(block, 'text');
  const text = own === undefined || blank(own) ? jsonOf(block) : own;
  draft.content(at, rule, what, [{ op: 'set', path, json: JSON.stringify({ type: 'text', text }) }]);
}

function mendThinking(
  draft: RepairDraft,
  at: number,
  block: Json,
  path: Path,
  role: string | undefined,
  drop: (rule: string, what: string) => void,
): void {
  const signed =
    block['type'] === 'thinking'
      ? str(block, 'thinking') !== undefined && str(block, 'signature')
      : str(block, 'data');
  // Thinking goes out whole or not at all, so what cannot be sent as it is cannot be mended either (PV-A22).
  if (!signed || role !== 'assistant') drop('PV-A24', 'a thinking block without signature was left out');
  else if (hasLone(str(block, 'thinking') ?? ''))
    drop('PV-A18', 'a thinking block with lone surrogates was left out');
  else if (isObject(member(block, 'cache_control')))
    draft.content(at, 'PV-A39', 'a cache mark on thinking was left out', [
      { op: 'remove', path: [...path, 'cache_control'] },
    ]);
}

function mendInput(draft: RepairDraft, at: number, block: Json, path: Path): void {
  if (!str(block, 'name'))
    draft.content(at, 'PV-A19', 'a call that names no tool got a name', [
      { op: 'set', path: [...path, 'name'], json: JSON.stringify(UNKNOWN_TOOL) },
    ]);
  const input = member(block, 'input');
  if (isObject(input)) return;
  const parsed = typeof input === 'string' ? parsedArgs(input) : undefined;
  const json = isObject(parsed)
    ? (input as string)
    : input === undefined || input === null || input === ''
      ? '{}'
      : JSON.stringify({ invalid_arguments: input });
  const edit: TextEdit = { op: 'set', path: [...path, 'input'], json };
  draft.content(at, 'PV-A19', 'call arguments became a JSON object', [edit], str(block, 'id'));
}

function mendBody(draft: RepairDraft, at: number, block: Json, path: Path): void {
  const body = member(block, 'content');
  if (body === undefined) return;
  const bodyPath: Path = [...path, 'content'];
  const empty = (b: unknown) => isObject(b) && b['type'] === 'text' && blank(str(b, 'text') ?? '');
  const placeholder = placeholderFor(body, empty);
  if (placeholder !== undefined) {
    const edit: TextEdit = { op: 'set', path: bodyPath, json: JSON.stringify(placeholder) };
    draft.content(at, 'PV-A17', 'an empty tool result got a placeholder', [edit], str(block, 'tool_use_id'));
  }
  if (placeholder !== undefined || !Array.isArray(body)) return;
  const edits: TextEdit[] = [];
  for (const [k, inner] of body.entries()) {
    const inside: Path = [...bodyPath, k];
    if (empty(inner)) edits.push({ op: 'remove', path: inside });
    else if (!isObject(inner))
      edits.push({
        op: 'set',
        path: inside,
        json: JSON.stringify({ type: 'text', text: typeof inner === 'string' ? inner : jsonOf(inner) }),
      });
    else edits.push(...hintEdits(inner, inside));
  }
  draft.content(at, 'PV-A17', 'blocks inside a tool result were mended', edits, str(block, 'tool_use_id'));
}

/** Text for a result's content that may not stand as it is. */
function placeholderFor(body: unknown, empty: (b: unknown) => boolean): string | undefined {
  if (typeof body === 'string') return blank(body) ? NO_OUTPUT : undefined;
  if (Array.isArray(body)) return body.every(empty) ? NO_OUTPUT : undefined;
  return body === null ? NO_OUTPUT : jsonOf(body);
}

/** Blank texts go; where nothing else is left, one placeholder stays in their stead. */
function mendBlanks(
  draft: RepairDraft,
  at: number,
  content: readonly unknown[],
  gone: Set<number>,
  effortOnly: boolean,
): boolean {
  const empty = new Set<number>();
  for (const [i, block] of content.entries()) {
    const text = isObject(block) && block['type'] === 'text' ? block['text'] : block;
    if (typeof text === 'string' && blank(text)) empty.add(i);
  }
  if (content.length - gone.size - empty.size > 0) {
    for (const i of empty) gone.add(i);
    draft.content(at, 'PV-A17', 'empty text blocks were left out', [...empty].map(remove));
    return false;
  }
  if (effortOnly) return false;
  for (const i of empty) gone.add(i);
  const placeholder: TextEdit = {
    op: 'append',
    path: ['content'],
    json: JSON.stringify({ type: 'text', text: NO_TEXT }),
  };
  draft.content(at, 'PV-A17', 'an empty message got a placeholder', [...[...empty].map(remove), placeholder]);
  return true;
}

// An Anthropic message as a neutral reading. Total: any JSON value gives one; what is not known stays opaque.
import { type Path, sliceValue, sliceValues } from '../../json/index.js';
import { anthropicMedia } from '../media.js';
import type { Media, Native, Part, Reading } from '../types.js';
import { isObject, type Json, jsonOf, member, str, utf8Bytes } from '../values.js';

/** Types of the results of server tools and MCP; they live beside their call in one assistant message (PV-A34). */
export function isServerResult(type: string | undefined): boolean {
  return type?.endsWith('_tool_result') === true;
}

export function isServerCall(type: string | undefined): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

export function readAnthropic(message: Native): Reading {
  const value = message.value;
  if (!isObject(value)) return { role: 'user', parts: [opaque(message.text, [])], ownText: '', marks: [] };
  const role = value['role'] === 'assistant' || value['role'] === 'system' ? value['role'] : 'user';
  const content = member(value, 'content');
  const marks: Path[] = [];
  if (typeof content === 'string')
    return { role, parts: [{ kind: 'text', path: ['content'], text: content }], ownText: content, marks };
  if (!Array.isArray(content)) {
    const odd = content !== undefined && content !== null;
    const parts = odd ? [opaque(sliceValue(message.text, ['content']) ?? '', ['content'])] : [];
    return { role, parts, ownText: '', marks };
  }
  const texts = needsTexts(content) ? sliceValues(message.text, ['content']) : undefined;
  const parts = content.map((block: unknown, i) => readBlock(block, i, texts?.[i] ?? '', marks));
  const own = parts.filter((p) => p.kind === 'text').map((p) => p.text ?? '');
  return { role, parts, ownText: own.join('\n'), marks };
}

/** Plain text, thinking and images are read from the value alone. */
function needsTexts(content: readonly unknown[]): boolean {
  return content.some((b) => !['text', 'thinking', 'image'].includes(str(b, 'type') ?? ''));
}

function opaque(text: string, path: Path, type?: string): Part {
  return { kind: 'opaque', path, text, ...(type === undefined ? {} : { type }) };
}

function readBlock(block: unknown, i: number, text: string, marks: Path[]): Part {
  const path: Path = ['content', i];
  if (!isObject(block)) return opaque(text, path);
  if (isMarked(block)) marks.push(path);
  const type = str(block, 'type');
  switch (type) {
    case 'text':
      if (typeof block['text'] !== 'string') return opaque(text, path, type);
      return { kind: 'text', path, type, text: block['text'] };
    case 'thinking':
      return { kind: 'thinking', path, type, text: str(block, 'thinking') ?? '' };
    case 'redacted_thinking':
      return { kind: 'thinking', path, type, text: '' };
    case 'tool_use':
      return readCall(block, path, text, type);
    case 'tool_result':
      return readResult(block, path, text, marks);
    case 'image':
      return { kind: 'image', path, type, media: [anthropicMedia('image', path, block)] };
    case 'document':
      return readDocument(block, path, type);
    default:
      break;
  }
  const part = opaque(text, path, type);
  const atom = isServerCall(type)
    ? str(block, 'id')
    : isServerResult(type)
      ? str(block, 'tool_use_id')
      : undefined;
  return atom === undefined ? part : { ...part, atom: `server:${atom}` };
}

export function isMarked(block: Json): boolean {
  return isObject(member(block, 'cache_control'));
}

function readCall(block: Json, path: Path, text: string, type: string): Part {
  // Without an id a call is known by its place alone, and so is its result.
  const id = str(block, 'id') ?? '';
  return {
    kind: 'tool_call',
    path,
    type,
    callId: id,
    tool: str(block, 'name') ?? '',
    args: member(block, 'input'),
    argsText: sliceValue(text, ['input']) ?? '',
    argsPath: [...path, 'input'],
  };
}

function readDocument(block: Json, path: Path, type: string): Part {
  const source = member(block, 'source');
  const media = anthropicMedia('document', path, block);
  // A text document is text: its tokens are those of the text, not of pages.
  const text = str(source, 'type') === 'text' ? str(source, 'data') : undefined;
  if (text !== undefined) return { kind: 'document', path, type, text };
  return { kind: 'document', path, type, media: [media] };
}

function readResult(block: Json, path: Path, blockText: string, marks: Path[]): Part {
  const id = str(block, 'tool_use_id') ?? '';
  const bodyPath: Path = [...path, 'content'];
  const part: Part = {
    kind: 'tool_result',
    path,
    type: 'tool_result',
    callId: id,
    bodyPath,
    text: '',
    bodyBytes: 0,
  };
  if (block['is_error'] === true) part.isError = true;
  const body = member(block, 'content');
  if (typeof body === 'string') return { ...part, text: body, bodyBytes: utf8Bytes(body) };
  if (body === undefined || body === null) return part;
  part.bodyBytes = utf8Bytes(sliceValue(blockText, ['content']) ?? '');
  if (!Array.isArray(body)) return { ...part, text: jsonOf(body) };
  const texts: string[] = [];
  const media: Media[] = [];
  for (const [k, inner] of body.entries()) {
    if (!isObject(inner)) continue;
    const at: Path = [...bodyPath, k];
    if (isMarked(inner)) marks.push(at);
    readInner(inner, at, texts, media);
  }
  return { ...part, text: texts.join('\n'), ...(media.length > 0 ? { media } : {}) };
}

function readInner(inner: Json, at: Path, texts: string[], media: Media[]): void {
  const type = str(inner, 'type');
  if (type === 'image') media.push(anthropicMedia('image', at, inner));
  else if (type === 'document') {
    const text = str(member(inner, 'source'), 'data');
    if (str(member(inner, 'source'), 'type') === 'text' && text !== undefined) texts.push(text);
    else media.push(anthropicMedia('document', at, inner));
  } else if (type === 'text') texts.push(str(inner, 'text') ?? '');
  // Search results, tool references and what may come: their JSON is what the model reads.
  else texts.push(jsonOf(inner));
}

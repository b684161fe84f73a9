// A Chat Completions message as a neutral reading. Total: any JSON value gives one.
import { type Path, sliceValue } from '../../json/index.js';
import { parsedArgs } from '../arguments.js';
import { mediaOf, mediaOfUrl } from '../media.js';
import type { Media, Native, Part, Reading } from '../types.js';
import { isObject, type Json, jsonOf, member, str, utf8Bytes } from '../values.js';

const ROLES: Record<string, Reading['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

export function readChat(message: Native): Reading {
  const value = message.value;
  if (!isObject(value))
    return {
      role: 'user',
      parts: [{ kind: 'opaque', path: [], text: message.text }],
      ownText: '',
      marks: [],
    };
  const roleName = str(value, 'role') ?? '';
  const role = Object.hasOwn(ROLES, roleName) ? ROLES[roleName]! : 'user';
  const marks: Path[] = [];
  const body = readContent(member(value, 'content'), ['content'], marks);
  // The answer to a `function_call`, which has no id: it follows its call, and is no part of a group.
  if (roleName === 'function') return { role, parts: body, ownText: '', marks };
  if (role === 'tool') {
    // Some servers name no call: the pair is then known by its place alone (PV-C3).
    const callId = str(value, 'tool_call_id') ?? '';
    return { role, parts: [resultPart(message, callId, body)], ownText: '', marks };
  }
  const parts: Part[] = [];
  if (role === 'assistant')
    for (const field of ['reasoning_content', 'reasoning'] as const) {
      const thought = str(value, field);
      if (thought !== undefined) parts.push({ kind: 'thinking', path: [field], type: field, text: thought });
    }
  parts.push(...body);
  const calls = member(value, 'tool_calls');
  if (role === 'assistant' && Array.isArray(calls))
    for (const [i, call] of calls.entries()) parts.push(callPart(call, ['tool_calls', i]));
  const own = body.filter((p) => p.kind === 'text').map((p) => p.text ?? '');
  return { role, parts, ownText: own.join('\n'), marks };
}

function resultPart(message: Native, callId: string, body: readonly Part[]): Part {
  const content = member(message.value, 'content');
  const media = body.flatMap((p) => p.media ?? []);
  const bytes =
    typeof content === 'string'
      ? utf8Bytes(content)
      : content === undefined || content === null
        ? 0
        : utf8Bytes(sliceValue(message.text, ['content']) ?? '');
  return {
    kind: 'tool_result',
    path: [],
    type: 'tool',
    callId,
    bodyPath: ['content'],
    bodyBytes: bytes,
    text: body.map((p) => p.text ?? '').join('\n'),
    ...(media.length > 0 ? { media } : {}),
  };
}

/** Content of a message or the output of a Responses item: a string, or a list of parts of either API. */
export function readContent(content: unknown, path: Path, marks: Path[]): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', path, text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [{ kind: 'opaque', path, text: jsonOf(content) }];
  return content.map((part: unknown, i) => {
    const at: Path = [...path, i];
    if (isObject(part) && isMarked(part)) marks.push(at);
    return readPart(part, at);
  });
}

export function isMarked(part: Json): boolean {
  return isObject(member(part, 'prompt_cache_breakpoint')) || isObject(member(part, 'cache_control'));
}

function readPart(part: unknown, path: Path): Part {
  const type = str(part, 'type');
  const kindOf = (kind: 'image' | 'document', media: Media): Part => ({
    kind,
    path,
    type: type!,
    media: [media],
  });
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal': {
      const text = str(part, type === 'refusal' ? 'refusal' : 'text');
      if (text !== undefined) return { kind: 'text', path, type, text };
      break;
    }
    case 'image_url':
      return kindOf('image', mediaOfUrl('image', path, part, urlOf(member(part, 'image_url'))));
    case 'input_image':
      return kindOf('image', mediaOfUrl('image', path, part, urlOf(member(part, 'image_url'))));
    case 'file':
      return kindOf('document', fileMedia(path, part, member(part, 'file')));
    case 'input_file':
      return kindOf('document', fileMedia(path, part, part));
    default:
      break;
  }
  return { kind: 'opaque', path, text: jsonOf(part), ...(type === undefined ? {} : { type }) };
}

function urlOf(image: unknown): string {
  return typeof image === 'string' ? image : (str(image, 'url') ?? '');
}

function fileMedia(path: Path, part: unknown, file: unknown): Media {
  const data = str(file, 'file_data');
  if (data === undefined) return mediaOf('document', path, part, {});
  return data.startsWith('data:')
    ? mediaOfUrl('document', path, part, data)
    : mediaOf('document', path, part, { data });
}

function callPart(call: unknown, path: Path): Part {
  const custom = member(call, 'custom');
  const isCall = isObject(member(call, 'function')) || isObject(custom);
  const id = str(call, 'id') ?? (isCall ? '' : undefined);
  if (id === undefined) return { kind: 'opaque', path, type: 'tool_call', text: jsonOf(call) };
  if (isObject(custom)) {
    // A custom tool takes free text: there is no JSON to parse or to shrink.
    const input = str(custom, 'input') ?? '';
    const argsPath: Path = [...path, 'custom', 'input'];
    const tool = str(custom, 'name') ?? '';
    return {
      kind: 'tool_call',
      path,
      type: 'custom',
      callId: id,
      tool,
      args: input,
      argsText: input,
      argsPath,
    };
  }
  const fn = member(call, 'function');
  const argsText = str(fn, 'arguments') ?? '';
  return {
    kind: 'tool_call',
    path,
    type: 'function',
    callId: id,
    tool: str(fn, 'name') ?? '',
    args: parsedArgs(argsText),
    argsText,
    argsPath: [...path, 'function', 'arguments'],
  };
}

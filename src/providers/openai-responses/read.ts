// An item of a Responses `input` as a neutral reading. Total: any JSON value gives one; unknown types stay opaque.
import { type Path, sliceValue } from '../../json/index.js';
import { parsedArgs } from '../arguments.js';
import { isMarked, readContent } from '../openai-chat/read.js';
import type { Native, Part, Reading } from '../types.js';
import { isObject, itemsAt, type Json, jsonOf, member, str, utf8Bytes } from '../values.js';
import { callOf, outputOf } from './items.js';

export function readItem(message: Native): Reading {
  const value = message.value;
  const opaque = (role: Reading['role']): Reading => {
    const type = str(value, 'type');
    const part: Part = {
      kind: 'opaque',
      path: [],
      text: message.text,
      ...(type === undefined ? {} : { type }),
    };
    return { role, parts: [part], ownText: '', marks: [] };
  };
  if (!isObject(value)) return opaque('user');
  const type = str(value, 'type') ?? (str(value, 'role') === undefined ? undefined : 'message');
  if (type === 'message') return readMessage(value);
  if (type === 'reasoning') return readReasoning(value);
  const call = callOf(value);
  if (call !== undefined) {
    // Without an id a call is known by its place alone, and so is its output.
    const callId = str(value, call.callKey) ?? '';
    const part: Part = {
      kind: 'tool_call',
      path: [],
      type: type!,
      callId,
      tool: str(value, 'name') ?? type!,
    };
    return { role: 'assistant', parts: [withArgs(part, value, call.args)], ownText: '', marks: [] };
  }
  const output = outputOf(value);
  if (output !== undefined) {
    const callId = str(value, output.outputKey) ?? str(value, 'call_id') ?? '';
    return readOutput(message, value, type!, callId, output.clearable);
  }
  // Server tools, compaction, references and what may come: the model's side, byte for byte.
  return opaque('assistant');
}

function readMessage(value: Json): Reading {
  const name = str(value, 'role');
  const role =
    name === 'assistant'
      ? 'assistant'
      : name === 'system' || name === 'developer'
        ? 'system'
        : ('user' as const);
  const marks: Path[] = [];
  const parts = readContent(member(value, 'content'), ['content'], marks);
  const own = parts.filter((p) => p.kind === 'text').map((p) => p.text ?? '');
  return { role, parts, ownText: own.join('\n'), marks };
}

function readReasoning(value: Json): Reading {
  const texts = [...itemsAt(value, ['summary']), ...itemsAt(value, ['content'])].map(
    (t) => str(t, 'text') ?? '',
  );
  const part: Part = { kind: 'thinking', path: [], type: 'reasoning', text: texts.join('\n') };
  return { role: 'assistant', parts: [part], ownText: '', marks: [] };
}

function withArgs(part: Part, value: Json, key: string | undefined): Part {
  if (key === undefined) {
    const action = member(value, 'action') ?? member(value, 'operation') ?? member(value, 'arguments');
    return { ...part, args: action, argsText: action === undefined ? '' : jsonOf(action) };
  }
  const argsText = str(value, key) ?? '';
  const args = key === 'arguments' ? parsedArgs(argsText) : argsText;
  return { ...part, args, argsText, argsPath: [key] };
}

function readOutput(message: Native, value: Json, type: string, callId: string, clearable: boolean): Reading {
  const marks: Path[] = [];
  const body = member(value, 'output');
  const screenshot = type === 'computer_call_output' && isObject(body);
  const parts = screenshot
    ? readContent([{ ...body, type: 'input_image' }], [], [])
    : readContent(body, ['output'], marks);
  const media = parts.flatMap((p) => p.media ?? []).map((m) => (screenshot ? { ...m, path: ['output'] } : m));
  const empty = body === undefined || body === null;
  const part: Part = {
    kind: 'tool_result',
    path: [],
    type,
    callId,
    text: parts.map((p) => p.text ?? '').join('\n'),
    bodyBytes:
      typeof body === 'string'
        ? utf8Bytes(body)
        : empty
          ? 0
          : utf8Bytes(sliceValue(message.text, ['output']) ?? ''),
    ...(clearable ? { bodyPath: ['output'] } : {}),
    ...(media.length > 0 ? { media } : {}),
  };
  if (isObject(body) && isMarked(body)) marks.push(['output']);
  return { role: 'tool', parts: [part], ownText: '', marks };
}

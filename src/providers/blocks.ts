// A content that is a plain string as a list of one text block, which is how a provider reads it, so that it can carry a
// cache mark; and OpenAI's explicit breakpoints (PV-C11, PV-R12). Exact texts in, exact texts out. Pure.
import { applyEdits, type Path, sliceValue, valueAt } from '../json/index.js';
import type { Format } from './types.js';
import { blank, isObject, member, str } from './values.js';

const EXPLICIT = '{"type":"explicit"}';
/** Input that takes an explicit breakpoint; what a model said does not. */
const MARKABLE = new Set(['text', 'input_text', 'image_url', 'input_image', 'file', 'input_file']);

/** Models that cache at exact breakpoints, explicit ones among them: `gpt-5.6` and later (PV-C10, C11). */
export function hasBreakpoints(model: string): boolean {
  const version = /(?:^|\/)gpt-(\d+)(?:\.(\d+))?/.exec(model);
  if (version === null) return false;
  const major = Number(version[1]);
  return major > 5 || (major === 5 && Number(version[2] ?? 0) >= 6);
}

/** The text as the only block of a list. @param text JSON string */
export function oneBlock(format: Format, text: string): string {
  return `[{"type":"${format === 'openai-responses' ? 'input_text' : 'text'}","text":${text}}]`;
}

/** Place of a message's blocks: its content, or the output of a Responses item. */
function bodyOf(message: unknown): Path {
  return str(message, 'type') === 'function_call_output' ? ['output'] : ['content'];
}

/** The message with its string content as one block; as it is where its content is anything else. */
export function inBlocks(format: Format, text: string, value: unknown): string {
  const path = bodyOf(value);
  const body = valueAt(value, path);
  if (typeof body !== 'string' || blank(body)) return text;
  return applyEdits(text, [{ op: 'set', path, json: oneBlock(format, sliceValue(text, path)!) }]);
}

/** Could the message carry an explicit breakpoint? */
export function takesBreakpoint(value: unknown): boolean {
  if (str(value, 'role') === 'assistant') return false;
  const body = valueAt(value, bodyOf(value));
  return typeof body === 'string' ? !blank(body) : lastMarkable(body) >= 0;
}

function lastMarkable(body: unknown): number {
  if (!Array.isArray(body)) return -1;
  return body.findLastIndex((b) => MARKABLE.has(str(b, 'type') ?? '') && str(b, 'text')?.trim() !== '');
}

/** The message with an explicit breakpoint on its last block; as it is where it has one, or has no place for it. */
export function withBreakpoint(text: string): string {
  const value: unknown = JSON.parse(text);
  const path = bodyOf(value);
  const body = valueAt(value, path);
  const last = lastMarkable(body);
  if (last < 0 || !Array.isArray(body)) return text;
  if (body.some((b) => isObject(member(b, 'prompt_cache_breakpoint')))) return text;
  return applyEdits(text, [{ op: 'set', path: [...path, last, 'prompt_cache_breakpoint'], json: EXPLICIT }]);
}

// What may be stored as a message at all. What a repair mends is let in, and so is what a provider may know and we do not:
// other block types, other fields. The rest would stand in every later request, which no provider takes.
import { isEffortOnly } from './anthropic/check.js';
import { applyDocEdits, repair } from './repair.js';
import { ROLES } from './roles.js';
import type { Format, FormatSpec, Native, Profile, Violation } from './types.js';
import { isObject, type Json, member, str } from './values.js';

const SHAPE: Readonly<Record<Format, { role: string; content: string }>> = {
  anthropic: { role: 'PV-A10', content: 'PV-A17' },
  'openai-chat': { role: 'PV-C7', content: 'PV-C6' },
  'openai-responses': { role: 'PV-R10', content: 'PV-C6' },
};

/** Of a message's text blocks, in any of the formats. */
const TEXT = new Set(['text', 'input_text', 'output_text']);

/**
 * The first reason why a message may not be stored; undefined for all but a few. Paths start at the message. O(blocks),
 * and a repair of the message alone where the checks find something.
 */
export function inadmissible(spec: FormatSpec, profile: Profile, message: Native): Violation | undefined {
  return misshapen(spec.format, message.value) ?? unmended(spec, profile, message);
}

/** What is no message in any reading. */
export function roleless(format: Format, { value }: Native): Violation | undefined {
  const isItem = format === 'openai-responses' && typeof member(value, 'type') === 'string';
  if (isItem || typeof member(value, 'role') === 'string') return undefined;
  return { rule: SHAPE[format].role, path: '/role', message: 'a message has no role' };
}

/** A role, a content or a block that is none: what the host meant by it nobody can tell. */
function misshapen(format: Format, value: unknown): Violation | undefined {
  const rules = SHAPE[format];
  if (!isObject(value)) return { rule: rules.role, path: '', message: 'a message is an object' };
  const isItem = format === 'openai-responses';
  // Items of the Responses API that are no messages have a type, and no role.
  const type = isItem ? str(value, 'type') : undefined;
  if (type !== undefined && type !== '' && type !== 'message') return undefined;
  const role = member(value, 'role');
  if (role === undefined) return { rule: rules.role, path: '/role', message: 'a message has no role' };
  if (typeof role !== 'string' || !ROLES[format].has(role))
    return {
      rule: rules.role,
      path: '/role',
      message: `role must be one of ${[...ROLES[format]].join(', ')}, not ${JSON.stringify(role)}`,
    };
  return badContent(value, role, rules.content);
}

/** Answers may have nothing to say (K25); who asks and says nothing has put it where nobody reads it. */
const MAY_BE_SILENT = new Set(['assistant', 'tool', 'function']);

function badContent(value: Json, role: string, rule: string): Violation | undefined {
  const content = member(value, 'content');
  if (content === undefined && !MAY_BE_SILENT.has(role) && !isEffortOnly(value))
    return { rule, path: '/content', message: `a message of role ${role} has content` };
  if (content === undefined || content === null || typeof content === 'string') return undefined;
  if (!Array.isArray(content))
    return { rule, path: '/content', message: `content is a text or a list of blocks, not ${kind(content)}` };
  for (const [i, block] of content.entries()) {
    const path = `/content/${i}`;
    // A bare string is read as a text block.
    if (typeof block === 'string') continue;
    if (!isObject(block))
      return { rule, path, message: `a block is an object with a type, not ${kind(block)}` };
    const type = block['type'];
    if (typeof type !== 'string' || type === '')
      return { rule, path: `${path}/type`, message: 'a block names its type' };
    if (TEXT.has(type) && typeof block['text'] !== 'string')
      return { rule, path: `${path}/text`, message: 'a text block holds a text' };
  }
  return undefined;
}

function kind(v: unknown): string {
  return v === null
    ? 'null'
    : Array.isArray(v)
      ? 'a list'
      : `${typeof v === 'object' ? 'an' : 'a'} ${typeof v}`;
}

/** What the checks still find in the message when it is mended by itself. */
function unmended(spec: FormatSpec, profile: Profile, message: Native): Violation | undefined {
  const [first] = spec.check(message);
  if (first === undefined) return undefined;
  const history = [{ native: message, reading: spec.read(message) }];
  const edits = repair(spec, history, 0, { pending: new Set(), profile }).flatMap((r) => r.edits);
  for (const text of applyDocEdits([message], edits)) {
    const [left] = spec.check({ text, value: JSON.parse(text) as unknown });
    if (left !== undefined) return left;
  }
  return undefined;
}

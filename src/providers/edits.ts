// Edits that take parts out of a history or shorten them and leave every message valid. They name stored positions.
import { applyEdits, type Path, type TextEdit } from '../json/index.js';
import type { DocEdit, Format, HistoryMessage, Part } from './types.js';
import { blank, isObject } from './values.js';

export interface PlacedPart {
  at: number;
  part: Part;
}

/** What stands for a message whose only content was taken out, where the roles around it need one. */
export const TAKEN_OUT = '(removed)';

/**
 * Takes parts out of their messages: thinking (whole blocks), or calls with their results (the caller names both).
 * A message that holds nothing else goes (PV-A7), except an assistant message that held thinking alone: it keeps a
 * placeholder, so that roles go on alternating. Responses: with a reasoning item the `id` of the call after it goes
 * too (PV-R4), and with a call the reasoning directly before it that produced nothing else (PV-R3).
 */
export function removeParts(
  format: Format,
  history: readonly HistoryMessage[],
  parts: readonly PlacedPart[],
): DocEdit[] {
  if (format === 'openai-responses') return removeItems(history, parts);
  const byMessage = new Map<number, Part[]>();
  for (const { at, part } of parts) {
    const list = byMessage.get(at);
    if (list === undefined) byMessage.set(at, [part]);
    else list.push(part);
  }
  const edits: DocEdit[] = [];
  for (const [at, gone] of [...byMessage].sort(([a], [b]) => a - b)) {
    const out = new Set(gone);
    const left = history[at]!.reading.parts.filter(
      (p) => !out.has(p) && !(p.kind === 'text' && blank(p.text ?? '')),
    );
    if (left.length > 0) edits.push(...removeFrom(gone, left).map((e) => ({ at, ...e })));
    else if (gone.every((p) => p.kind === 'thinking'))
      edits.push(...[...removeFrom(gone, left), placeholder(format)].map((e) => ({ at, ...e })));
    else edits.push({ op: 'drop', at });
  }
  return edits;
}

function placeholder(format: Format): TextEdit {
  const text = TAKEN_OUT;
  const json = format === 'anthropic' ? JSON.stringify([{ type: 'text', text }]) : JSON.stringify(text);
  return { op: 'set', path: ['content'], json };
}

function removeFrom(gone: readonly Part[], left: readonly Part[]): TextEdit[] {
  const chatCalls = (list: readonly Part[]) => list.filter((p) => p.path[0] === 'tool_calls');
  const edits: TextEdit[] = gone
    .filter((p) => p.path[0] !== 'tool_calls')
    .map((p) => ({ op: 'remove', path: p.path }));
  const calls = chatCalls(gone);
  if (calls.length === 0) return edits;
  // An empty list of calls is refused: the key goes with its last call (PV-C1).
  if (chatCalls(left).length === 0) edits.push({ op: 'remove', path: ['tool_calls'] });
  else for (const call of calls) edits.push({ op: 'remove', path: call.path });
  return edits;
}

function removeItems(history: readonly HistoryMessage[], parts: readonly PlacedPart[]): DocEdit[] {
  const gone = new Set(parts.map((p) => p.at));
  const isReasoning = (at: number) => history[at]?.reading.parts[0]?.type === 'reasoning';
  for (const { at, part } of parts) {
    if (part.kind !== 'tool_call') continue;
    // The next item of the same turn takes the reasoning over only if the model wrote one.
    let next = at + 1;
    while (gone.has(next)) next++;
    const follower = history[next]?.reading.role === 'assistant' && !isReasoning(next);
    for (let before = at - 1; !follower && isReasoning(before); before--) gone.add(before);
  }
  const edits: DocEdit[] = [];
  for (const at of [...gone].sort((a, b) => b - a)) {
    const next = at + 1;
    if (isReasoning(at) && !gone.has(next) && history[next]?.reading.role === 'assistant') {
      const release = releaseOf(history[next]!);
      // Reasoning before what cannot do without its id stays, and so does what stands before it.
      if (release === undefined) {
        for (let kept = at; gone.has(kept) && isReasoning(kept); kept--) gone.delete(kept);
        continue;
      }
      edits.push(...release.map((e) => ({ at: next, ...e })));
    }
    if (gone.has(at)) edits.push({ op: 'drop', at });
  }
  return edits.reverse();
}

/** Does reasoning have to stay for the item that it produced (PV-R3)? */
export function isNeeded(format: Format, history: readonly HistoryMessage[], at: number): boolean {
  const next = history[at + 1];
  if (format !== 'openai-responses' || next?.reading.role !== 'assistant') return false;
  return releaseOf(next) === undefined;
}

/**
 * What makes an item independent of the reasoning before it (PV-R4): without the `id` that refers to it. Undefined where the item is
 * known by its `id` alone: a hosted tool's call, a reference, and what may come.
 */
export function releaseOf({ native: { value }, reading }: HistoryMessage): TextEdit[] | undefined {
  const [part] = reading.parts;
  const isMessage = isObject(value) && typeof value['role'] === 'string';
  const isOther = isMessage || part?.type === 'reasoning' || part?.kind === 'tool_call';
  if (!isOther) return isObject(value) && 'id' in value ? undefined : [];
  const isBound = isMessage || (isObject(value) && 'call_id' in value);
  return isBound && 'id' in value ? [{ op: 'remove', path: ['id'] }] : [];
}

/** Thinking parts of one message. */
export function thinkingOf(at: number, message: HistoryMessage): PlacedPart[] {
  return message.reading.parts.filter((p) => p.kind === 'thinking').map((part) => ({ at, part }));
}

/**
 * Shortens every string leaf of a call's arguments that is longer than `maxChars` UTF-16 units to what `shorten`
 * makes of it. Leaves that would not get shorter stay. Undefined where nothing is to be shortened, or where the
 * arguments are no JSON object (PV-A19, PV-C5, PV-S8).
 */
export function shrinkInput(
  part: Part,
  maxChars: number,
  shorten: (text: string, path: Path) => string,
): TextEdit | undefined {
  if (!isObject(part.args) || part.argsPath === undefined || part.argsText === undefined) return undefined;
  const edits: TextEdit[] = [];
  const todo: { v: unknown; path: Path }[] = [{ v: part.args, path: [] }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { v, path } = next;
    if (typeof v === 'string') {
      if (v.length <= maxChars) continue;
      const short = shorten(v, path);
      if (short.length < v.length) edits.push({ op: 'set', path, json: JSON.stringify(short) });
    } else if (typeof v === 'object' && v !== null) {
      for (const key of Object.keys(v).reverse())
        todo.push({
          v: (v as Record<string, unknown>)[key],
          path: [...path, Array.isArray(v) ? Number(key) : key],
        });
    }
  }
  if (edits.length === 0) return undefined;
  const json = applyEdits(part.argsText, edits);
  // OpenAI's arguments are a string that holds the object.
  const inString = part.type === 'function' || part.type === 'function_call';
  return { op: 'set', path: part.argsPath, json: inString ? JSON.stringify(json) : json };
}

/** First `chars` UTF-16 units of a text, never half a surrogate pair (PV-A18). */
export function headOf(text: string, chars: number): string {
  const c = text.charCodeAt(chars - 1);
  return text.slice(0, c >= 0xd800 && c <= 0xdbff ? chars - 1 : chars);
}

/** Last `chars` UTF-16 units of a text, never half a surrogate pair. */
export function tailOf(text: string, chars: number): string {
  const start = Math.max(0, text.length - chars);
  const c = text.charCodeAt(start);
  return text.slice(c >= 0xdc00 && c <= 0xdfff ? start + 1 : start);
}

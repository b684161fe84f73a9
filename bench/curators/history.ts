// A history in the provider's shape as the units that other curators' message models have, and back: what a curator kept of
// it as messages of the provider again, byte for byte where it changed nothing. Pure.
import { applyEdits, type TextEdit } from '../../src/json/index.js';
import type { Native } from '../../src/json/native.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format, Part, Reading } from '../../src/providers/types.js';

/** A message as LangChain and the AI SDK see it: results stand alone, each for its call. */
export interface Unit {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Stored message, and which of its parts these are. */
  message: number;
  parts: number[];
  text: string;
  calls: { id: string; name: string; args: Record<string, unknown> }[];
  /** Of a result. */
  callId: string;
  tool: string;
}

/** A part that stays; `body`: what stands in place of a result's. A message without parts is its part -1. */
export interface Kept {
  message: number;
  part: number;
  body?: string;
}

export class History {
  readonly units: Unit[] = [];
  readonly readings: readonly Reading[];
  /** Units of the first i messages. */
  readonly #before: number[] = [0];
  readonly #messages: readonly Native[];
  readonly #format: Format;
  readonly #made = new Map<string, string | undefined>();

  constructor(format: Format, messages: readonly Native[], readings: readonly Reading[]) {
    this.#format = format;
    this.#messages = messages;
    this.readings = readings;
    const tools = new Map<string, string>();
    for (const [i, reading] of readings.entries()) {
      this.units.push(...unitsOf(reading, i, tools));
      this.#before.push(this.units.length);
    }
  }

  /** Units of the first messages. */
  upTo(messages: number): Unit[] {
    return this.units.slice(0, this.#before[messages]);
  }

  /** JSON texts of what stays, in the order of the history. */
  emit(kept: Iterable<Kept>): string[] {
    const byMessage = new Map<number, Map<number, string | undefined>>();
    for (const { message, part, body } of kept) {
      let parts = byMessage.get(message);
      if (parts === undefined) {
        parts = new Map();
        byMessage.set(message, parts);
      }
      parts.set(part, body);
    }
    const texts: string[] = [];
    for (const [message, parts] of [...byMessage].sort((a, b) => a[0] - b[0])) {
      const text = this.#text(message, parts);
      if (text !== undefined) texts.push(text);
    }
    return texts;
  }

  #text(message: number, parts: ReadonlyMap<number, string | undefined>): string | undefined {
    const { text } = this.#messages[message]!;
    const all = this.readings[message]!.parts;
    const isWhole = parts.has(-1) || parts.size === all.length;
    if (isWhole && [...parts.values()].every((body) => body === undefined)) return text;
    const key = `${message} ${JSON.stringify([...parts])}`;
    if (!this.#made.has(key)) this.#made.set(key, this.#edited(text, all, parts));
    return this.#made.get(key);
  }

  #edited(
    text: string,
    all: readonly Part[],
    parts: ReadonlyMap<number, string | undefined>,
  ): string | undefined {
    const spec = specOf(this.#format);
    const edits: TextEdit[] = [];
    const calls = all.filter((p) => p.kind === 'tool_call').length;
    let gone = 0;
    for (const [i, part] of all.entries()) {
      const body = parts.get(i);
      if (body !== undefined) edits.push(spec.marker(part, body));
      if (parts.has(i)) continue;
      // A string content can't go from a message that stays.
      if (part.path.length === 1 && part.path[0] === 'content')
        edits.push({ op: 'set', path: part.path, json: 'null' });
      else edits.push({ op: 'remove', path: part.path });
      if (part.kind === 'tool_call') gone++;
    }
    if (this.#format !== 'openai-chat' || gone === 0 || gone < calls) return applyEdits(text, edits);
    // An empty list of calls is no list.
    const others = edits.filter((e) => e.path[0] !== 'tool_calls');
    return applyEdits(text, [...others, { op: 'remove', path: ['tool_calls'] }]);
  }
}

function unitsOf(reading: Reading, message: number, tools: Map<string, string>): Unit[] {
  const { role } = reading;
  const unit = (role: Unit['role'], parts: number[]): Unit => {
    const of = parts.map((i) => reading.parts[i]!);
    return {
      role,
      message,
      parts: parts.length === 0 ? [-1] : parts,
      text: of
        .filter((p) => p.kind !== 'thinking' && p.kind !== 'tool_call')
        .map((p) => p.text ?? '')
        .join('\n'),
      calls: of
        .filter((p) => p.kind === 'tool_call')
        .map((p) => ({
          id: p.callId ?? '',
          name: p.tool ?? '',
          args: (p.args ?? {}) as Record<string, unknown>,
        })),
      callId: of[0]?.callId ?? '',
      tool: tools.get(of[0]?.callId ?? '') ?? '',
    };
  };
  for (const p of reading.parts) if (p.kind === 'tool_call') tools.set(p.callId ?? '', p.tool ?? '');
  const results = reading.parts.flatMap((p, i) => (p.kind === 'tool_result' ? [i] : []));
  const others = reading.parts.flatMap((p, i) => (p.kind === 'tool_result' ? [] : [i]));
  const units = results.map((i) => unit('tool', [i]));
  if (others.length > 0 || results.length === 0) units.push(unit(role === 'tool' ? 'user' : role, others));
  return units;
}

/** The whole of some units. */
export function whole(units: readonly Unit[]): Kept[] {
  return units.flatMap(({ message, parts }) => parts.map((part) => ({ message, part })));
}

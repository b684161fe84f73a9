// The messages of a summary in shared memory: written there piece by piece and read by a worker, where cloning a long history
// would hold up the thread that sends it. UTF-16, so that every text comes over as it is, lone surrogates included.

import { inPieces } from '../pool/pieces.js';
import type { SourceMessage } from './source.js';

export interface PackedSources {
  /** UTF-16 units of all texts, one behind the other. */
  text: SharedArrayBuffer;
  /** Message by message: numbers, and lengths of its texts in units. */
  table: Uint32Array;
}

const ROLES = ['user', 'assistant', 'system', 'tool'] as const satisfies readonly SourceMessage['role'][];

/** Texts of a message, in the order in which they stand. */
function textsOf(m: SourceMessage): string[] {
  return [
    m.text,
    ...m.calls.flatMap((c) => [c.id, c.tool, c.args]),
    ...m.results.flatMap((r) => [r.id, r.tool, r.text]),
  ];
}

/** The messages must not change meanwhile. */
export async function packSources(messages: readonly SourceMessage[]): Promise<PackedSources> {
  const table: number[] = [];
  const texts = (
    await inPieces(messages, (m) => {
      const own = textsOf(m);
      const errors = m.results.map((r) => (r.error ? 1 : 0));
      table.push(m.at, m.turn, ROLES.indexOf(m.role), m.calls.length, m.results.length, ...errors);
      for (const text of own) table.push(text.length);
      return own;
    })
  ).flat();
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  const text = new SharedArrayBuffer(units * 2);
  const bytes = Buffer.from(text);
  let at = 0;
  await inPieces(texts, (t) => {
    at += bytes.write(t, at, 'utf16le');
  });
  return { text, table: Uint32Array.from(table) };
}

/** A string of bytes where the text is one: half the memory, and faster to search. */
function stringOf(units: Uint16Array): string {
  for (let i = 0; i < units.length; i += 1) {
    if (units[i]! > 0xff)
      return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
  }
  return Buffer.from(units).toString('latin1');
}

export function unpackSources({ text, table }: PackedSources): SourceMessage[] {
  const units = new Uint16Array(text);
  const messages: SourceMessage[] = [];
  let next = 0;
  let at = 0;
  const number = () => table[next++]!;
  const string = () => {
    const end = at + number();
    const found = stringOf(units.subarray(at, end));
    at = end;
    return found;
  };
  while (next < table.length) {
    const [place, turn, role, calls, results] = [number(), number(), ROLES[number()]!, number(), number()];
    const errors = Array.from({ length: results }, () => number() === 1);
    messages.push({
      at: place,
      turn,
      role,
      text: string(),
      calls: Array.from({ length: calls }, () => ({ id: string(), tool: string(), args: string() })),
      results: errors.map((error) => ({ id: string(), tool: string(), text: string(), error })),
    });
  }
  return messages;
}

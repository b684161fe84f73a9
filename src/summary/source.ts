// What a summary is made from: messages reduced to plain data that can cross to a worker. Thinking never gets in
// (PV-A32), and neither does anything of ours. Pure.

import type { Reading } from '../providers/types.js';

export interface SourceCall {
  id: string;
  tool: string;
  /** JSON text of the arguments. */
  args: string;
}

export interface SourceResult {
  id: string;
  tool: string;
  text: string;
  error: boolean;
}

export interface SourceMessage {
  /** Stored position. */
  at: number;
  turn: number;
  role: Reading['role'];
  /** Text typed in this message, images and documents as a word. */
  text: string;
  calls: SourceCall[];
  results: SourceResult[];
}

/** What was said in a message: all that decisions are found in. */
export type Said = Pick<SourceMessage, 'at' | 'role' | 'text'>;

/** Text typed in a message, images and documents as a word. */
export function saidOf(reading: Reading): string {
  const texts: string[] = [];
  for (const part of reading.parts) {
    if (part.kind === 'text' && (part.text ?? '').trim() !== '') texts.push(part.text!);
    else if (part.kind === 'image' || part.kind === 'document') texts.push(`[${part.kind}]`);
  }
  return texts.join('\n\n');
}

/** @param toolOf name of the tool behind a result part, where the session knows it */
export function sourceOf(
  at: number,
  turn: number,
  reading: Reading,
  toolOf: (part: number) => string | undefined,
): SourceMessage {
  const out: SourceMessage = { at, turn, role: reading.role, text: saidOf(reading), calls: [], results: [] };
  reading.parts.forEach((part, i) => {
    if (part.kind === 'tool_call') {
      out.calls.push({ id: part.callId ?? '', tool: part.tool ?? '', args: part.argsText ?? '{}' });
    } else if (part.kind === 'tool_result') {
      const media = (part.media ?? []).map((m) => `[${m.kind}]`);
      out.results.push({
        id: part.callId ?? '',
        tool: toolOf(i) ?? part.tool ?? '',
        text: [part.text ?? '', ...media].filter((t) => t !== '').join('\n'),
        error: part.isError === true,
      });
    }
  });
  return out;
}

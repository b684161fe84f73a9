// Where a history may be cut so that no call loses its result (L4-4, L4-5, NS-8), and what of a group stays together. Pure.

import { REFERENCE } from '../providers/openai-responses/items.js';
import type { Format, Reading } from '../providers/types.js';

/** Messages `from` to `to` belong together: a call and its result, reasoning and the item it produced. */
export interface Span {
  from: number;
  to: number;
}

/** Bonds of a history, paired by position: hosts reuse ids, so each result goes to the oldest open call of its id. */
export function spansOf(readings: readonly Reading[], format: Format): Span[] {
  const open = new Map<string, number[]>();
  const server = new Map<string, number>();
  const spans: Span[] = [];
  /** First reference of the model's newest turn: it may stand for the call of an output that has none (Responses). */
  let reference = -1;
  readings.forEach((reading, at) => {
    if (reading.role === 'assistant') {
      if (readings[at - 1]?.role !== 'assistant') reference = -1;
      if (reference < 0 && reading.parts[0]?.type === REFERENCE) reference = at;
    }
    for (const part of reading.parts) {
      const id = part.callId ?? '';
      if (part.kind === 'tool_call') {
        const waiting = open.get(id);
        if (waiting === undefined) open.set(id, [at]);
        else waiting.push(at);
        // Calls in a row are one turn of the model: what stands in for a result that never came stands behind them all.
        if (format === 'openai-responses' && calls(readings[at + 1])) spans.push({ from: at, to: at + 1 });
      } else if (part.kind === 'tool_result') {
        const call = open.get(id)?.shift();
        if (call !== undefined && call < at) spans.push({ from: call, to: at });
        else if (call === undefined && reference >= 0) spans.push({ from: reference, to: at });
      } else if (format === 'openai-responses' && part.kind === 'thinking' && at + 1 < readings.length)
        spans.push({ from: at, to: at + 1 });
      else if (format === 'anthropic' && part.atom !== undefined) {
        // A paused turn: the result of a server tool stands in a later message of the model's than its call (PV-A34).
        const call = server.get(part.atom);
        if (call === undefined) server.set(part.atom, at);
        else if (call < at) spans.push({ from: call, to: at });
        if (call !== undefined) server.delete(part.atom);
      }
    }
  });
  return spans;
}

function calls(reading: Reading | undefined): boolean {
  return reading?.parts.some((p) => p.kind === 'tool_call') === true;
}

/**
 * The largest cut at or before `wanted` that no bond crosses: message `cut` is the first of the tail. 0 = no cut.
 * One pass over the bonds from the back reaches the fixpoint: a cut that moves left to a bond's start can only be crossed
 * by bonds that start still further left.
 */
export function safeSplit(spans: readonly Span[], wanted: number): number {
  let cut = wanted;
  for (const span of [...spans].sort((a, b) => b.from - a.from)) {
    if (span.from < cut && cut <= span.to) cut = span.from;
  }
  return Math.max(0, cut);
}

// Halves of server tool pairs in Anthropic messages (PV-A34). Pairs that spread over neighbouring assistant messages, or
// that wait for a client tool which a program called, are the provider's own and stay.
import { isServerCall, isServerResult } from '../anthropic/read.js';
import type { HistoryMessage, Part } from '../types.js';
import { isObject, itemsAt, member } from '../values.js';

/** Server calls without a result and results without a call in message `at`, where nothing can still complete them. */
export function lonelyServerParts(history: readonly HistoryMessage[], at: number): Part[] {
  const { role, parts } = history[at]!.reading;
  if (role !== 'assistant' || !parts.some((p) => p.atom !== undefined)) return [];
  // Assistant messages in a row are one turn.
  let start = at;
  while (history[start - 1]?.reading.role === 'assistant') start -= 1;
  const turn = history.slice(start, at + 1).flatMap((m) => m.reading.parts);
  const calls = new Set(turn.filter((p) => isServerCall(p.type)).map((p) => p.atom));
  const results = new Set(parts.filter((p) => isServerResult(p.type)).map((p) => p.atom));
  const mayEnd = start < at || callsFromProgram(history[at]) || history[at + 1]?.reading.role !== 'user';
  const mayStart = callsFromProgram(history[start - 2]);
  return parts.filter((p) => {
    if (p.atom === undefined) return false;
    return isServerCall(p.type) ? !mayEnd && !results.has(p.atom) : !mayStart && !calls.has(p.atom);
  });
}

/** Does a program of the provider call client tools in this message? */
function callsFromProgram(message: HistoryMessage | undefined): boolean {
  return itemsAt(message?.native.value, ['content']).some((b) => isObject(member(b, 'caller')));
}

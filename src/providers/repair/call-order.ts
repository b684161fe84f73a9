// What repairs see to beyond the rules of the sequence: new ids for calls, and results in the order of their calls. Where
// the rules find nothing and this holds, a repair has nothing to do.
import type { HistoryMessage } from '../types.js';
import { firstCalls } from './ids.js';

/** True if no call from `from` on has an id that the stored history, what is no longer sent included, has used before. */
export function hasNewIds(history: readonly HistoryMessage[], from: number): boolean {
  const first = firstCalls(history);
  for (let at = from; at < history.length; at += 1) {
    for (const { kind, callId } of history[at]!.reading.parts)
      if (kind === 'tool_call' && callId !== undefined && first.get(callId)! < at) return false;
  }
  return true;
}

/**
 * True if the results in messages from `from` on follow the order of the calls that they answer: those of the newest
 * message with calls before them. Costs what is new and its round.
 */
export function inCallOrder(history: readonly HistoryMessage[], from: number): boolean {
  let start = from;
  // Only a result goes back to its call: what is new and has none costs no walk.
  if (answersEarlier(history, from)) while (start > 0 && !calls(history[start]!)) start -= 1;
  const ranks = new Map<string, number>();
  let last = -1;
  for (let at = start; at < history.length; at += 1) {
    const { parts } = history[at]!.reading;
    // Calls of one message, or of several in a row (Responses), are one round.
    if (calls(history[at]!) && last >= 0) {
      ranks.clear();
      last = -1;
    }
    for (const part of parts) {
      if (part.kind === 'tool_call') {
        // A second call under the id is not told apart here.
        if (ranks.has(part.callId ?? '')) return false;
        ranks.set(part.callId ?? '', ranks.size);
      } else if (part.kind === 'tool_result') {
        const rank = ranks.get(part.callId ?? '');
        if (rank === undefined || rank < last) return false;
        last = rank;
      }
    }
  }
  return true;
}

/** Does a result come before any call, among what is new? */
function answersEarlier(history: readonly HistoryMessage[], from: number): boolean {
  for (let at = from; at < history.length; at += 1) {
    for (const { kind } of history[at]!.reading.parts) {
      if (kind === 'tool_call') return false;
      if (kind === 'tool_result') return true;
    }
  }
  return false;
}

function calls({ reading }: HistoryMessage): boolean {
  return reading.parts.some((p) => p.kind === 'tool_call');
}

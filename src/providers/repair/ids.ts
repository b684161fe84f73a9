// Where each call id of a history first stands. Kept beside the history's array, so that a growing one is read once.
import type { HistoryMessage } from '../types.js';

interface Index {
  upTo: number;
  last: HistoryMessage | undefined;
  first: Map<string, number>;
}

const indexes = new WeakMap<readonly HistoryMessage[], Index>();

/** Position of the first message that calls under each id. The history may only grow between two calls, or is read anew. */
export function firstCalls(history: readonly HistoryMessage[]): ReadonlyMap<string, number> {
  let index = indexes.get(history);
  if (index === undefined || index.upTo > history.length || history[index.upTo - 1] !== index.last) {
    index = { upTo: 0, last: undefined, first: new Map() };
    indexes.set(history, index);
  }
  for (; index.upTo < history.length; index.upTo++) {
    const message = history[index.upTo]!;
    index.last = message;
    for (const part of message.reading.parts)
      if (part.kind === 'tool_call' && part.callId !== undefined && !index.first.has(part.callId))
        index.first.set(part.callId, index.upTo);
  }
  return index.first;
}

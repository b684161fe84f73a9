// The open round: the newest calls whose results are not all in, or whose results the model has not answered yet. Pure.

import type { SessionState } from './state.js';

/** First stored message of the open round; `messages.length` when none is open. O(round). */
export function openFrom(state: SessionState): number {
  const { messages } = state;
  let at = messages.length;
  let results = false;
  while (at > 0) {
    const { reading } = messages[at - 1]!;
    const hasResult = reading.parts.some((p) => p.kind === 'tool_result');
    const hasCall = reading.parts.some((p) => p.kind === 'tool_call');
    if (reading.role === 'assistant' && hasCall) return groupStart(state, at - 1);
    if (!hasResult && !(results && reading.role === 'assistant')) {
      // A genuine message behind the results answers them: nothing is open unless a call waits right before.
      return results ? at : messages.length;
    }
    results = true;
    at -= 1;
  }
  return results ? 0 : messages.length;
}

/** Is the newest message a genuine user message with no round open (PROVIDERS: boundary)? */
export function atRest(state: SessionState): boolean {
  return openFrom(state) === state.messages.length;
}

/** May bytes that were sent be changed now? With bound thinking only at rest (PV-A31). */
export function mayEdit(state: SessionState, bound: boolean): boolean {
  return !bound || state.sent.messages === 0 || atRest(state);
}

/** With openai-responses each parallel call is an item of its own. */
function groupStart(state: SessionState, at: number): number {
  let start = at;
  while (state.format === 'openai-responses' && start > 0) {
    const { reading } = state.messages[start - 1]!;
    if (
      reading.role !== 'assistant' ||
      !reading.parts.some((p) => p.kind === 'tool_call' || p.kind === 'thinking')
    ) {
      break;
    }
    start -= 1;
  }
  return start;
}

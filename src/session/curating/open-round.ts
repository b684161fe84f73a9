// The open round: the newest calls whose results are not all in, or whose results the model has not answered yet; and what
// may be edited while models that bind their thinking (PV-A25) think on. Pure.

import type { SessionState } from '../state/state.js';

/** First stored message of the open round; `messages.length` when none is open. O(round). */
export function openFrom(state: SessionState): number {
  const { messages } = state;
  let at = messages.length;
  let results = false;
  while (at > 0) {
    const { reading } = messages[at - 1]!;
    // The operator's words among the messages answer nothing (PV-A12).
    if (reading.role === 'system') {
      at -= 1;
      continue;
    }
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

/**
 * The newest main request has not been answered as far as we know: thinking that is on its way is bound to what it carried. Only
 * where the model has thought before.
 */
export function thinksOn({ sent, messages, thoughts }: SessionState): boolean {
  return sent.requests > 0 && sent.messages === messages.length && thoughts.any;
}

/**
 * First stored message that may be edited now; -1 where everything may, the list of tools too. An edit voids all bound
 * thinking behind it, which goes with it (PV-A26), but that of the loop that still runs has to stay (PV-A23): nothing before it is
 * edited (PV-A31). Where the loop has none, or only before the edit, nothing forbids it. Amortised O(new).
 */
export function freeFrom(state: SessionState, bound: boolean): number {
  if (!bound || atRest(state)) return -1;
  const newest = state.thoughts.newest(state.ledger, state.messages);
  return newest < state.thoughts.loopFrom ? -1 : newest + 1;
}

/** May these messages leave the request now? Thinking of the running loop that leaves with them binds nothing any more. */
export function mayLeave(
  state: SessionState,
  bound: boolean,
  range: { from: number; to: number; keep: ReadonlySet<number> },
): boolean {
  if (freeFrom(state, bound) <= range.from) return true;
  const { thoughts, ledger, messages } = state;
  const first = Math.max(range.from, thoughts.loopFrom);
  for (const at of thoughts.standing(ledger, messages, first))
    if (at > range.to || range.keep.has(at)) return false;
  return true;
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

// Halves of server tool pairs in Anthropic messages (PV-A34). Pairs that spread over neighbouring assistant messages, or
// that wait for a client tool which a program called, are the provider's own and stay.
import { isServerCall, isServerResult } from '../anthropic/read.js';
import type { HistoryMessage, Part } from '../types.js';
import { isObject, itemsAt, member } from '../values.js';

export interface LonelyPart {
  at: number;
  part: Part;
}

/**
 * Server calls without a result and results without a call before them, in the messages from `from` on, where nothing can complete
 * them any more: the walk of walk.ts, from the turn on that was running at `from`.
 * @param parted places before which a message of the user's is put
 */
export function lonelyServerParts(
  history: readonly HistoryMessage[],
  from: number,
  parted: ReadonlySet<number>,
): LonelyPart[] {
  const out: LonelyPart[] = [];
  const open = new Map<string, LonelyPart>();
  const close = () => {
    out.push(...open.values());
    open.clear();
  };
  let waits = false;
  for (let at = turnStart(history, from); at < history.length; at += 1) {
    const { role, parts } = history[at]!.reading;
    if (parted.has(at) && !waits) close();
    if (role !== 'assistant') {
      if (!waits) close();
      continue;
    }
    // Everything before a compaction is ignored (PV-A35).
    if (parts[0]?.type === 'compaction') open.clear();
    for (const part of parts) {
      if (part.atom === undefined) continue;
      if (isServerResult(part.type)) {
        if (!open.delete(part.atom)) out.push({ at, part });
      } else if (isServerCall(part.type)) {
        const twin = open.get(part.atom);
        if (twin !== undefined) out.push(twin);
        open.set(part.atom, { at, part });
      }
    }
    waits = open.size > 0 && (waits || callsFromProgram(history[at]));
  }
  // What is still open at the end is a paused turn: it may go on.
  return out.filter(({ at }) => at >= from);
}

/** First message of the turn that message `from` may go on: assistant messages in a row, and those that wait for client tools. */
function turnStart(history: readonly HistoryMessage[], from: number): number {
  let start = from;
  for (;;) {
    while (history[start - 1]?.reading.role === 'assistant' && !isAnswered(history, start - 1)) start -= 1;
    if (history[start - 1]?.reading.role !== 'user' || !callsFromProgram(history[start - 2])) return start;
    start -= 2;
  }
}

/** Does an assistant message follow calls of message `at`? What answers them, ours or the host's, stands between. */
function isAnswered(history: readonly HistoryMessage[], at: number): boolean {
  const follows = history[at + 1]?.reading.role === 'assistant';
  return (
    follows &&
    !callsFromProgram(history[at]) &&
    history[at]!.reading.parts.some((p) => p.kind === 'tool_call')
  );
}

/** Does a program of the provider call client tools in this message? */
function callsFromProgram(message: HistoryMessage | undefined): boolean {
  return itemsAt(message?.native.value, ['content']).some((b) => isObject(member(b, 'caller')));
}

// What providers would refuse in new messages is mended before it is sent (F32), as journalled edits; the stored history
// stays as it came.

import { priced } from '../curation/priced.js';
import { pointer, type TextEdit } from '../json/index.js';
import { Native } from '../json/native.js';
import { hasNewIds, inCallOrder } from '../providers/repair/call-order.js';
import { isOfRepair } from '../providers/repair/draft.js';
import { isPlain } from '../providers/repair/template.js';
import { repair } from '../providers/repair.js';
import type { FormatSpec, Reading } from '../providers/types.js';
import type { Draft } from './commit.js';
import { tokensOf, tokensWith } from './edit-tokens.js';
import { event } from './events.js';
import type { Session } from './session.js';
import { violationsOf } from './validity.js';

/** @returns the number of messages that are mended now; `done`: what an earlier pass of the same call gave */
export function repairNew(session: Session, draft: Draft, pending: ReadonlySet<string>, done = 0): number {
  const { state } = session;
  const from = Math.max(state.repaired, Math.min(done, state.messages.length));
  if (from >= state.messages.length) return from;
  // What is valid gets no edit, and the checks have to look at what is new in any case.
  session.rendering.sync(state);
  const { messages } = state;
  const isOrdered = hasNewIds(messages, from) && inCallOrder(messages, from);
  if (isOrdered && violationsOf(session).length === 0) return messages.length;
  const counting = {
    messages: state.messages,
    tokensChanged: (at: number, edits: readonly TextEdit[]) => tokensWith(session, at, edits),
  };
  const repairs = repair(state.spec, state.messages, from, {
    pending,
    profile: session.profile,
    closed: closedBefore(session, from),
    headed: state.format === 'openai-chat' && state.system !== undefined,
    sent: sentBefore(session, from),
    declared: session.staticFaults.declared(state),
  });
  // A message is counted once, however many repairs it has: the first of its edits carries what all of them change.
  const all = priced(
    counting,
    repairs.flatMap((r) => r.edits),
  );
  let next = 0;
  for (const r of repairs) {
    const own = all.slice(next, next + r.edits.length);
    next += r.edits.length;
    const edits = own.map((e) => (e.op === 'insert' ? { ...e, delta: tokensOf(session, e.json) } : e));
    draft.push(
      event('session.repaired', {
        what: r.what,
        rule: r.rule,
        ...(r.callId === undefined ? {} : { tool_call_id: r.callId }),
        ...(edits[0] === undefined ? {} : { message: 'at' in edits[0] ? edits[0].at : edits[0].before }),
        ...(r.frozen === undefined ? {} : { frozen: r.frozen.map((f) => `${f.at}${pointer(f.path)}`) }),
        _edits: edits,
      }),
    );
  }
  return state.messages.length;
}

/** Do stand-ins of ours answer the calls of the last message before `from`? */
function closedBefore({ state }: Session, from: number): boolean {
  return state.ledger
    .insertsBefore(from)
    .some((e) => e.op === 'insert' && isOfRepair(e.id) && answers(state.spec, e.json));
}

function answers(spec: FormatSpec, json: string): boolean {
  return spec.read(new Native(json)).parts.some((p) => p.kind === 'tool_result');
}

/** The end of what was sent before stored message `from`: back to a message that every template sees, and the one before. */
function sentBefore({ rendering }: Session, from: number): Reading[] {
  const end = rendering.ownIndexOf(from);
  let start = end;
  while (start > 0 && !isPlain(rendering.pieces[start - 1]!.reading)) start -= 1;
  return rendering.pieces.slice(Math.max(0, start - 1), end).map((p) => p.reading);
}

// What providers would refuse in new messages is mended before it is sent (F32), as journalled edits; the stored history
// stays as it came.

import { priced } from '../../curation/priced.js';
import { pointer, type TextEdit } from '../../json/index.js';
import { Native } from '../../json/native.js';
import { isEffortOnly } from '../../providers/anthropic/check.js';
import { hasNewIds, inCallOrder } from '../../providers/repair/call-order.js';
import { isOfRepair } from '../../providers/repair/draft.js';
import { changesWait } from '../../providers/repair/mid-system.js';
import { isPlain } from '../../providers/repair/template.js';
import { repair } from '../../providers/repair.js';
import type { FormatSpec, Reading } from '../../providers/types.js';
import type { Draft } from '../commit.js';
import { tokensOf, tokensWith } from '../request/edit-tokens.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { violationsOf } from '../validity/validity.js';

/** @returns the number of messages that are mended now; `done`: what an earlier pass of the same call gave */
export function repairNew(session: Session, draft: Draft, pending: ReadonlySet<string>, done = 0): number {
  const { state } = session;
  const from = Math.max(state.repaired, Math.min(done, state.messages.length));
  if (from >= state.messages.length) return from;
  // What is valid gets no edit, and the checks have to look at what is new in any case.
  session.rendering.sync(state);
  const { messages } = state;
  const waits = session.profile.midSystem && state.format === 'anthropic' && changesWait(messages, from);
  const isOrdered = !waits && hasNewIds(messages, from) && inCallOrder(messages, from);
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
    endsInSystem: endsInSystem(session, from),
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

/**
 * Do stand-ins of ours answer the calls of the last message before `from`, or of the items that end the model's turn there? So do
 * they where a call went because we can write no output for it.
 */
function closedBefore({ state }: Session, from: number): boolean {
  const { ledger, messages, spec } = state;
  const isModels = (at: number) => messages[at]?.reading.role === 'assistant';
  for (let at = from; ; at -= 1) {
    const inserts = ledger.insertsBefore(at);
    if (inserts.some((e) => e.op === 'insert' && isOfRepair(e.id) && answers(spec, e.json))) return true;
    if (spec.format !== 'openai-responses' || !isModels(at - 1)) return false;
    if (ledger.isDropped(at - 1) && messages[at - 1]!.reading.parts[0]?.kind === 'tool_call') return true;
    if (!isModels(at - 2)) return false;
  }
}

/** Is a system message that a repair put in the last that was sent? One that only sets the effort stands anywhere. */
function endsInSystem({ state }: Session, from: number): boolean {
  const { ledger, messages, spec } = state;
  for (let at = from; ; at -= 1) {
    const inserts = ledger.insertsBefore(at);
    if (
      inserts.some((e) => e.op === 'insert' && isOfRepair(e.id) && readingOf(spec, e.json).role === 'system')
    )
      return true;
    if (at === 0 || !isEffortOnly(messages[at - 1]!.native.value)) return false;
  }
}

function answers(spec: FormatSpec, json: string): boolean {
  return readingOf(spec, json).parts.some((p) => p.kind === 'tool_result');
}

function readingOf(spec: FormatSpec, json: string): Reading {
  return spec.read(new Native(json));
}

/** The end of what was sent before stored message `from`: back to a message that every template sees, and the one before. */
function sentBefore({ rendering }: Session, from: number): Reading[] {
  const end = rendering.ownIndexOf(from);
  let start = end;
  while (start > 0 && !isPlain(rendering.pieces[start - 1]!.reading)) start -= 1;
  return rendering.pieces.slice(Math.max(0, start - 1), end).map((p) => p.reading);
}

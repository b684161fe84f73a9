// What a call of llm.prepare brings: the whole history again, or only what is new.

import { sliceIn } from '../../json/index.js';
import { Native } from '../../json/native.js';
import type { Draft } from '../commit.js';
import { reconcile, same } from '../intake/reconcile.js';
import { voidedBy } from '../mending/void-thinking.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { type AppendParams, take } from './append.js';
import { setStatic } from './open.js';
import type { PrepareParams } from './prepared.js';

/**
 * Messages of the call: the whole history again, or only what is new, or none.
 * @returns the first of them from which on bound thinking is void; Infinity: none is
 */
export async function takeIn(session: Session, p: PrepareParams, draft: Draft): Promise<number> {
  const { state } = session;
  let fresh: readonly Native[] = p.append ?? [];
  let offset = 0;
  let voided = Number.POSITIVE_INFINITY;
  if (p.messages !== undefined) {
    const { messages, system } = historyOf(session, p.messages);
    if (system !== undefined) await setStatic(session, { system }, draft);
    const found = reconcile(state.messages, messages);
    offset = p.messages.length - found.rest.length;
    if (found.diverged) {
      if (session.profile.modelClass === 'AB') voided = voidedBy(state, found.common, found.rest);
      draft.push(
        event('session.diverged', {
          index: found.common,
          dropped_messages: state.messages.length - found.common,
          dropped_decisions: state.ledger.standingOn(found.common),
        }),
      );
    }
    const remarked = found.remarked.filter((m) => state.ledger.editsOf(m.at).length === 0);
    if (remarked.length > 0) draft.push(event('session.remarked', { messages: remarked }));
    fresh = [...found.rest, ...fresh];
  }
  const resent = fresh.length - (p.append?.length ?? 0);
  const placeOf = (i: number) => (i < resent ? `/messages/${offset + i}` : `/append/${i - resent}`);
  if (fresh.length === 0) return voided;
  const taking: AppendParams = { messages: fresh, placeOf };
  if (p.hintMap !== undefined)
    taking.hints = new Map([...p.hintMap].map(([at, hint]) => [at - offset, hint] as const));
  await take(session, taking, draft);
  return voided;
}

/**
 * With openai-chat the system given at open comes back as the first message of a resent history: it is no news. Where the rest is
 * the history that we hold, which has no system message at its head, another text there is the agent's new system prompt, not a
 * second one beside the old.
 */
function historyOf(
  session: Session,
  messages: readonly Native[],
): { messages: readonly Native[]; system?: Native } {
  const { state } = session;
  const [first, ...rest] = messages;
  if (state.format !== 'openai-chat' || state.system === undefined || first === undefined)
    return { messages };
  const { role, content, ...others } = first.value as { role?: unknown; content?: unknown };
  if (role !== 'system') return { messages };
  if (same({ content }, { content: state.system.native.value })) return { messages: rest };
  const [stored] = state.messages;
  const isEdited =
    stored !== undefined &&
    stored.reading.role !== 'system' &&
    same(stored.native.value, rest[0]?.value) &&
    Object.keys(others).length === 0 &&
    (typeof content === 'string' || Array.isArray(content));
  return isEdited
    ? { messages: rest, system: new Native(sliceIn(first.kept(), ['content'])!) }
    : { messages };
}

// New messages on their way in: read, measured in the pool, turned into events. Nothing is decided about them here.

import { CuratedError, fail } from '../../errors.js';
import { inadmissible, roleless } from '../../providers/admit.js';
import type { Native } from '../../providers/types.js';
import { combine, type Measure, measureMessage } from '../../tokens/request-count.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event, type MessageHint, type Payloads } from '../state/events.js';
import { readHinted } from './hints.js';
import { remember } from './readings.js';
import { short, type Taken, takenFrom } from './taken.js';

/** Reads and measures messages. One pool call for all of them. */
export async function measureAll(
  session: Session,
  messages: readonly Native[],
  hints?: ReadonlyMap<number, MessageHint>,
): Promise<Taken[]> {
  const { taken: before } = session.deps;
  if (before === undefined || (hints?.size ?? 0) > 0) return measureNew(session, messages, hints);
  const known = messages.map((m) => before.get(m));
  if (known.every((t) => t !== undefined)) return known as Taken[];
  const taken = await measureNew(session, messages, hints);
  for (const t of taken) before.set(t.native, t);
  return taken;
}

async function measureNew(
  session: Session,
  messages: readonly Native[],
  hints?: ReadonlyMap<number, MessageHint>,
): Promise<Taken[]> {
  const { spec } = session.state;
  const { image } = session.profile;
  const readings = messages.map((native, i) => readHinted(spec, native, hints?.get(i)?.media));
  const measures = readings.map((reading) => measureMessage(reading, image));
  const texts: string[] = [];
  for (const m of measures) texts.push(...m.texts);
  const counts = await session.deps.pool.countTokens(texts, session.encoding);
  let from = 0;
  return messages.map((native, i) => {
    const measure = measures[i]!;
    const { taken } = takenFrom(native, readings[i]!, measure, counts, from);
    from += measure.texts.length;
    const hint = hints?.get(i);
    if (hint !== undefined) taken.hint = hint;
    return taken;
  });
}

/** Tokens of what is no message: the system prompt, the tool definitions; `each` has those of each block or definition. */
export async function measured(
  session: Session,
  measure: Measure,
): Promise<{ tokens: number; features: number[]; each: number[] }> {
  const counts = await session.deps.pool.countTokens(measure.texts, session.encoding);
  const { tokens, features, parts } = combine(measure, counts);
  return { tokens, features: features.map(short), each: parts };
}

export function checkLimits(session: Session, n: number): void {
  const { messagesAnAppend, messagesATurn } = session.deps.limits;
  if (n > messagesAnAppend) {
    fail('LIMIT', `${n} messages in one append, at most ${messagesAnAppend}`, {
      detail: { limit: 'append_messages', max: messagesAnAppend },
    });
  }
  checkTurnLimit(session, n, messagesATurn);
}

export function checkTurnLimit(session: Session, n: number, max = session.deps.limits.messagesATurn): void {
  if (session.state.turnMessages + n > max) {
    fail('LIMIT', `more than ${max} messages in one turn`, {
      detail: { limit: 'turn_messages', max },
    });
  }
}

/** Where a message of the call stands in its parameters, as a JSON pointer. */
export type PlaceOf = (i: number) => string;

/**
 * Refuses what no repair can make a message of this format: stored, it would stand in every later request. What is only passed
 * on (`off`, `observe`) goes as it came.
 */
export function checkShape(
  session: Session,
  messages: readonly Native[],
  placeOf: PlaceOf = (i) => `/messages/${i}`,
): void {
  const { state, settings, profile } = session;
  for (const [i, m] of messages.entries()) {
    const found =
      settings.mode === 'enforce' ? inadmissible(state.spec, profile, m) : roleless(state.format, m);
    if (found === undefined) continue;
    const place = placeOf(i);
    throw new CuratedError('INVALID_MESSAGES', `${found.rule}: ${found.message}`, {
      path: `${place}${found.path}`,
      detail: {
        index: Number(place.slice(place.lastIndexOf('/') + 1)),
        pointer: found.path,
        rule: found.rule,
      },
    });
  }
}

/** What an event says of a value that was redacted on its way in. */
export function redactionsOf(native: Native): { redactions?: number } {
  return native.redactions === undefined ? {} : { redactions: native.redactions };
}

function vetoOf(hint: MessageHint | undefined): { _meta?: { vetoed: true; veto_reason?: string } } {
  if (hint?.vetoed === undefined) return {};
  return { _meta: { vetoed: true, ...(hint.vetoed === '' ? {} : { veto_reason: hint.vetoed }) } };
}

/** Takes a message into the history: its own event, then those of what it means. */
export function pushMessage(session: Session, taken: Taken, draft: Draft): void {
  const { state } = session;
  const at = state.messages.length;
  const { reading, tokens, features, hint } = taken;
  const message: Payloads['session.message'] = {
    id: `m${state.seq + 1}`,
    at,
    role: reading.role,
    text: taken.native.text,
    tokens,
    features,
  };
  if (taken.bodies.length > 0) message.bodies = taken.bodies;
  if (taken.native.redactions !== undefined) message.redactions = taken.native.redactions;
  if (hint !== undefined) message.hint = hint;
  remember(message, taken.native, reading);
  draft.push(event('session.message', message));
  if (reading.role === 'user' && reading.ownText !== '' && hint?.preload !== true) {
    draft.push(event('io.input', { message: at, tokens, ...vetoOf(hint) }));
  }
  if (reading.role === 'assistant') draft.push(event('llm.response', { message: at }));
  for (let part = 0; part < reading.parts.length; part += 1) {
    const p = reading.parts[part]!;
    if (p.kind === 'tool_call') {
      draft.push(event('tool.invoke', { id: p.callId ?? '', name: p.tool ?? '', message: at, part }));
    } else if (p.kind === 'tool_result') {
      const result = state.calls.results.findLast((r) => r.at === at && r.part === part);
      const said: Payloads['tool.result'] = {
        id: p.callId ?? '',
        tool: result?.tool ?? '',
        message: at,
        part,
        size: p.bodyBytes ?? 0,
      };
      if (p.isError === true) said.error = true;
      draft.push(event('tool.result', said));
    }
  }
}

// Handlers that look: journal, counting, subscriptions, the daemon itself.

import { CuratedError, fail } from '../errors.js';
import { counterOf } from '../pool/counters.js';
import { openRpcDocument, type Params } from '../protocol/index.js';
import { profileOf } from '../providers/profile.js';
import { specOf } from '../providers/spec.js';
import type { Format, Native } from '../providers/types.js';
import { readJournal } from '../session/commands/read.js';
import { replay } from '../session/commands/replay.js';
import { readHinted } from '../session/hints.js';
import { events } from '../session/load.js';
import { bisect } from '../session/past/bisect.js';
import { diffOf } from '../session/past/diff.js';
import { type ProjectedEvent, project, type Signal } from '../session/project.js';
import { encodingOf } from '../tokens/encoding.js';
import { estimate, priorFor } from '../tokens/estimator.js';
import { addFeatures, noFeatures } from '../tokens/features.js';
import {
  combine,
  type Measure,
  measureMessage,
  measureSystem,
  measureTools,
} from '../tokens/request-count.js';
import type { Caller, Handlers, Rooms } from './context.js';
import { hintMap } from './session-calls.js';

export const READ_CALLS: Handlers = {
  'rpc.discover': (_caller, _p, rooms) => openRpcDocument(rooms.version) as Record<string, unknown>,
  'daemon.status': (caller, _p, rooms) => rooms.status(caller.tenant),
  'daemon.stop': (_caller, _p, rooms) => {
    rooms.stop();
    return { stopping: true };
  },
  'test.clock': (_caller, p, rooms) => {
    if (rooms.advance === undefined) fail('METHOD_NOT_FOUND', 'test.clock needs CURATED_TEST_CLOCK=1');
    return { now: rooms.advance(p.advance_sec * 1000) };
  },

  'journal.read': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    await actor.idle();
    return readJournal(rooms.store, actor.key, p);
  },

  'journal.replay': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    await actor.idle();
    return replay(rooms.store, actor.key, p.to_seq);
  },

  'journal.bisect': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const upTo = await actor.read('read', () => actor.session.state.seq);
    return bisect(rooms.store, actor.key, p.text, upTo);
  },

  'journal.diff': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    await actor.idle();
    return diffOf(rooms.store, actor.key, p);
  },

  'tokens.count': (_caller, p, rooms) => countTokens(p, rooms),

  'session.subscribe': (caller, p, rooms) =>
    p.session === '*' ? subscribeAll(caller, p.from_seq, rooms) : subscribeOne(caller, p, rooms),
};

async function subscribeOne(
  caller: Caller,
  p: Params<'session.subscribe'>,
  rooms: Rooms,
): Promise<{ seq: number }> {
  const actor = await rooms.registry.known(caller.tenant, p.session);
  caller.subscriptions.get(p.session)?.();
  // Who listens to all sessions has each event of this one by that already.
  const send = (session: string, e: ProjectedEvent | Signal) => {
    if (!caller.subscriptions.has('*')) caller.notify(session, e);
  };
  const seq = await actor.subscribe(send, async (upTo) => {
    if (p.from_seq === undefined) return;
    if (p.from_seq > upTo + 1) {
      throw new CuratedError('SEQ_GAP', `the journal ends at seq ${upTo}`, {
        detail: { expected: upTo + 1 },
      });
    }
    for await (const { event } of events(rooms.store, actor.key, p.from_seq, upTo)) {
      caller.notify(p.session, project(event));
    }
  });
  const leave = () => actor.unsubscribe(send);
  const stays = caller.onEnd(leave);
  caller.subscriptions.set(p.session, () => {
    leave();
    stays();
  });
  return { seq };
}

/** All sessions of the tenant, those to come included. With `from_seq` each known one is read from there first. */
async function subscribeAll(
  caller: Caller,
  fromSeq: number | undefined,
  rooms: Rooms,
): Promise<{ seq: number }> {
  caller.subscriptions.get('*')?.();
  const seen = new Map<string, number>();
  let catching = fromSeq !== undefined;
  const held: [string, ProjectedEvent | Signal][] = [];
  const send = (session: string, e: ProjectedEvent | Signal) => {
    if (catching) held.push([session, e]);
    else caller.notify(session, e);
  };
  rooms.registry.subscribeAll(caller.tenant, send);
  const leave = () => rooms.registry.unsubscribeAll(caller.tenant, send);
  const stays = caller.onEnd(leave);
  caller.subscriptions.set('*', () => {
    leave();
    stays();
  });
  if (fromSeq !== undefined) {
    for (const { session } of await rooms.registry.list(caller.tenant)) {
      for await (const { event } of events(rooms.store, { tenant: caller.tenant, session }, fromSeq)) {
        caller.notify(session, project(event));
        seen.set(session, event.seq);
      }
    }
    catching = false;
    for (const [session, e] of held)
      if (e.seq === undefined || e.seq > (seen.get(session) ?? 0)) caller.notify(session, e);
  }
  return { seq: 0 };
}

async function countTokens(p: Params<'tokens.count'>, rooms: Rooms) {
  const { text, messages, tools, system } = p;
  if ([text, messages, tools, system].every((part) => part === undefined))
    fail('BAD_TYPE', 'nothing to count: give text, messages, tools or system', { path: '/text' });
  const { encoding, exact } =
    p.encoding !== undefined ? { encoding: p.encoding, exact: true } : encodingOf(p.model ?? 'gpt-5');
  const count = counterOf(encoding, rooms.pool);
  if (p.text !== undefined && p.messages === undefined && p.tools === undefined && p.system === undefined) {
    const tokens = (await count([p.text]))[0]!;
    return { tokens, encoding, exact };
  }
  const format = guessFormat(p.messages ?? []);
  const { image } = profileOf(format, p.model ?? '');
  const spec = specOf(format);
  const measures: Measure[] = [];
  if (p.text !== undefined) measures.push(measureSystem(p.text));
  if (p.system !== undefined) measures.push(measureSystem(p.system.value));
  if (p.tools !== undefined) measures.push(measureTools(p.tools.value as unknown[], format));
  const known = hintMap(p.hints);
  for (const [i, m] of (p.messages ?? []).entries()) {
    measures.push(measureMessage(readHinted(spec, m, known.get(i)?.media), image));
  }
  const counts = await count(measures.flatMap((m) => m.texts));
  let first = 0;
  let tokens = 0;
  let features = noFeatures();
  for (const m of measures) {
    const measured = combine(m, counts, first);
    first += m.texts.length;
    tokens += measured.tokens;
    features = addFeatures(features, measured.features);
  }
  if (exact || p.model === undefined) return { tokens, encoding, exact };
  const guess = estimate(priorFor(p.model), features);
  return { tokens: guess.tokens, encoding, exact, p95: guess.p95 };
}

/** Parts that only one format has. */
const FORMAT_OF_PART: Readonly<Record<string, Format | undefined>> = Object.assign(Object.create(null), {
  image_url: 'openai-chat',
  file: 'openai-chat',
  input_audio: 'openai-chat',
  refusal: 'openai-chat',
  input_text: 'openai-responses',
  output_text: 'openai-responses',
  input_image: 'openai-responses',
  input_file: 'openai-responses',
});

/** The format that messages are written in, by what only one of them has. */
function guessFormat(messages: readonly Native[]): Format {
  for (const m of messages) {
    const value = m.value as { role?: unknown; type?: unknown; tool_calls?: unknown; content?: unknown };
    if (value.role === 'tool' || value.tool_calls !== undefined || value.role === 'system')
      return 'openai-chat';
    if (typeof value.type === 'string' && value.type !== 'message') return 'openai-responses';
    const parts = Array.isArray(value.content) ? value.content : [];
    for (const part of parts) {
      const format = FORMAT_OF_PART[String((part as { type?: unknown } | null)?.type)];
      if (format !== undefined) return format;
    }
  }
  return 'anthropic';
}

// Handlers that look: journal, counting, subscriptions, the daemon itself.

import { fail } from '../errors.js';
import { counterOf } from '../pool/counters.js';
import { openRpcDocument, type Params } from '../protocol/index.js';
import { profileOf } from '../providers/profile.js';
import { specOf } from '../providers/spec.js';
import type { Format, Native } from '../providers/types.js';
import { readJournal } from '../session/commands/read.js';
import { replay } from '../session/commands/replay.js';
import { readHinted } from '../session/intake/hints.js';
import { bisect } from '../session/past/bisect.js';
import { diffOf } from '../session/past/diff.js';
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
import type { Handlers, Rooms } from './context.js';
import { hintMap } from './session-calls.js';
import { subscribe, unsubscribe } from './subscriptions.js';

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
    return actor.beside(() => readJournal(rooms.store, actor.key, p));
  },

  'journal.replay': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.beside(() => replay(rooms.store, actor.key, p.to_seq));
  },

  'journal.bisect': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    const upTo = await actor.read('read', () => actor.session.state.seq);
    return actor.beside(() => bisect(rooms.store, actor.key, p.text, upTo));
  },

  'journal.diff': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.beside(() => diffOf(rooms.store, actor.key, p));
  },

  'tokens.count': (_caller, p, rooms) => countTokens(p, rooms),

  'session.subscribe': subscribe,

  'session.unsubscribe': async (caller, p) => ({ ended: unsubscribe(caller, p.session) }),
};

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

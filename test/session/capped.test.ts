// The cap of the base history: what the view keeps, what stays valid, what comes back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Native } from '../../src/json/native.js';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format } from '../../src/providers/types.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import {
  COMPACTION,
  compact,
  events,
  FakeSummariser,
  journal,
  open,
  prepare,
  S,
  texts,
} from './condensing.js';

const CAPPED = 'nexus.memory.capped';

function capped(max: number): Json {
  return { blocks: { [CAPPED]: { max_messages: max } } };
}

test('H-1 over the cap the view keeps the newest messages; the journal keeps all, and a handle gives them back', async () => {
  const d = new BenchDaemon();
  await open(d, [CAPPED], capped(4));
  const said = Array.from({ length: 5 }, (_, i) => [user(`question ${i}`), assistant(`answer ${i}`)]).flat();
  const { request, curated } = await prepare(d, [...said, user('now')]);
  assert.deepEqual(
    request.messages.slice(-4).map((m: Json) => texts([m])),
    [assistant('answer 3'), user('question 4'), assistant('answer 4'), user('now')].map((m) => texts([m])),
  );
  // The assistant may not speak first: a word of ours stands there (PV-A10).
  assert.equal(request.messages.length, 5);
  assert.match(texts([request.messages[0]]), /newest 4/);
  assert.equal(curated.length, 1);
  assert.deepEqual([curated[0].layer, curated[0].cache_invalidates], ['capped', false]);
  const [told] = events(d, 'memory.capped');
  assert.deepEqual([told.covers, told.message_count], [[0, 6], 7]);
  const back = await d.call('recall.get', { handle: told.handle });
  assert.deepEqual(back.parts, said.slice(0, 7));
  assert.equal((await d.call('session.messages', { session: S })).messages.length, 11);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('H-1 P-7 the word of ours that stands for what was left out changes with each cut: it is told from there on', async () => {
  const d = new BenchDaemon();
  await open(d, [CAPPED], { ...capped(4), curated: { boundary: 'round' } });
  const sent: Json[][] = [];
  const history: Json[] = [];
  for (let i = 0; i < 6; i += 1) {
    history.push(user(`question ${i}`));
    // An edit before the cut's end brings back what was left out; then nothing that stands before it goes out.
    if (i === 4) history[2] = user('question 1, edited');
    const { request, curated } = await prepare(d, undefined, { messages: history });
    const told = curated.filter((c: Json) => c.cache_invalidates).map((c: Json) => c.first_message);
    const same = Math.min(i === 4 ? 0 : Number.POSITIVE_INFINITY, ...told, sent.at(-1)?.length ?? 0);
    assert.deepEqual(request.messages.slice(0, same), (sent.at(-1) ?? []).slice(0, same), `request ${i}`);
    sent.push(request.messages);
    await d.call('turn.end', { session: S });
    history.push(assistant(`answer ${i}`));
  }
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('H-1 PV-S4 NS-21 no user is left by the cut: a word of ours stands there, and the durable block moves with notice', async () => {
  const d = new BenchDaemon();
  const chat = { format: 'openai-chat', model: 'gpt-4o' };
  await open(d, [CAPPED], { ...capped(4), ...chat, curated: { boundary: 'round' } });
  await d.call('durable.add_decision', { session: S, text: 'Use port 7443' });
  const round = (id: string): Json[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'run', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: `out ${id}` },
  ];
  let sent = (await prepare(d, [user('go')])).request.messages as Json[];
  for (const id of ['a', 'b', 'c', 'd']) {
    await d.call('session.append', { session: S, messages: round(id) });
    const { decisions } = await d.call('turn.end', { session: S, final: false });
    const { request, curated } = await prepare(d);
    const told = [...decisions, ...curated]
      .filter((c: Json) => c.cache_invalidates)
      .map((c: Json) => c.first_message);
    const same = Math.min(...told, sent.length);
    assert.deepEqual(request.messages.slice(0, same), sent.slice(0, same), id);
    assert.ok(request.messages.length <= 6, id);
    assert.equal(texts(request.messages).split('Use port 7443').length, 2, id);
    sent = request.messages;
  }
  assert.match(texts(sent, 'user'), /newest 4/);
  assert.equal((await journalOf(d, 'cap_unfit')).length, 0);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

async function journalOf(d: BenchDaemon, what: string): Promise<Json[]> {
  return (await journal(d, 'memory.diagnostic')).filter((e) => e.what === what);
}

test('H-1 where all that stood before a change has left, the request is made anew from the start', async () => {
  for (const max of [2, 3, 4, 5, 6]) {
    const d = new BenchDaemon();
    await open(d, [CAPPED], capped(max));
    const history = Array.from({ length: 6 }, (_, i) => [
      user(`question ${i}`),
      assistant(`answer ${i}`),
    ]).flat();
    await prepare(d, [...history, user('now')]);
    for (let i = 0; i < 4; i += 1) {
      history[2 + i * 2] = user(`question ${i}, edited`);
      history.push(user(`again ${i}`));
      const { request } = await prepare(d, undefined, { messages: history });
      assert.match(texts(request.messages), new RegExp(`again ${i}`));
      await d.call('turn.end', { session: S });
      history.push(assistant(`so ${i}`));
    }
    assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  }
});

test('H-1 a result at the front whose call is gone leaves with it; the open round stays whole', async () => {
  const d = new BenchDaemon();
  await open(d, [CAPPED], { ...capped(3), format: 'openai-chat', model: 'gpt-4o' });
  const call = (id: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'run', arguments: '{}' } }],
  });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `out ${id}` });
  const first = await prepare(d, [user('go'), call('a'), result('a'), assistant('done'), user('next')]);
  assert.deepEqual(first.request.messages, [assistant('done'), user('next')]);
  const round = [call('b'), result('b'), call('c'), result('c'), call('d'), result('d')];
  const second = await prepare(d, round);
  assert.deepEqual(second.request.messages.slice(-2), [call('d'), result('d')]);
});

test('H-1 P-7 what was sent is cut at boundaries alone, and says so', async () => {
  const d = new BenchDaemon();
  await open(d, [CAPPED], { ...capped(4), curated: { boundary: 'turn' } });
  await prepare(d, [user('one')]);
  await d.call('session.append', { session: S, messages: [assistant('1'), user('two'), assistant('2')] });
  const over = await prepare(d, [user('three'), assistant('3'), user('four')]);
  assert.equal(over.request.messages.length, 7, 'no boundary yet');
  const { decisions } = await d.call('turn.end', { session: S });
  const told = decisions.find((e: Json) => e.layer === 'capped');
  assert.deepEqual([told.cache_invalidates, told.first_message], [true, 0]);
  const after = await prepare(d);
  assert.equal(
    texts(after.request.messages.slice(-4)),
    texts([assistant('2'), user('three'), assistant('3'), user('four')]),
  );
  const again = await prepare(d);
  assert.deepEqual(again.request.messages, after.request.messages);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('H-1 H-2 a summary stays whatever the cap, and the cap counts what follows it', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [CAPPED, COMPACTION], {
    blocks: { [CAPPED]: { max_messages: 6 }, [COMPACTION]: { protect_recent: 2 } },
  });
  const long = (n: number) => [
    user(`q${n} ${'word '.repeat(200)}`),
    assistant(`a${n} ${'word '.repeat(200)}`),
  ];
  await prepare(d, [...long(1), ...long(2), ...long(3)]);
  await d.call('turn.end', { session: S });
  await compact(d);
  assert.equal(events(d, 'memory.compacted').length, 1);
  for (let i = 4; i < 9; i += 1) {
    await prepare(d, long(i));
    await d.call('turn.end', { session: S });
  }
  const { request } = await prepare(d);
  assert.match(texts([request.messages[0]]), /Prior Context \(Compacted\)/);
  assert.equal(request.messages.length, 1 + 6);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

const FORMATS: readonly [Format, string][] = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai-chat', 'gpt-4o'],
];

test('H-1 property: whatever comes, the request is valid, and at a boundary at the cap or one open round', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...FORMATS),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 20 }),
      async ([format, model], max, kinds) => {
        const d = new BenchDaemon();
        await open(d, [CAPPED], { ...capped(max), format, model });
        const spec = specOf(format);
        await prepare(d, [user('start')]);
        for (const [n, kind] of kinds.entries()) {
          await d.call('session.append', { session: S, messages: piece(format, kind, n) });
          await d.call('turn.end', { session: S });
          const { request } = await prepare(d);
          const walk = spec.walk(profileOf(format, model));
          const found = request.messages.flatMap((m: Json, i: number) => {
            const native = new Native(JSON.stringify(m));
            return [...walk.push(spec.read(native), native, i), ...spec.check(native)];
          });
          assert.deepEqual([...found, ...walk.finish()], []);
          assert.ok(request.messages.length <= Math.max(max, 5) + 1, `${request.messages.length} of ${max}`);
        }
        assert.equal((await d.call('journal.replay', { session: S })).identical, true);
      },
    ),
    { numRuns: 25 },
  );
});

function piece(format: Format, kind: number, n: number): Json[] {
  if (kind === 0) return [assistant(`said ${n}`), user(`asked ${n}`)];
  if (kind === 1) return [assistant(`said ${n}`), user(`asked ${n}`), user(`and ${n}`)];
  const ids = kind === 2 ? [`t${n}`] : [`t${n}a`, `t${n}b`];
  if (format === 'anthropic') {
    if (kind === 2) return [...toolRound(ids[0]!, 'run', {}, `out ${n}`), assistant('ok'), user('on')];
    return [
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'run', input: {} })) },
      { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })) },
      assistant('ok'),
      user('on'),
    ];
  }
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'run', arguments: '{}' } })),
    },
    ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: `out ${id}` })),
    assistant('ok'),
    user('on'),
  ];
}

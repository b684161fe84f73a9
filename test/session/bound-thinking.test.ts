// What may be edited while a model that binds its thinking to what stands before it (PV-A25) works in a long loop of calls.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Native } from '../../src/json/native.js';
import { specOf } from '../../src/providers/spec.js';
import type { Reading } from '../../src/providers/types.js';
import { Thoughts } from '../../src/session/mending/thoughts.js';
import { Ledger } from '../../src/session/state/ledger.js';
import { checkRequest } from '../conformance/rules/check.js';
import { anthropicProfile } from '../conformance/rules/profile.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { COMPACTION, compact, FakeSummariser, GATE, open, prepare, S } from './condensing.js';

const CLEAR = 'nexus.memory.tool_result_clear';
const MODEL = 'claude-opus-5-5';
const BODY = 'a line of what was found in the file\n'.repeat(60);

type Block = (round: number) => Json | undefined;

const thinking: Block = (i) => ({ type: 'thinking', thinking: `hm ${i}`, signature: `sig-${i}` });
const redacted: Block = (i) => ({ type: 'redacted_thinking', data: `data-${i}` });

/** A call and its result, with what was thought before the call. */
function round(i: number, thought?: Json): Json[] {
  const [call, result] = toolRound(`t${i}`, 'read', { path: `f${i}.ts` }, `${i} ${BODY}`);
  if (thought !== undefined) call.content.unshift(thought);
  return [call, result];
}

interface Played {
  requests: Json[];
  /** Rounds that were played before a call failed. */
  rounds: number;
  failed?: string;
}

/** One task and a loop of rounds in a window that holds about a dozen; each request is checked against those before. */
async function loop(
  d: BenchDaemon,
  before: Json[],
  rounds: number,
  block: Block,
  config: Json = {},
): Promise<Played> {
  const requests: Json[] = [];
  await d.call('session.open', {
    session: S,
    format: 'anthropic',
    model: MODEL,
    preset: 'balanced',
    context_window: 16_000,
    max_output_tokens: 2_000,
    config,
  });
  const ask = async (append: Json[]) => {
    const { request } = await prepare(d, append);
    assert.deepEqual(checkRequest(request, anthropicProfile(MODEL), requests), []);
    requests.push(request);
  };
  let i = 0;
  try {
    for (const m of before) {
      if (m.role === 'user') await ask([m]);
      else {
        await d.call('session.append', { session: S, messages: [m] });
        await d.call('turn.end', { session: S });
      }
    }
    for (; i < rounds; i += 1) await ask(round(i, block(i)));
    return { requests, rounds: i };
  } catch (e) {
    const { kind } = e as { kind?: string };
    if (kind === undefined) throw e;
    return { requests, rounds: i, failed: kind };
  }
}

async function replays(d: BenchDaemon): Promise<void> {
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
}

test('PV-A31 L5-1 a loop that nothing was thought in is curated like any other, however long', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  const played = await loop(d, [user('go')], 60, () => undefined);
  assert.deepEqual([played.rounds, played.failed], [60, undefined]);
  await replays(d);
});

for (const [name, block] of Object.entries({ thinking, redacted }))
  test(`PV-A31 PV-A23 ${name} at the start of a loop stays, and only what is behind it is edited`, async () => {
    const d = new BenchDaemon({ summariser: new FakeSummariser() });
    const eager = { [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 }, active: [CLEAR] };
    const rule = { plugins: eager, curated: { cost_rule: 'off', clear_at_least: 0, keep: { tool_uses: 3 } } };
    const played = await loop(d, [user('go')], 40, (i) => (i === 0 ? block(0) : undefined), rule);
    assert.deepEqual([played.rounds, played.failed], [40, undefined]);
    const first = [user('go'), round(0, block(0))[0]].map((m) => JSON.stringify(m));
    const stands = (r: Json) => first.every((text, i) => JSON.stringify(r.messages[i]) === text);
    const edited = (r: Json) => JSON.stringify(r.messages).includes('cleared=');
    // Results behind it are edited; a summary may take it with its whole round.
    assert.ok(played.requests.some((r) => stands(r) && edited(r)));
    for (const r of played.requests.slice(1).filter((r) => !stands(r))) {
      const blocks = r.messages.flatMap((m: Json) => (Array.isArray(m.content) ? m.content : []));
      assert.ok(blocks.every((b: Json) => !String(b.type).includes('thinking')));
    }
    await replays(d);
  });

test('PV-A31 PV-A26 thinking of turns that are over goes with an edit before it, in the midst of a loop without any', async () => {
  const said = (i: number) => ({
    role: 'assistant',
    content: [thinking(100 + i), { type: 'text', text: `answer ${i}` }],
  });
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  const before = [user('a'), said(1), user('b'), said(2), user('go')];
  const played = await loop(d, before, 60, () => undefined);
  assert.deepEqual([played.rounds, played.failed], [60, undefined]);
  await replays(d);
});

test('PV-A31 PV-A23 a loop that is thought in at every round keeps all of it, and ends in a typed error at worst', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  const played = await loop(d, [user('go')], 40, thinking);
  assert.equal(played.failed, 'CONTEXT_IRREDUCIBLE');
  for (const r of played.requests.slice(1)) {
    const kept = r.messages.flatMap((m: Json) => (Array.isArray(m.content) ? m.content : []));
    assert.equal(kept.filter((b: Json) => b.type === 'thinking').length, (r.messages.length - 1) / 2);
  }
  await replays(d);
});

test('PV-A25 a first request with thinking in its history is not edited before that thinking, but for what is over', async () => {
  const shape = { enabled: true, max_tokens: 100 };
  for (const open of [true, false]) {
    const d = new BenchDaemon();
    await d.call('session.open', {
      session: S,
      format: 'anthropic',
      model: MODEL,
      preset: 'balanced',
      config: { curated: { shape } },
    });
    const history = [user('go'), ...round(0), ...round(1, thinking(1)), ...round(2)];
    if (!open) history.push(assistant('done'), user('next'));
    const { request } = await prepare(d, history);
    const text = request.messages.map((m: Json) => JSON.stringify(m));
    const stored = history.map((m) => JSON.stringify(m));
    // Behind the thinking anything may be shaped.
    assert.notEqual(text[6], stored[6]);
    if (open) assert.deepEqual(text.slice(0, 4), stored.slice(0, 4));
    else if (text[2] !== stored[2]) assert.ok(!text[3].includes('"thinking"'), text[3]);
    await replays(d);
  }
});

test('PV-A31 the newest thinking that goes out is known without a walk: as a walk would find it', () => {
  const spec = specOf('anthropic');
  const kinds: Json[] = [
    user('words'),
    assistant('answer'),
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
    { role: 'assistant', content: [thinking(1), redacted(2), { type: 'text', text: 'so' }] },
    { role: 'system', content: 'order' },
  ];
  const readings = kinds.map((k) => spec.read(new Native(JSON.stringify(k))));
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ add: fc.nat(kinds.length - 1) }) },
    { weight: 1, arbitrary: fc.record({ truncate: fc.nat(30) }) },
    { weight: 2, arbitrary: fc.record({ edit: fc.nat(30), how: fc.constantFrom('drop', 'one', 'all') }) },
    { weight: 1, arbitrary: fc.record({ undo: fc.nat(10) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const thoughts = new Thoughts();
      const ledger = new Ledger();
      const messages: { reading: Reading }[] = [];
      let seq = 0;
      for (const s of steps as Json[]) {
        if (s.add !== undefined) {
          thoughts.add(messages.length, readings[s.add]!);
          messages.push({ reading: readings[s.add]! });
        } else if (s.truncate !== undefined && s.truncate < messages.length) {
          messages.length = s.truncate;
          ledger.dropFrom(s.truncate);
          thoughts.truncate(s.truncate);
        } else if (s.edit !== undefined && s.edit < messages.length) {
          const at = s.edit;
          const paths = s.how === 'one' ? [0] : [0, 1];
          const edits =
            s.how === 'drop'
              ? [{ op: 'drop' as const, at }]
              : paths.map((i) => ({ op: 'remove' as const, at, path: ['content', i] }));
          seq += 1;
          ledger.add({ seq, type: 'memory.curated', edits });
        } else if (s.undo !== undefined) ledger.remove(s.undo);
        const goesOut = (at: number) =>
          messages[at]!.reading.parts.some(
            (p) =>
              p.kind === 'thinking' && !ledger.isDropped(at) && !ledger.names(at, `/content/${p.path[1]}`),
          );
        const walk = messages.findLastIndex((_, at) => goesOut(at));
        assert.equal(thoughts.newest(ledger, messages), walk);
        assert.deepEqual(
          [...thoughts.standing(ledger, messages, 3)],
          messages.flatMap((_, at) => (at >= 3 && goesOut(at) ? [at] : [])).reverse(),
        );
        const asked = messages.findLastIndex((m) => m.reading.role === 'user' && m.reading.ownText !== '');
        assert.equal(thoughts.loopFrom, asked + 1);
      }
    }),
  );
});

/** A conversation of three turns with thinking in each answer. */
const said = (i: number): Json => ({
  role: 'assistant',
  content: [thinking(i), { type: 'text', text: `answer ${i}` }],
});
const TALK = [user('a'), said(1), user('b'), said(2), user('c'), said(3)];

const thoughts = (request: Json): string[] =>
  request.messages
    .flatMap((m: Json) => (Array.isArray(m.content) ? m.content : []))
    .flatMap((b: Json) => (b.type === 'thinking' ? [b.signature] : []));

async function talked(more: Json = {}): Promise<{ d: BenchDaemon; requests: Json[] }> {
  const d = new BenchDaemon();
  await d.call('session.open', { session: S, format: 'anthropic', model: MODEL, ...more });
  const requests: Json[] = [];
  for (let i = 0; i < TALK.length; i += 2) {
    const { request } = await d.call('llm.prepare', { session: S, messages: TALK.slice(0, i + 1) });
    requests.push(request);
  }
  return { d, requests };
}

test('PV-A25 what the host changes before thinking voids it: it goes, for good, and what stands before stays', async () => {
  const other = { ...TALK[2], content: 'b, edited' };
  for (const [name, history, kept] of [
    ['nothing', [...TALK], [1, 2, 3]],
    ['a message', [...TALK.slice(0, 2), other, ...TALK.slice(3)], [1]],
    ['the oldest thinking', [TALK[0], assistant('answer 1'), ...TALK.slice(2)], [2, 3]],
    ['thinking in the middle', [...TALK.slice(0, 3), assistant('answer 2'), ...TALK.slice(4)], [1]],
    ['a cut', TALK.slice(0, 4), [1, 2]],
  ] as [string, Json[], number[]][]) {
    const { d, requests } = await talked();
    const ask = (messages: Json[]) => d.call('llm.prepare', { session: S, messages });
    const { request } = await ask([...history, user('now')]);
    assert.deepEqual(
      thoughts(request),
      kept.map((i) => `sig-${i}`),
      name,
    );
    assert.deepEqual(checkRequest(request, anthropicProfile(MODEL), requests), [], name);
    const again = await ask([...history, user('now'), assistant('x'), user('on')]);
    assert.deepEqual(again.request.messages.slice(0, request.messages.length), request.messages, name);
    await replays(d);
  }
});

test('PV-A25 PV-A39 other tools or another system prompt void all thinking; marks and deferred tools do not', async () => {
  const read = { name: 'read', input_schema: { type: 'object' } };
  const mark = { cache_control: { type: 'ephemeral' } };
  const system = [{ type: 'text', text: 'be brief' }];
  for (const [name, more, kept] of [
    ['nothing', {}, 3],
    ['a mark', { tools: [{ ...read, ...mark }], system: [{ ...system[0], ...mark }] }, 3],
    ['a deferred tool', { tools: [read, { ...read, name: 'later', defer_loading: true }] }, 3],
    ['one text as a block', { system: 'be brief' }, 3],
    ['a tool', { tools: [read, { ...read, name: 'write' }] }, 0],
    ['the system prompt', { system: 'be long' }, 0],
  ] as [string, Json, number][]) {
    const { d } = await talked({ tools: [read], system });
    const out = await d.call('llm.prepare', { session: S, messages: [...TALK, user('now')], ...more });
    assert.equal(thoughts(out.request).length, kept, name);
    const told = out.curated.filter((c: Json) => c.layer === 'repair');
    assert.deepEqual(
      told.map((c: Json) => [c.cache_invalidates, c.first_message]),
      kept === 0 ? [[true, 1]] : [],
      name,
    );
    await replays(d);
  }
});

test('PV-A25 PV-A26 the first thinking of a session is bound to what was sent, not to what was edited meanwhile', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], { model: MODEL, blocks: { [COMPACTION]: { protect_recent: 1 } } });
  const history = [user('a'), assistant(BODY), user('b'), assistant(BODY), user('c')];
  await prepare(d, history);
  await compact(d);
  const { request } = await prepare(d, [said(1), user('d')]);
  assert.ok(request.messages.length < history.length);
  assert.deepEqual(thoughts(request), []);
  await replays(d);
});

test('PV-A31 L5-1 a summary that waits for rest, and that newer thinking has made void, holds no call that needs room', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  const window = { context_window: 9_000, max_output_tokens: 1_000 };
  await open(d, [COMPACTION, GATE], {
    model: MODEL,
    ...window,
    blocks: { [COMPACTION]: { protect_recent: 2 } },
  });
  await prepare(d, [user('go'), ...round(0, thinking(0))]);
  const requests = [(await prepare(d, round(1, thinking(1)))).request];
  await d.call('memory.compact', { session: S });
  await new Promise((r) => setTimeout(r, 30));
  // Its range ends before the thinking of the second round, which later rounds put out of the tail.
  for (let i = 2; i < 20; i += 1) {
    const { request } = await prepare(d, round(i));
    assert.deepEqual(checkRequest(request, anthropicProfile(MODEL), requests), []);
    requests.push(request);
  }
  await replays(d);
});

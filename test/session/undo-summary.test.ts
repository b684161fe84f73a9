// A user takes a summary back: its range stands in the request again, whole, from the next turn boundary, for good.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CuratedError } from '../../src/errors.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import {
  BUFFER,
  COMPACTION,
  compact,
  FakeSummariser,
  GATE,
  journal,
  open,
  prepare,
  S,
  settled,
} from './condensing.js';

const BODY = 'a line of a file that was read\n'.repeat(20);
const TAIL = { [COMPACTION]: { protect_recent: 2 }, [BUFFER]: { max_recent: 2 } };

function bench(o: { store?: BenchDaemon['store'] } = {}): BenchDaemon {
  return new BenchDaemon({ summariser: new FakeSummariser(), ...o });
}

/** A turn with one tool round; the decisions at its end. */
async function turn(d: BenchDaemon, n: number, answer: Json = assistant(`done ${n}`)): Promise<Json[]> {
  await prepare(d, [user(`go ${n}`), ...toolRound(`t${n}`, 'Read', { n }, `${n}: ${BODY}`)]);
  await d.call('session.append', { session: S, messages: [answer] });
  return (await d.call('turn.end', { session: S })).decisions;
}

const undo = (d: BenchDaemon, seq: number) => d.call('session.undo', { session: S, seq });
const last = async (d: BenchDaemon, type: string) => (await journal(d, type)).at(-1);
const sent = async (d: BenchDaemon) => (await prepare(d)).request.messages as Json[];
const stored = async (d: BenchDaemon) =>
  (await d.call('session.messages', { session: S })).messages.map((m: Json) => m.message) as Json[];

for (const target of ['summary', 'compaction'] as const)
  test(`L4-5 L5-3 an undone ${target} gives its range back byte for byte, in an envelope of its own`, async () => {
    const d = bench();
    await open(d, [BUFFER, COMPACTION], { blocks: TAIL });
    for (let n = 0; n < 4; n++) await turn(d, n);
    await compact(d, target === 'summary' ? { target: 'nexus.memory.summary_buffer' } : {});
    const type = target === 'summary' ? 'memory.summary_replaced' : 'memory.compacted';
    const decided = await last(d, type);
    const short = await prepare(d, [user('next')]);
    assert.ok(short.request.messages.length < (await stored(d)).length);
    const asked = await undo(d, decided.seq);
    assert.deepEqual([asked.undoes, asked.applies], [[decided.seq], 'turn_end']);
    assert.deepEqual(await sent(d), short.request.messages, 'nothing changes in mid-turn');

    await d.call('session.append', { session: S, messages: [assistant('so')] });
    const { decisions } = await d.call('turn.end', { session: S });
    const back = decisions.find((e: Json) => e.type === 'memory.summary_undone');
    assert.deepEqual(
      [back.undoes, back.covers, back.handle],
      [[decided.seq], decided.covers, decided.handle],
    );
    const envelope = decisions.find((e: Json) => e.layer === 'undo');
    assert.equal(envelope.cache_invalidates, true);
    assert.equal(envelope.first_message, decided.covers[0]);
    assert.ok(envelope.saves_per_request < 0);
    const whole = await prepare(d, [user('on')]);
    assert.deepEqual(whole.request.messages, await stored(d));
    // What the envelope said is what the request grew by, beside what came.
    const grown = (of: 'raw' | 'curated') => whole.tokens[of] - short.tokens[of];
    assert.equal(envelope.sections_touched[0].tokens_delta, grown('curated') - grown('raw'));
    assert.ok(JSON.stringify(await d.call('recall.get', { handle: decided.handle })).includes('0: a line'));
    assert.ok((await d.call('journal.replay', { session: S })).identical);
  });

test('L4-5 what was taken back is not summarised again while it fits, also after a restart; the gate still may', async () => {
  const small = { context_window: 12_000, max_output_tokens: 500 };
  const blocks = {
    ...TAIL,
    [BUFFER]: {
      ...TAIL[BUFFER],
      strategy: 'message_count',
      message_threshold: 8,
      require_over_budget: false,
    },
  };
  const d = bench();
  await open(d, [BUFFER, GATE], { blocks, ...small });
  for (let n = 0; n < 4; n++) {
    await turn(d, n);
    await settled(d);
  }
  // The one that waits for its price is put in by a turn's end at which the cache has gone cold.
  d.clock.advance(3_600_000 * 2);
  await turn(d, 4);
  const first = await last(d, 'memory.summary_replaced');
  assert.ok(first !== undefined);
  await undo(d, first.seq);
  await turn(d, 5);
  const known = (await journal(d, 'memory.summary_replaced')).length;
  const again = bench({ store: d.store });
  await open(again, [BUFFER, GATE], { blocks, ...small });
  for (let n = 6; n < 9; n++) {
    await turn(again, n);
    await settled(again);
    again.clock.advance(3_600_000 * 2);
  }
  assert.equal((await journal(again, 'memory.summary_replaced')).length, known);
  assert.equal((await journal(again, 'memory.compacted')).length, 0);
  assert.deepEqual((await prepare(again, [user('all?')])).request.messages, await stored(again));
  for (let n = 9; n < 60 && (await journal(again, 'memory.compacted')).length === 0; n++)
    await turn(again, n);
  assert.equal((await journal(again, 'memory.compacted')).length, 1, 'the window is the window');
  assert.ok((await again.call('journal.replay', { session: S })).identical);
});

test('session.undo of a summary refuses what is in a newer one, and what would not fit, and names what would do', async () => {
  const d = bench();
  await open(d, [COMPACTION, GATE], { blocks: TAIL, context_window: 3000, max_output_tokens: 300 });
  for (let n = 0; n < 2; n++) await turn(d, n);
  await compact(d);
  const older = await last(d, 'memory.compacted');
  const envelope = (await journal(d, 'memory.curated')).find((e) => e.seq > older.seq);
  const refused = async (seq: number) => {
    const before = (await d.call('session.state', { session: S })).seq;
    const e: CuratedError = await undo(d, seq).then(
      () => assert.fail('taken'),
      (error) => error,
    );
    assert.equal((await d.call('session.state', { session: S })).seq, before, 'nothing was journalled');
    assert.equal(e.kind, 'UNSUPPORTED');
    return e;
  };
  assert.deepEqual((await refused(envelope.seq)).detail, { seq: envelope.seq, decisions: [older.seq] });
  for (let n = 2; n < 14; n++) await turn(d, n);
  const newer = await last(d, 'memory.compacted');
  assert.ok(newer.seq > older.seq);
  assert.deepEqual((await refused(older.seq)).detail, { seq: older.seq, decisions: [newer.seq] });
  const why = (await refused(newer.seq)).detail as Json;
  assert.ok(why.needed > why.limit);
});

test('PV-A26 P-7 J-10 whatever is condensed and undone: prefixes break only where told, voided thinking stays away, replay is identical', async () => {
  const step = fc.record({ compact: fc.boolean(), undo: fc.boolean(), restart: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('claude-haiku-4-5', 'claude-opus-5-5'),
      fc.array(step, { minLength: 4, maxLength: 9 }),
      async (model, steps) => {
        let d = bench();
        const opened = () => open(d, [COMPACTION, 'nexus.memory.tool_result_clear'], { blocks: TAIL, model });
        await opened();
        const think = { type: 'thinking', thinking: 'hm, so it is', signature: 'c2ln' };
        let told: Json[] = [];
        let before: string[] = [];
        /** Thoughts that were sent once and then left. */
        const voided = new Set<number>();
        let undone = 0;
        for (const [n, s] of steps.entries()) {
          if (s.restart) {
            d = bench({ store: d.store });
            await opened();
          }
          const prepared = await prepare(d, [
            user(`go ${n}`),
            ...toolRound(`t${n}`, 'Read', { n }, `${n}: ${BODY}`),
          ]);
          const now = prepared.request.messages.map((m: Json) => JSON.stringify(m)) as string[];
          const broken = [...prepared.curated, ...told].filter((e) => e.cache_invalidates === true);
          const first = Math.min(...broken.map((e) => e.first_message), before.length);
          assert.deepEqual(now.slice(0, first), before.slice(0, first));
          before = now;
          const thinking = new Set(
            now.flatMap((m) => (m.includes('hm, so it is') ? [Number(/done (\d+)/.exec(m)![1])] : [])),
          );
          for (let k = 0; k < n; k++) {
            if (!thinking.has(k)) voided.add(k);
            else if (model === 'claude-opus-5-5')
              assert.ok(!voided.has(k), `thinking of turn ${k} came back`);
          }
          const answer = { role: 'assistant', content: [think, ...assistant(`done ${n}`).content] };
          await d.call('session.append', { session: S, messages: [answer] });
          const events = await journal(d, 'memory.compacted');
          if (s.undo && events.length > 0) {
            const ok = await undo(d, events.at(-1).seq).catch(() => undefined);
            if (ok !== undefined) undone += 1;
          }
          told = (await d.call('turn.end', { session: S })).decisions;
          if (s.compact) {
            const seq = (await d.call('session.state', { session: S })).seq;
            await compact(d);
            told = [...told, ...(await journal(d, 'memory.curated')).filter((e) => e.seq > seq)];
          }
        }
        const taken = (await journal(d, 'memory.summary_undone')).length;
        assert.ok(taken <= undone);
        assert.ok((await d.call('journal.replay', { session: S })).identical);
      },
    ),
    { numRuns: 15 },
  );
});

test('L4-5 L5-3 a compaction and taking one back, asked for beside each other: the later wish of the user holds', async () => {
  for (const later of ['compact', 'undo', 'undo again'] as const) {
    const fake = new FakeSummariser();
    const d = new BenchDaemon({ summariser: fake });
    await open(d, [COMPACTION], { blocks: TAIL });
    for (let n = 0; n < 3; n++) await turn(d, n);
    await compact(d);
    const old = await last(d, 'memory.compacted');
    for (let n = 3; n < 6; n++) await turn(d, n);
    // This summary takes its time, past the boundary at which the undone one would come back.
    let answer = () => {};
    const written = new Promise<void>((resolve) => {
      answer = resolve;
    });
    fake.behaviour = async () => {
      await written;
      return { ok: true, text: 'All of it anew.', kinds: null, calls: 1 };
    };
    const begin = () => d.call('memory.compact', { session: S });
    if (later === 'undo') await begin();
    await undo(d, old.seq);
    if (later !== 'undo') await begin();
    if (later === 'undo again') await undo(d, old.seq);
    if (later === 'compact') {
      await turn(d, 6);
      assert.equal(
        (await journal(d, 'memory.summary_undone')).length,
        0,
        'the later wish is being carried out',
      );
    }
    answer();
    await settled(d);
    if (later !== 'compact') {
      assert.equal((await last(d, 'memory.compaction.failed')).reason, 'taken back');
      await turn(d, 6);
    }
    await turn(d, 7);
    const messages = await sent(d);
    const compacted = await journal(d, 'memory.compacted');
    const undone = await journal(d, 'memory.summary_undone');
    if (later === 'compact') {
      assert.deepEqual([compacted.length, undone.length], [2, 0], later);
      assert.match(JSON.stringify(messages), /All of it anew/);
    } else {
      assert.deepEqual([compacted.length, undone.length], [1, 1], later);
      assert.deepEqual(messages, await stored(d));
    }
    assert.ok((await d.call('journal.replay', { session: S })).identical);
  }
});

test('L4-5 L5-3 the later wish failed: the earlier one holds at the next turn boundary', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [COMPACTION], { blocks: TAIL });
  for (let n = 0; n < 3; n++) await turn(d, n);
  await compact(d);
  const old = await last(d, 'memory.compacted');
  for (let n = 3; n < 6; n++) await turn(d, n);
  await undo(d, old.seq);
  fake.behaviour = () => ({ ok: false, reason: 'refusal', calls: 1 });
  await compact(d);
  await turn(d, 6);
  assert.equal((await journal(d, 'memory.summary_undone')).length, 1);
  assert.deepEqual(await sent(d), await stored(d));
});

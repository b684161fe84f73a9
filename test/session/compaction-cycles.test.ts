// A hundred cycles of compaction with appends in flight: nothing is lost, what must not be forgotten is there, the summary
// stays bounded, every request is valid, and the replay is the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Native } from '../../src/json/native.js';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import {
  COMPACTION,
  compact,
  FakeSummariser,
  GATE,
  good,
  journal,
  open,
  prepare,
  S,
  texts,
} from './condensing.js';

const MODEL = 'claude-sonnet-4-5';

function assertValid(messages: Json[]): void {
  const spec = specOf('anthropic');
  const walk = spec.walk(profileOf('anthropic', MODEL));
  const found = messages.flatMap((m, i) => {
    const native = new Native(JSON.stringify(m));
    return [...walk.push(spec.read(native), native, i), ...spec.check(native)];
  });
  assert.deepEqual([...found, ...walk.finish()], []);
}

/** A piece of a conversation: rounds of tools, talk, parallel calls. */
function piece(kind: number, n: number): Json[] {
  const body = `output ${n} `.repeat(30 + (n % 50));
  if (kind === 0)
    return [
      assistant(`Thought about ${n}. We decided on ${n} instead of ${n + 1}.`),
      user(`Instruction ${n}`),
    ];
  if (kind === 1)
    return [
      ...toolRound(`t${n}`, 'read', { path: `src/file${n}.ts` }, body),
      assistant(`Read ${n}.`),
      user(`ok ${n}`),
    ];
  const ids = [`p${n}a`, `p${n}b`];
  return [
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'run', input: { n } })) },
    { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: body })) },
    assistant(`Both done ${n}.`),
    user(`go on ${n}`),
  ];
}

async function cycles(n: number, pieces: readonly number[], builtIn: boolean): Promise<void> {
  let count = 0;
  const arrived: Json[] = [];
  const fake = new FakeSummariser();
  const d = new BenchDaemon(builtIn ? {} : { summariser: fake });
  const append = async (kind: number) => {
    const messages = piece(kind, ++count);
    arrived.push(...messages);
    await d.call('session.append', { session: S, messages });
  };
  fake.behaviour = async (r) => {
    // In flight: the summary is being written.
    await append(count % 3);
    const kept = r.messages.map((m) => /We decided [^.]*\./.exec(m.text)?.[0]).filter((t) => t !== undefined);
    return good([`Summary of ${r.messages.length} messages.`, ...kept].join('\n'));
  };
  await open(d, [COMPACTION], {
    context_window: 100_000,
    max_output_tokens: 8000,
    blocks: { [COMPACTION]: { protect_recent: 3 } },
  });
  await d.call('durable.add_decision', { session: S, text: 'Use port 7443' });
  const { block } = await d.call('durable.get', { session: S });
  const first = [
    user('TASK: never touch the ledger table.'),
    assistant('We decided to keep JWT instead of sessions.'),
    user('fine'),
  ];
  arrived.push(...first);
  await d.call('session.append', { session: S, messages: first });
  for (let i = 0; i < n; i += 1) {
    await append(pieces[i % pieces.length]!);
    await compact(d);
    const out = await prepare(d);
    const { messages } = out.request;
    assertValid(messages);
    const all = JSON.stringify(messages);
    assert.equal(
      all.split(JSON.stringify(block).slice(1, -1)).length - 1,
      1,
      `cycle ${i}: the durable block`,
    );
    assert.match(texts([messages[0]]), /TASK: never touch the ledger table\./);
    if (!builtIn) assert.match(all, /keep JWT instead of sessions/, `cycle ${i}: the decision of turn 1`);
    // Verbatim in the request, or in the range of the one summary.
    const done = await journal(d, 'memory.compacted');
    const to = done.at(-1)?.covers[1] ?? -1;
    const plain = messages.map((m: Json) => JSON.stringify(m));
    for (const [at, m] of arrived.entries()) {
      if (at <= to) continue;
      const text = JSON.stringify(typeof m.content === 'string' ? m.content : m.content[0]);
      assert.ok(
        plain.some((p: string) => p.includes(text)),
        `cycle ${i}: message ${at} is nowhere`,
      );
    }
    assert.ok(texts([messages[0]]).length / 4 < 9000, `cycle ${i}: the summary is bounded`);
    await d.call('turn.end', { session: S });
  }
  const done = (await journal(d, 'memory.compacted')).at(-1);
  // The built-in summary of a few words is longer than they are: then they stay.
  if (!builtIn) assert.ok(done !== undefined);
  if (done !== undefined) {
    const back = await d.call('recall.get', { handle: done.handle });
    assert.deepEqual(back.parts, arrived.slice(done.covers[0], done.covers[1] + 1));
  }
  assert.deepEqual(
    (await d.call('session.messages', { session: S })).messages.map((m: Json) => m.message),
    arrived,
  );
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
}

test('NS-24 L4-11 L4-20 L5-10 a hundred cycles, appends in flight', async () => {
  await cycles(100, [0, 1, 2, 1], false);
});

test('NS-24 L4-11 random conversations, by a model and by the built-in summariser', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(2), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (pieces, builtIn) => {
        await cycles(8, pieces, builtIn);
      },
    ),
    { numRuns: 12 },
  );
});

test('L4-20 NS-24 the decision of turn 1 survives windows of 1k to 16k tokens and the built-in summariser, in every request', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1000, max: 16_000 }),
      fc.integer({ min: 1, max: 8000 }),
      fc.array(fc.nat(2), { minLength: 3, maxLength: 10 }),
      fc.boolean(),
      async (window, maxOutput, pieces, asked) => {
        const fake = new FakeSummariser(() => good('Things went on.'));
        const d = new BenchDaemon(asked ? { summariser: fake } : {});
        await open(d, [GATE, COMPACTION], { context_window: window, max_output_tokens: maxOutput });
        await prepare(d, [user('TASK: move the tokens.')]);
        await d.call('session.append', {
          session: S,
          messages: [
            assistant('Looked at it. We decided to keep JWT instead of sessions. Going on.'),
            user('fine'),
          ],
        });
        await d.call('turn.end', { session: S });
        for (const [n, kind] of pieces.entries()) {
          const added = piece(kind, n);
          const out = await prepare(d, added).catch((e: { kind: string }) => {
            assert.ok(['CONTEXT_IRREDUCIBLE', 'SUMMARY_FAILED'].includes(e.kind), String(e));
          });
          if (out === undefined) break;
          assert.match(JSON.stringify(out.request.messages), /decided to keep JWT instead of sessions/);
          await d.call('turn.end', { session: S });
          await compact(d);
        }
      },
    ),
    { numRuns: 40 },
  );
});

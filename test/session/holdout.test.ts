// Sessions that stay uncurated so that savings can be measured: drawn by name, told in the configuration, and compared.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdoutReport } from '../../src/eval/live/holdout-report.js';
import { type SessionBill, sessionBill } from '../../src/eval/live/session-bill.js';
import { isHeldOut } from '../../src/session/holdout.js';
import { BenchDaemon, toolRound, user } from './bench-daemon.js';

const drawn = (share: number): string[] =>
  Array.from({ length: 2000 }, (_, i) => `s${i}`).filter((session) =>
    isHeldOut({ tenant: 't', session }, share),
  );

test('a share of sessions is held out, the same ones each time, and a larger share holds the smaller', () => {
  assert.deepEqual(drawn(0), []);
  assert.equal(drawn(1).length, 2000);
  const tenth = drawn(0.1);
  assert.ok(Math.abs(tenth.length - 200) < 60, `${tenth.length}`);
  const half = new Set(drawn(0.5));
  assert.ok(tenth.every((s) => half.has(s)));
  assert.notDeepEqual(
    tenth,
    Array.from({ length: 2000 }, (_, i) => `s${i}`).filter((session) =>
      isHeldOut({ tenant: 'other', session }, 0.1),
    ),
  );
});

test('a held-out session gets what was stored, tells what would have been done, and is known from its events', async () => {
  const daemon = new BenchDaemon();
  for (const [session, holdout] of [
    ['held', 1],
    ['curated', 0],
  ] as const) {
    await daemon.call('session.open', {
      session,
      format: 'anthropic',
      model: 'claude-sonnet-4-5',
      preset: 'balanced',
      config: { curated: { holdout } },
    });
    const messages: unknown[] = [user('go')];
    for (let i = 0; i < 12; i++)
      messages.push(...toolRound(`t${i}`, 'Read', { path: `f${i}` }, `line ${i} of it `.repeat(3000)));
    await daemon.call('llm.prepare', { session, append: messages });
    await daemon.call('turn.end', {
      session,
      final: true,
      usage: {
        input_tokens: 900,
        output_tokens: 5,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 0,
      },
    });
  }
  const bills: SessionBill[] = [];
  const sizes: number[] = [];
  for (const session of ['held', 'curated']) {
    const { events } = (await daemon.call('journal.read', { session, from_seq: 1 })) as {
      events: Record<string, unknown>[];
    };
    bills.push(
      sessionBill(
        session,
        events.map((e) => JSON.stringify(e)),
        0,
      ),
    );
    const { tokens } = (await daemon.call('llm.prepare', { session, append: [user('more')] })) as {
      tokens: { raw: number; curated: number };
    };
    sizes.push(tokens.curated / tokens.raw);
    const observed = events.filter((e) => e['type'] === 'memory.tool_result_cleared');
    assert.ok(observed.length > 0);
    assert.ok(observed.every((e) => (e['observed'] === true) === (session === 'held')));
  }
  assert.equal(sizes[0], 1);
  assert.ok(sizes[1]! < 0.5, `${sizes[1]}`);
  assert.deepEqual(
    bills.map((b) => [b.heldOut, b.requests, b.tokens, b.output]),
    [
      [true, 1, 1000, 5],
      [false, 1, 1000, 5],
    ],
  );
});

test('the report compares requests of the two groups and says nothing of too few', () => {
  const bill = (i: number, heldOut: boolean, factor: number): SessionBill => ({
    session: `s${i}`,
    model: 'm',
    heldOut,
    requests: 10 + (i % 7),
    tokens: factor * 1000 * (10 + (i % 7)) * (1 + (i % 3) / 10),
    output: 1,
    cost: factor * (10 + (i % 7)),
  });
  const bills = Array.from({ length: 60 }, (_, i) => bill(i, i % 2 === 0, i % 2 === 0 ? 1 : 0.6));
  const r = holdoutReport(bills);
  assert.equal(r.curated.sessions + r.held_out.sessions, 60);
  assert.ok(Math.abs(r.saved_tokens!.mean - 0.4) < 0.1);
  assert.ok(r.saved_cost!.low > 0.3 && r.saved_cost!.high < 0.5);
  const few = holdoutReport(bills.slice(0, 8));
  assert.equal(few.saved_cost, null);
  assert.equal(holdoutReport([]).curated.cost, null);
});

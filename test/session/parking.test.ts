// An idle session leaves memory also while a connection holds it; the next call finds everything as it was.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { assistant, BenchCaller, BenchDaemon, clearing, toolRound, user } from './bench-daemon.js';

const OPEN = {
  session: 's',
  format: 'anthropic',
  model: 'claude-sonnet-4-5',
  config: clearing({ age_turns: 1, size_bytes_threshold: 50 }, { cost_rule: 'off' }),
};
const IDLE = 300_000;

async function started(): Promise<BenchDaemon> {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  for (let i = 0; i < 5; i += 1) {
    const append = [
      user(`q${i}`),
      ...toolRound(`c${i}`, 'read', { i }, 'what is read '.repeat(20)),
      assistant('a'),
    ];
    await d.call('llm.prepare', { session: 's', append });
    await d.call('turn.end', { session: 's' });
  }
  return d;
}

function park(d: BenchDaemon): Promise<number> {
  d.clock.advance(IDLE);
  return d.registry.park(IDLE);
}

test('a session that is held leaves memory when it is idle, and goes on as if it had not', async () => {
  const [d, other] = [await started(), await started()];
  assert.equal(await d.registry.park(IDLE), 0, 'it was just used');
  assert.equal(await park(d), 1);
  other.clock.advance(IDLE);
  assert.equal(d.registry.loaded, 0);
  assert.equal(await d.registry.park(IDLE), 0, 'it is parked once');
  const [listed] = (await d.call('session.list', {})).sessions;
  assert.equal(listed.connected, true);
  const next = { session: 's', append: [user('and now?')] };
  const [parked, awake] = [await d.call('llm.prepare', next), await other.call('llm.prepare', next)];
  assert.deepEqual(parked, awake);
  assert.equal(d.registry.loaded, 1);
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('F41 the lease and the epoch survive parking', async () => {
  const d = await started();
  const { seq } = await d.call('session.append', { session: 's', messages: [user('x')] });
  await d.call('session.open', OPEN);
  const { epoch } = await d.call('session.rewind', { session: 's', to_seq: seq });
  await park(d);
  const stranger = new BenchCaller();
  await assert.rejects(
    d.call('turn.end', { session: 's' }, stranger),
    (e: unknown) => e instanceof CuratedError && e.kind === 'SUPERSEDED',
  );
  await park(d);
  await d.call('turn.end', { session: 's' });
  await park(d);
  const taken = await d.call('session.open', OPEN, stranger);
  assert.equal(taken.epoch, epoch + 1);
  assert.deepEqual(d.caller.supersededSessions, ['s']);
});

test('F41 who left while it was parked holds it no more, and it leaves memory altogether', async () => {
  const d = await started();
  await park(d);
  d.caller.end();
  await d.registry.park(IDLE);
  assert.deepEqual(d.registry.keys(), []);
  const next = new BenchCaller();
  await d.call('turn.end', { session: 's' }, next);
});

test('P-10 a subscription survives parking: no event is lost or told twice', async () => {
  const d = await started();
  const watcher = new BenchCaller();
  const { seq } = await d.call('session.subscribe', { session: 's' }, watcher);
  await park(d);
  assert.equal(d.registry.loaded, 0);
  const after = await d.call('session.append', { session: 's', messages: [user('x')] });
  const seqs = watcher.heard.map((h) => Number(h.event['seq']));
  assert.deepEqual(
    seqs,
    Array.from({ length: after.seq - seq }, (_, i) => seq + 1 + i),
  );
});

test('F38 an idempotency key survives parking', async () => {
  const d = await started();
  const call = { session: 's', append: [user('once')], key: 'k' };
  const first = await d.call('llm.prepare', call);
  await park(d);
  assert.deepEqual(await d.call('llm.prepare', call), first);
  await assert.rejects(
    d.call('llm.prepare', { ...call, append: [user('twice')] }),
    (e: unknown) => e instanceof CuratedError && e.kind === 'IDEMPOTENCY_CONFLICT',
  );
});

test('a session that is only looked at is in use', async () => {
  const d = await started();
  for (let i = 0; i < 4; i += 1) {
    d.clock.advance(IDLE / 2);
    await d.call('session.state', { session: 's' });
    assert.equal(await d.registry.park(IDLE), 0);
  }
});

test('F41 a connection that opens many sessions remembers those that it holds, not those that it had', async () => {
  const d = new BenchDaemon();
  for (let i = 0; i < 20; i += 1) {
    const session = `s${i}`;
    await d.call('session.open', { ...OPEN, session });
    await d.call('session.subscribe', { session });
    await d.call('session.subscribe', { session });
    await d.call('session.open', { ...OPEN, session });
  }
  assert.equal(d.caller.endings.size, 40);
  for (let i = 0; i < 10; i += 1) await d.call('session.close', { session: `s${i}` });
  for (let i = 10; i < 20; i += 1) await d.call('session.forget', { session: `s${i}` });
  assert.equal(d.caller.endings.size, 10, 'the subscriptions of sessions that are still there are left');
});

test('F41 a connection that writes without opening holds the session until it ends', async () => {
  const d = await started();
  d.caller.end();
  const [writer, next] = [new BenchCaller(), new BenchCaller()];
  await d.call('turn.end', { session: 's' }, writer);
  await assert.rejects(d.call('turn.end', { session: 's' }, next), { kind: 'SUPERSEDED' });
  writer.end();
  await d.call('turn.end', { session: 's' }, next);
});

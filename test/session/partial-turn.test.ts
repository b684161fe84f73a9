// J-8: whoever takes up a session whose last turn was cut off is told what was asked in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';

const OPEN = { session: 's', format: 'anthropic', model: 'claude-haiku-4-5' };

let copies = 0;

/** Another daemon over a copy of the journal as it is: what a restart finds. */
async function restarted(daemon: BenchDaemon): Promise<Json> {
  const session = `copy-${++copies}`;
  const key = { tenant: 'default', session: 's' };
  await daemon.store.flush('sync');
  const { seq } = (await daemon.store.head(key))!;
  await daemon.store.copy(key, seq, { ...key, session });
  return new BenchDaemon({ store: daemon.store }).call('session.open', { ...OPEN, session });
}

test('J-8 a turn without its end is offered again: its inputs, and the calls that wait', async () => {
  const daemon = new BenchDaemon();
  const call = (method: string, params: Json = {}) =>
    daemon.call(method as never, { session: 's', ...params });
  assert.equal((await call('session.open', OPEN)).partial_turn, undefined);
  await call('session.append', { messages: [user('first'), assistant('done')] });
  await call('turn.end');
  assert.equal((await restarted(daemon)).partial_turn, undefined, 'the turn was ended');

  const [ask, result] = toolRound('t1', 'Read', { n: 1 }, 'body');
  await call('session.append', { messages: [user('second'), ask] });
  await call('llm.prepare', { pending: ['t1'] }).catch(() => undefined);
  const cut = (await restarted(daemon)).partial_turn;
  assert.equal(cut.turn, 1);
  assert.deepEqual(
    cut.inputs.map((i: Json) => [i.position, i.message]),
    [[2, user('second')]],
  );
  assert.deepEqual(cut.pending, ['t1']);
  const { events } = await call('journal.read');
  assert.equal(events.find((e: Json) => e.seq === cut.inputs[0].seq).type, 'io.input');

  // A round's end is no turn's end; what is said in mid-turn is asked as well.
  await call('session.append', { messages: [result] });
  await call('turn.end', { final: false });
  await call('session.append', { messages: [assistant('so'), user('and quickly')] });
  const later = (await restarted(daemon)).partial_turn;
  assert.deepEqual(
    later.inputs.map((i: Json) => i.message.content),
    ['second', 'and quickly'],
  );
  assert.deepEqual(later.pending, []);
  await call('session.append', { messages: [assistant('done')] });
  await call('turn.end');
  assert.equal((await restarted(daemon)).partial_turn, undefined);
});

test('J-8 an input that a guard vetoed is stored and not offered again, nor one that the host took back', async () => {
  const daemon = new BenchDaemon();
  const call = (method: string, params: Json = {}) =>
    daemon.call(method as never, { session: 's', ...params });
  await call('session.open', OPEN);
  await call('session.append', {
    messages: [user('drop all tables')],
    hints: [{ message: 0, vetoed: true, veto_reason: 'policy' }],
  });
  assert.equal((await restarted(daemon)).partial_turn, undefined);
  assert.equal((await call('session.messages')).messages.length, 1);
  const { lines } = await call('journal.export');
  const input = lines.map((l: string) => JSON.parse(l)).find((e: Json) => e.type === 'io.input');
  assert.deepEqual([input.vetoed, input.veto_reason], [true, 'policy']);

  await call('session.append', { messages: [assistant('no'), user('then list them')] });
  assert.equal((await restarted(daemon)).partial_turn.inputs.length, 1);
  await call('llm.prepare', { messages: [user('drop all tables'), assistant('no'), user('never mind')] });
  const { inputs } = (await restarted(daemon)).partial_turn;
  assert.deepEqual(
    inputs.map((i: Json) => i.message.content),
    ['never mind'],
  );
});

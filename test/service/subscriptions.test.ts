// A second subscription of one connection: no event falls between it and the first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { user } from '../session/bench-daemon.js';
import { ownDaemon } from './own-daemon.js';

const open = { format: 'anthropic', model: 'claude-sonnet-4-5', preset: 'off' } as const;

test('events go on without a gap while the connection that hears them subscribes again', async (t) => {
  const { client } = await ownDaemon(t);
  const session = await client.session({ ...open, session: 's' });
  const heard: number[] = [];
  session.on('*', (e) => heard.push(e.seq));
  await session.subscribed;
  const from = session.seq + 1;
  // The calls before it are still being carried out when the second subscription comes in.
  await Promise.all([
    ...[1, 2, 3].map((i) => session.append([user(`a ${i}`)])),
    client.call('session.subscribe', { session: 's' }),
    client.call('session.subscribe', { session: 's', from_seq: 1 }),
    ...[1, 2, 3].map((i) => session.append([user(`b ${i}`)])),
  ]);
  assert.deepEqual(
    heard,
    Array.from({ length: heard.length }, (_, i) => from + i),
  );
  assert.ok(heard.at(-1)! >= session.seq);
  const { ended } = await client.call('session.unsubscribe', { session: 's' });
  assert.equal(ended, true);
  const told = heard.length;
  await session.append([user('nobody listens')]);
  assert.equal(heard.length, told);
});

test('a subscription that is refused leaves the one there was', async (t) => {
  const { client } = await ownDaemon(t);
  const session = await client.session({ ...open, session: 's' });
  const heard: number[] = [];
  session.on('io.input', (e) => heard.push(e.seq));
  await session.subscribed;
  await assert.rejects(client.call('session.subscribe', { session: 's', from_seq: 99 }), { kind: 'SEQ_GAP' });
  await session.append([user('still told')]);
  assert.equal(heard.length, 1);
});

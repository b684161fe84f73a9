// One connection that serves many sessions and waits for nothing: a host of many agents needs no connection for each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { user } from '../session/bench-daemon.js';
import { ownDaemon } from './own-daemon.js';

test('J-3 hundreds of calls of one connection at once are all taken, of one session in their order', async (t) => {
  const { client } = await ownDaemon(t);
  const open = { format: 'anthropic', model: 'claude-sonnet-4-5', preset: 'off' } as const;
  await client.call('session.open', { ...open, session: 'one' });
  const words = Array.from({ length: 500 }, (_, i) => user(`word ${i}`));
  const [others] = await Promise.all([
    Promise.all(words.slice(300).map((_, i) => client.call('session.open', { ...open, session: `s${i}` }))),
    Promise.all(words.map((w) => client.call('session.append', { session: 'one', messages: [w] }))),
  ]);
  assert.equal(others.length, 200);
  const { messages } = await client.call('session.messages', { session: 'one' });
  assert.deepEqual(
    messages.map((m) => m.message),
    words,
  );
});

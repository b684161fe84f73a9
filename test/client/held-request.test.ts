// The client holds the last answer and is told what differs from it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HeldRequest } from '../../src/client/held-request.js';
import { ClientError, connect } from '../../src/client/index.js';
import { startDaemon } from '../../src/daemon.js';
import { resolvePaths } from '../../src/paths.js';

const HELD = '{"system":"s","messages":[{"n":1.0,"l":[1,2]},{"m":2}]}';

test('P-4 operations on the held request leave every other byte as it was', () => {
  const held = HeldRequest.of('a', HELD);
  const next = held.next(
    'b',
    JSON.stringify([
      { op: 'add', path: '/messages/0/l/0', value: 0 },
      { op: 'add', path: '/messages/0/k', value: 'x' },
      { op: 'add', path: '/messages/2', value: { o: 1 } },
      { op: 'remove', path: '/messages/1' },
      { op: 'add', path: '/tools', value: [] },
      { op: 'remove', path: '/system' },
    ]),
  );
  assert.equal(next.text, '{"tools":[],"messages":[{"n":1.0,"l":[0,1,2],"k":"x"},{"o":1}]}');
  assert.equal(held.text, HELD);
  const whole = next.next('c', '[{"op":"replace","path":"/messages","value":[ {"a":1e2} ]}]');
  assert.equal(whole.text, '{"tools":[],"messages":[{"a":1e2}]}');
});

test('P-4 an operation without a place is refused', () => {
  for (const op of [
    { op: 'remove', path: '/messages/2' },
    { op: 'replace', path: '/messages/0/x/y', value: 1 },
    { op: 'add', path: '/other', value: 1 },
    { op: 'add', path: '/messages/7', value: 1 },
    { op: 'add', path: '/system' },
  ])
    assert.throws(() => HeldRequest.of('a', HELD).next('b', JSON.stringify([op])), ClientError, op.path);
});

test('P-4 what the agent holds does not travel again, and calls side by side stay right', async () => {
  const home = mkdtempSync(join(tmpdir(), 'curated-held-'));
  const paths = resolvePaths(process.env, home);
  const daemon = await startDaemon({ paths, memory: true, port: 0, logLevel: 'error' });
  const client = await connect({ client: { name: 't', version: '1' }, home });
  const asked: Record<string, unknown>[] = [];
  const raw = client.callRaw.bind(client);
  client.callRaw = (method, params, options) => {
    if (method === 'llm.prepare') asked.push(params as Record<string, unknown>);
    return raw(method, params, options);
  };
  try {
    const session = await client.session({ format: 'anthropic', model: 'claude-sonnet-4-5', system: 'x' });
    const append = (text: string) => ({ append: [{ role: 'user', content: text }] });
    const first = await session.prepare(append('one'));
    const second = await session.prepare(append('two'));
    assert.equal(asked[1]!['base'], first.hash);
    assert.equal(first.requestText, '{"system":"x","messages":[{"role":"user","content":"one"}]}');
    assert.equal((second.request as { messages: unknown[] }).messages.length, 2);
    assert.equal(second.patch, undefined);
    // Both name the second answer; for one of them it is held no more.
    const both = await Promise.all([session.prepare(append('three')), session.prepare(append('four'))]);
    const plain = await session.prepare({ return: 'full' });
    assert.equal(both[1]!.requestText, plain.requestText);
    assert.equal((await session.prepare()).requestText, plain.requestText);
    assert.equal((await session.prepare({ return: 'patch' })).request, undefined);
    const aside = await session.prepare({ task_kind: 'classify', messages: [] });
    assert.equal(aside.requestText, '{"messages":[]}');
    assert.equal((await session.prepare()).requestText, plain.requestText);
  } finally {
    await client.close();
    await daemon.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

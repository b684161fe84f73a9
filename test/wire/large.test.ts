// Sizes that the limits allow must work over the wire, and what is unknown is a typed error on a connection that lives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { connect } from '../../src/client/index.js';
import { daemonProcess } from './daemon-process.js';

const me = { name: 'test', version: '1' };

test('F28 an unknown method and a newer protocol are typed errors, and the connection lives', async (t) => {
  const daemon = await daemonProcess(t);
  const ws = new WebSocket(`ws+unix://${daemon.home}/run/curated.sock:/v1`, 'curated.v1.json');
  await new Promise((resolve) => ws.once('open', resolve));
  const ask = (
    method: string,
    params: unknown,
  ): Promise<{ result?: unknown; error?: Record<string, unknown> }> =>
    new Promise((resolve) => {
      ws.once('message', (data) => resolve(JSON.parse(String(data)) as { result?: unknown }));
      ws.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    });
  const newer = await ask('initialize', { protocol: 2, client: me });
  assert.equal((newer.error?.['data'] as { kind?: string } | undefined)?.kind, 'UNSUPPORTED');
  assert.ok((await ask('initialize', { protocol: 1, client: me })).result);
  const unknown = await ask('session.frobnicate', {});
  assert.equal(unknown.error?.['code'], -32601);
  assert.ok((await ask('session.list', {})).result);
  ws.close();
  await daemon.end('SIGTERM');
});

test('a message of 1 MB is stored, prepared and comes back byte for byte', async (t) => {
  const daemon = await daemonProcess(t);
  const client = await connect({ home: daemon.home, client: me });
  const session = await client.session({
    format: 'openai-chat',
    model: 'gpt-5.4',
    context_window: 2_000_000,
  });
  const content = 'one line of a log that is long, with "quotes" and \u00e9\n'.repeat(20_000);
  assert.ok(content.length > 1_000_000);
  const { tokens } = await session.append([{ role: 'user', content }]);
  assert.ok(tokens[0]! > 200_000);
  const { request } = await session.prepare({});
  assert.equal((request as { messages: { content: string }[] }).messages[0]!.content, content);
  await client.close();
  await daemon.end('SIGTERM');
});

test('a history of 10,000 messages is stored, prepared, resumed and replayed', async (t) => {
  const daemon = await daemonProcess(t);
  const client = await connect({ home: daemon.home, client: me });
  const session = await client.session({
    format: 'openai-chat',
    model: 'gpt-5.4',
    context_window: 2_000_000,
  });
  const limit = client.server.limits['append_messages']!;
  for (let n = 0; n < 10_000; n += limit) {
    const messages = Array.from({ length: limit }, (_, i) =>
      (n + i) % 2 === 0
        ? { role: 'user', content: `question ${n + i}` }
        : { role: 'assistant', content: `answer ${n + i}` },
    );
    await session.append(messages);
  }
  await session.append([{ role: 'user', content: 'and now?' }]).then(
    () => assert.fail('one message more than a turn may have'),
    (e: { kind?: string }) => assert.equal(e.kind, 'LIMIT'),
  );
  await session.endTurn({});
  const start = performance.now();
  const { request } = await session.prepare({ append: [{ role: 'user', content: 'and now?' }] });
  const ms = performance.now() - start;
  assert.equal((request as { messages: unknown[] }).messages.length, 10_001);
  assert.ok(ms < 5000, `prepare took ${Math.round(ms)} ms`);
  assert.equal((await session.call('journal.replay', {})).identical, true);
  await client.close();
  await daemon.end('SIGTERM');
});

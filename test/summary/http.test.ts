// The HTTP summariser against a local server: both APIs, their failures, and that the key goes nowhere but the header.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { httpComplete, keyFrom } from '../../src/summary/http.js';

const KEY = 'sk-not-a-real-key';
const seen: { url: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = [];
let answer: { status: number; body: unknown } = { status: 200, body: {} };
let url = '';

const server = createServer((req, res) => {
  let text = '';
  req.on('data', (d) => {
    text += d;
  });
  req.on('end', () => {
    seen.push({ url: req.url ?? '', headers: req.headers, body: JSON.parse(text) });
    res.writeHead(answer.status, { 'content-type': 'application/json' });
    res.end(JSON.stringify(answer.body));
  });
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const REQUEST = { session: 's', purpose: 'compaction', system: 'sys', user: 'hello', maxTokens: 77 } as const;
const signal = new AbortController().signal;

test('NS-10 the Anthropic API: no tools, no stream, max_tokens, text of all blocks', async () => {
  answer = {
    status: 200,
    body: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      stop_reason: 'end_turn',
    },
  };
  const complete = httpComplete({ api: 'anthropic', url, model: 'm', key: () => KEY });
  assert.deepEqual(await complete(REQUEST, signal), { text: 'ab', stopReason: 'end_turn', toolCalls: false });
  const last = seen.at(-1)!;
  assert.equal(last.url, '/v1/messages');
  assert.equal(last.headers['x-api-key'], KEY);
  assert.deepEqual(last.body, {
    model: 'm',
    max_tokens: 77,
    system: 'sys',
    messages: [{ role: 'user', content: 'hello' }],
  });
});

test('NS-10 an OpenAI-compatible server: with and without a path, with and without a key', async () => {
  answer = { status: 200, body: { choices: [{ finish_reason: 'length', message: { content: 'x' } }] } };
  const complete = httpComplete({ api: 'openai-chat', url: `${url}/v1/`, model: 'm', key: () => undefined });
  assert.deepEqual(await complete(REQUEST, signal), { text: 'x', stopReason: 'length', toolCalls: false });
  assert.equal(seen.at(-1)!.url, '/v1/chat/completions');
  assert.equal(seen.at(-1)!.headers.authorization, undefined);
  answer = { status: 200, body: { choices: [{ message: { content: null, tool_calls: [{}] } }] } };
  const keyed = httpComplete({ api: 'openai-chat', url, model: 'm', key: () => KEY });
  assert.equal((await keyed(REQUEST, signal)).toolCalls, true);
  assert.equal(seen.at(-1)!.headers.authorization, `Bearer ${KEY}`);
});

test('F36 a failure has its status and message, never the key', async () => {
  answer = { status: 529, body: { error: { type: 'overloaded_error', message: 'Overloaded' } } };
  const complete = httpComplete({ api: 'anthropic', url, model: 'm', key: () => KEY });
  await assert.rejects(complete(REQUEST, signal), (e: Error & { status?: number }) => {
    assert.equal(e.status, 529);
    assert.match(e.message, /Overloaded/);
    assert.ok(!JSON.stringify([e, e.message, e.stack]).includes(KEY));
    return true;
  });
  answer = { status: 500, body: 'nonsense' };
  await assert.rejects(complete(REQUEST, signal), /500/);
});

test('F36 the key comes from the environment or from a file that only its owner can read', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'curated-key-')), 'key');
  writeFileSync(file, `${KEY}\n`, { mode: 0o600 });
  assert.equal(keyFrom('K', { K: 'direct' }), 'direct');
  assert.equal(keyFrom('K', { K_FILE: file }), KEY);
  assert.equal(keyFrom('K', {}), undefined);
  assert.equal(keyFrom(undefined, { K: 'x' }), undefined);
  chmodSync(file, 0o644);
  assert.throws(() => keyFrom('K', { K_FILE: file }), /chmod 600/);
});

// Layer 3 with a server's vectors: an OpenAI-compatible endpoint of the daemon's own configuration, asked off the path.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BenchDaemon, type Json } from './bench-daemon.js';
import { Talk } from './topics-kit.js';

const KEY = 'sk-not-a-real-key';

interface Asked {
  url: string;
  headers: IncomingHttpHeaders;
  body: Json;
}

/** @param answer what the server says to an input, and with which status */
async function server(t: TestContext, answer: (input: string) => Promise<Json> | Json) {
  const asked: Asked[] = [];
  const http = createServer((request, response) => {
    let text = '';
    request.on('data', (d) => {
      text += d;
    });
    request.on('end', async () => {
      const body = JSON.parse(text) as Json;
      asked.push({ url: request.url ?? '', headers: request.headers, body });
      const said = await answer(body.input[0]);
      if (said === 'never') return;
      response.writeHead(said.status ?? 200, { 'content-type': 'application/json', ...said.headers });
      response.end(said.text ?? JSON.stringify({ data: [{ embedding: said }] }));
    });
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  t.after(() => {
    http.close();
    http.closeAllConnections();
  });
  return { asked, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

function daemonWith(embedder: {
  url: string;
  model: string;
  keyEnv?: string;
  dimensions?: number;
}): BenchDaemon {
  return new BenchDaemon({ layers: [{ curated: { embedder: { kind: 'auto', ...embedder } } }] });
}

test("L3-4 L3-10 a server's vectors decide as a client's do; the key is in the header, and in no event", async (t) => {
  const vectors: Json[] = [
    [1, 0],
    [0.6, 0.8],
    [0, 1],
  ];
  const { asked, url } = await server(t, () => vectors.shift());
  const folder = mkdtempSync(join(tmpdir(), 'curated-key-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'key'), `${KEY}\n`);
  chmodSync(join(folder, 'key'), 0o600);
  process.env['CURATED_TEST_EMBED_FILE'] = join(folder, 'key');
  t.after(() => {
    delete process.env['CURATED_TEST_EMBED_FILE'];
  });
  const daemon = daemonWith({ url, model: 'small', keyEnv: 'CURATED_TEST_EMBED', dimensions: 2 });
  const talk = await Talk.open({ daemon });
  for (const text of ['one', 'two', 'three']) await talk.turn(text);
  const shifts = await talk.shifts();
  assert.deepEqual(
    shifts.map((s) => [s.signal, s.similarity, s.from_turn, s.to_turn, s.embedder.name]),
    [['embedding', 0.447214, 0, 2, 'small']],
  );
  assert.equal(asked[0]!.url, '/v1/embeddings');
  assert.equal(asked[0]!.headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual(asked[1]!.body, {
    model: 'small',
    input: ['two'],
    encoding_format: 'float',
    dimensions: 2,
  });
  assert.doesNotMatch(JSON.stringify(await talk.events()), new RegExp(KEY));
});

test('L3-10 L3-15 F34 what a server does wrong harms its own input only: refusals, rubbish, bad vectors, silence', async (t) => {
  const wrong: Json[] = [
    { status: 500, text: `no ${KEY}` },
    { text: 'no json' },
    { text: '{"data":[]}' },
    { status: 307, text: '', headers: { location: 'http://127.0.0.1:1/' } },
    ['x', 1],
    [0, 0],
    'never',
  ];
  const answers = [[1, 0], ...wrong, [0.9, 0.1], [0, 1]];
  const { url } = await server(t, () => answers.shift());
  const talk = await Talk.open({
    daemon: daemonWith({ url, model: 'small' }),
    settings: { embed_deadline_ms: 200 },
  });
  for (let i = 0; i < wrong.length + 3; i += 1) await talk.turn(`say ${i}`);
  const told = (await talk.events('memory.diagnostic')).map((e) => e.what);
  assert.deepEqual(told, [
    ...['embeddings_failed', 'embeddings_failed', 'embeddings_failed', 'embeddings_failed'],
    ...['bad_vector', 'bad_vector', 'embeddings_failed'],
  ]);
  const [shift, ...others] = await talk.shifts();
  assert.deepEqual([shift.to_turn, others], [wrong.length + 2, []]);
  assert.doesNotMatch(JSON.stringify(await talk.events()), new RegExp(KEY));
});

test("L3-10 a session's own configuration names no server; without one kind http is phrases alone", async (t) => {
  const { asked, url } = await server(t, () => [1, 0]);
  const talk = await Talk.open({
    curated: { embedder: { kind: 'http', url, model: 'mine', key_env: 'HOME' } },
  });
  await talk.turn('one');
  await talk.turn('Unrelated: two');
  assert.equal(asked.length, 0);
  assert.deepEqual(
    (await talk.shifts()).map((s) => s.signal),
    ['user_explicit'],
  );
});

// What a connection does when all is well, and its deadlines: both wires over both listeners, heartbeat, handshake.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { resolveLimits } from '../../src/config.js';
import { addNamedToken, loadTokens } from '../../src/gate/index.js';
import { closeCode, frame, nextMessage, RawClient, sleep, startGate, until } from './gate-fixture.js';

test('both wires work over both listeners, with the kind of frame each needs', async (t) => {
  const f = await startGate(t);
  for (const over of ['tcp', 'unix'] as const) {
    const json = await f.client({ over });
    const text = new Promise<boolean>((resolve) => json.once('message', (_d, isBinary) => resolve(isBinary)));
    json.send('{"a":"ü"}');
    assert.equal(await text, false);
    const msgpack = await f.client({ over, wire: 'msgpack' });
    const bytes = new Promise<boolean>((resolve) =>
      msgpack.once('message', (_d, isBinary) => resolve(isBinary)),
    );
    msgpack.send(Buffer.from([0xc0]));
    assert.equal(await bytes, true);
  }
  const seen = f.accepted.map((c) => [c.transport, c.subprotocol, c.tenant, c.principal].join(' '));
  const who = 'default default';
  assert.deepEqual(seen, [
    `tcp json ${who}`,
    `tcp msgpack ${who}`,
    `unix json ${who}`,
    `unix msgpack ${who}`,
  ]);
  assert.equal(new Set(f.accepted.map((c) => c.id)).size, 4);
  assert.equal(statSync(f.socketPath).mode & 0o777, 0o600);
});

test('F27 invalid UTF-8 in a text frame is handed over as bytes, and the connection lives', async (t) => {
  const f = await startGate(t);
  const raw = await RawClient.open(f.port);
  const seen: Buffer[] = [];
  f.accepted[0]!.onMessage((data) => seen.push(Buffer.from(data)));
  raw.socket.write(frame(Buffer.from([0x22, 0xff, 0xfe, 0x22])));
  raw.socket.write(frame('fine'));
  await until(() => seen.length === 2);
  assert.deepEqual(seen, [Buffer.from([0x22, 0xff, 0xfe, 0x22]), Buffer.from('fine')]);
  raw.socket.destroy();
});

test('a connection that does not initialize is closed with 4408; one that does stays', async (t) => {
  const f = await startGate(t, { limits: { handshake_ms: 200, sweep_ms: 20 }, onConnection: () => {} });
  const mute = await f.client();
  const ready = await f.client();
  f.accepted[1]!.initialized();
  assert.equal(await closeCode(mute), 4408);
  assert.equal(ready.readyState, ready.OPEN);
});

test('silence is met with a ping; who answers stays, who does not is cut', async (t) => {
  const f = await startGate(t, { limits: { heartbeat_ms: 100, heartbeat_deadline_ms: 150, sweep_ms: 20 } });
  const live = await f.client();
  let pings = 0;
  live.on('ping', () => pings++);
  const dead = await RawClient.open(f.port);
  await until(() => dead.socket.destroyed, 3000);
  assert.equal(dead.frames(9), 1, 'it was asked once');
  assert.deepEqual(f.closes, [1006]);
  await until(() => pings >= 3);
  assert.equal(live.readyState, live.OPEN);
});

test('a caller may pause a connection: what comes meanwhile waits, and its silence is not held against it', async (t) => {
  const f = await startGate(t, { limits: { heartbeat_ms: 50, heartbeat_deadline_ms: 50, sweep_ms: 10 } });
  const ws = await f.client();
  const c = f.accepted[0]!;
  let seen = 0;
  c.onMessage(() => seen++);
  c.pause();
  ws.send('x');
  await sleep(300);
  assert.equal(seen, 0);
  assert.equal(ws.readyState, ws.OPEN);
  c.resume();
  await until(() => seen === 1);
});

test('a close while paused still completes its handshake', async (t) => {
  const f = await startGate(t);
  const ws = await f.client();
  f.accepted[0]!.pause();
  f.accepted[0]!.close(1008, 'policy');
  assert.equal(await closeCode(ws, 800), 1008);
  await until(() => f.closes.length === 1, 800);
  assert.equal(f.accepted[0]!.send('x'), false);
});

test('an over-long close reason is cut at a character, never an error', async (t) => {
  const f = await startGate(t);
  const ws = await f.client();
  const reason = new Promise<string>((resolve) =>
    ws.once('close', (_code, text) => resolve(text.toString())),
  );
  f.accepted[0]!.close(1008, `x${'\u{1F600}'.repeat(60)}`);
  const got = await reason;
  assert.ok(Buffer.byteLength(got) <= 123 && got.startsWith('x\u{1F600}'), got);
  assert.equal(got, `x${'\u{1F600}'.repeat(30)}`);
});

test('F13 any bytes after the upgrade end in a close frame or a living connection, and never reach the others', async (t) => {
  const f = await startGate(t, { limits: { message_ms: 100, sweep_ms: 20 } });
  const other = await f.client();
  const piece = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map((b) => Buffer.from(b)),
    fc
      .record({
        fin: fc.boolean(),
        rsv: fc.constantFrom(0, 0, 0, 1, 4),
        opcode: fc.integer({ min: 0, max: 15 }),
        mask: fc.constantFrom(true, true, true, false),
        body: fc.uint8Array({ maxLength: 130 }),
      })
      .map(({ body, ...o }) => frame(Buffer.from(body), o)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
      const raw = await RawClient.open(f.port);
      for (const bytes of pieces) raw.socket.write(bytes);
      other.send('ping');
      assert.equal((await nextMessage(other)).toString(), 'ping');
      const code = raw.closeFrame();
      if (code !== undefined) assert.ok(code >= 1000 && code < 5000, `close code ${code}`);
      raw.socket.destroy();
    }),
    { numRuns: 60 },
  );
  await until(() => f.gate.size === 1);
});

test('a listener that throws is logged and costs nobody the connection', async (t) => {
  const f = await startGate(t);
  const ws = await f.client();
  const c = f.accepted[0]!;
  c.onMessage(() => {
    throw new Error('a bug upstream');
  });
  ws.send('x');
  await until(() => f.logged.some((l) => l.includes('a bug upstream')));
  c.onMessage((data) => c.send(data));
  ws.send('still here');
  assert.equal((await nextMessage(ws)).toString(), 'still here');
});

test('a named token stands for its own tenant and scopes; only its hash is kept', async (t) => {
  const f = await startGate(t);
  const file = `${f.folder}/token`;
  loadTokens(file);
  const agent = addNamedToken(file, { name: 'bot', tenant: 'blue', scopes: ['agent'] });
  const scraper = addNamedToken(file, { name: 'prom', tenant: 'default', scopes: ['metrics'] });
  assert.throws(() => addNamedToken(file, { name: 'bot', tenant: 'red', scopes: ['agent'] }), /already/);
  assert.throws(() => addNamedToken(file, { name: 'x', tenant: '../y', scopes: ['agent'] }), /tenant/);
  const tokens = loadTokens(file);
  assert.equal(tokens.size, 3);
  assert.deepEqual(tokens.identify(agent), { name: 'bot', tenant: 'blue', scopes: ['agent'] });
  const g = await startGate(t, { tokens });
  const as = (token: string) => ({ ws: { headers: { Authorization: `Bearer ${token}` } } });
  await g.client(as(agent));
  assert.equal(g.accepted[0]!.tenant, 'blue');
  await assert.rejects(g.client(as(scraper)), /403/);
  const page = (token: string) =>
    fetch(`http://127.0.0.1:${g.port}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal((await page(scraper)).status, 200);
  assert.equal((await page(agent)).status, 403);
});

test('connections, messages and bytes are counted', async (t) => {
  const f = await startGate(t);
  const ws = await f.client();
  ws.send('hello');
  await nextMessage(ws);
  ws.close(4000);
  await until(() => f.gate.size === 0);
  const text = await f.metrics.text();
  for (const line of [
    'curated_connections{transport="tcp"} 0',
    'curated_connections_total{transport="tcp"} 1',
    'curated_closes_total{code="other"} 1',
    'curated_messages_total{wire="json",direction="in"} 1',
    'curated_bytes_total{wire="json",direction="out"} 5',
  ]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
});

test('the limits have defaults inside their ranges, are frozen, and refuse what is wrong by name', () => {
  const limits = resolveLimits();
  assert.ok(Object.isFrozen(limits));
  assert.equal(limits.append_messages, 100);
  assert.equal(limits.turn_messages, 10_000);
  assert.equal(limits.connections, 4000);
  assert.ok(limits.drain_ms < 5000);
  assert.equal(resolveLimits({ connections: 7, pings: undefined }).connections, 7);
  const wrong: Record<string, unknown>[] = [
    { nope: 1 },
    { toString: 1 },
    { connections: '7' },
    { connections: 1.5 },
    { connections: 0 },
    { frame_bytes: 2 ** 32 },
    { out_close_bytes: 1024 },
  ];
  for (const o of wrong)
    assert.throws(() => resolveLimits(o), { kind: 'CONFIG', message: /^limits\./ }, JSON.stringify(o));
});

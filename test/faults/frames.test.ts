// F13-F20: frames that are wrong, too big, too many or never finished. Bare sockets against a real gate on loopback.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { resolveLimits } from '../../src/config.js';
import {
  closeCode,
  frame,
  nextMessage,
  RawClient,
  sleep,
  startGate,
  until,
  within,
} from '../wire/gate-fixture.js';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes alive after a collection, in and outside of the heap. */
function held(): number {
  gc();
  const m = process.memoryUsage();
  return m.heapUsed + m.external;
}

/** Sends bytes on a fresh connection and gives the close code that comes back. */
async function closesWith(port: number, ...bytes: Buffer[]): Promise<number | undefined> {
  const raw = await RawClient.open(port);
  for (const b of bytes) raw.socket.write(b);
  const code = await raw.closed();
  raw.socket.destroy();
  return code;
}

test('F13 unmasked frame, reserved bits, bad opcode: 1002', async (t) => {
  const f = await startGate(t);
  assert.equal(await closesWith(f.port, frame('x', { mask: false })), 1002, 'unmasked');
  for (const rsv of [1, 2, 3, 5, 7])
    assert.equal(await closesWith(f.port, frame('x', { rsv })), 1002, `rsv ${rsv}`);
  for (const opcode of [3, 4, 7, 11, 15])
    assert.equal(await closesWith(f.port, frame('x', { opcode })), 1002, `opcode ${opcode}`);
  assert.equal(await closesWith(f.port, frame('x', { opcode: 0 })), 1002, 'continuation of nothing');
  assert.equal(
    await closesWith(f.port, frame('x', { fin: false }), frame('y')),
    1002,
    'a new message inside another',
  );
  await until(() => f.gate.size === 0);
});

test('F14 fragmented or oversized control frames: 1002', async (t) => {
  const f = await startGate(t);
  for (const opcode of [8, 9, 10]) {
    assert.equal(await closesWith(f.port, frame('', { opcode, fin: false })), 1002, `fragmented ${opcode}`);
    assert.equal(
      await closesWith(f.port, frame(Buffer.alloc(126), { opcode })),
      1002,
      `126 bytes in ${opcode}`,
    );
  }
  assert.equal(await closesWith(f.port, frame('x', { opcode: 8 })), 1002, 'a close frame with half a code');
  assert.equal(
    await closesWith(f.port, frame(Buffer.from([3, 237]), { opcode: 8 })),
    1002,
    'close code 1005 on the wire',
  );
});

test('F15 131,072 one-byte fragments: 1008, with under 1 MB held', async (t) => {
  const f = await startGate(t);
  const raw = await RawClient.open(f.port);
  const limit = resolveLimits().frame_fragments;
  const rest = frame('x', { opcode: 0, fin: false });
  const before = held();
  raw.socket.write(Buffer.concat([frame('x', { fin: false }), ...Array(limit - 1).fill(rest)]));
  const connection = f.accepted[0]!;
  await until(() => raw.socket.writableLength === 0);
  await sleep(100);
  assert.equal(f.gate.size, 1, 'at the limit it still waits');
  const grown = held() - before;
  assert.ok(grown < 1e6, `${limit} fragments hold ${grown} bytes`);
  let seen = 0;
  connection.onMessage(() => seen++);
  raw.socket.write(Buffer.concat(Array(131_072 - limit).fill(rest)));
  assert.equal(await raw.closed(), 1008);
  assert.equal(seen, 0);
  raw.socket.destroy();
});

test('F16 one byte over the limit: 1009 from the header alone; the limit itself passes', async (t) => {
  const f = await startGate(t);
  const limit = resolveLimits().frame_bytes;
  assert.equal(limit, 8 * 1024 * 1024);
  const before = held();
  assert.equal(await closesWith(f.port, frame('', { length: limit + 1 })), 1009, 'no byte of it was sent');
  assert.equal(await closesWith(f.port, frame('', { length: 2 ** 32, opcode: 2 })), 1009);
  assert.ok(held() - before < 1e6);
  const half = frame(Buffer.alloc(limit / 2, 'a'), { fin: false });
  assert.equal(
    await closesWith(f.port, half, frame('', { opcode: 0, length: limit / 2 + 1 })),
    1009,
    'in two fragments',
  );
  const ws = await f.client();
  ws.send(Buffer.alloc(limit, 'b'), { binary: false });
  assert.equal((await nextMessage(ws, 10_000)).length, limit);
});

test('F17 a compressed frame, though nothing was negotiated: 1002; the extension is never accepted', async (t) => {
  const f = await startGate(t);
  assert.equal(await closesWith(f.port, frame('x', { rsv: 4 })), 1002);
  const ws = await f.client({ ws: { perMessageDeflate: true } });
  assert.equal(ws.extensions, '');
});

test('F18 a binary frame on json, a text frame on msgpack: 1003, and it is not handed over', async (t) => {
  const seen: Uint8Array[] = [];
  const f = await startGate(t, { onConnection: (c) => c.onMessage((data) => seen.push(data)) });
  const json = await f.client({ wire: 'json' });
  json.send(Buffer.from('x'));
  assert.equal(await closeCode(json), 1003);
  const msgpack = await f.client({ wire: 'msgpack' });
  msgpack.send('x');
  assert.equal(await closeCode(msgpack), 1003);
  await until(() => f.closes.length === 2);
  assert.equal(seen.length, 0);
  assert.deepEqual(f.closes, [1003, 1003]);
});

test('F19 half a message, then silence: cut at the deadline, wherever it stops', async (t) => {
  assert.equal(resolveLimits().message_ms, 30_000);
  const f = await startGate(t, { limits: { message_ms: 250, sweep_ms: 20 } });
  const whole = frame('hello world');
  const halves: Record<string, Buffer> = {
    'one byte': whole.subarray(0, 1),
    'the length, no mask': whole.subarray(0, 2),
    'half a payload': whole.subarray(0, 10),
    'a first fragment': frame('hello', { fin: false }),
    'a message and half of the next': Buffer.concat([whole, whole.subarray(0, 7)]),
  };
  const start = performance.now();
  await Promise.all(
    Object.entries(halves).map(async ([what, bytes]) =>
      assert.equal(await closesWith(f.port, bytes), 1008, what),
    ),
  );
  assert.ok(performance.now() - start < 5000);
});

test('F19 pings and single bytes do not stretch the deadline of a message; whole messages keep a connection alive', async (t) => {
  const f = await startGate(t, { limits: { message_ms: 250, sweep_ms: 20 } });
  const slow = await RawClient.open(f.port);
  slow.socket.write(frame('a', { fin: false }));
  const drip = setInterval(() => slow.socket.write(frame('', { opcode: 9 })), 50);
  const trickle = await RawClient.open(f.port);
  trickle.socket.write(frame(Buffer.alloc(1000)).subarray(0, 7));
  const drops = setInterval(() => trickle.socket.write('x'), 20);
  const busy = await f.client();
  const chat = setInterval(() => busy.send('hi'), 40);
  t.after(() => {
    for (const timer of [drip, drops, chat]) clearInterval(timer);
  });
  assert.equal(await slow.closed(2000), 1008);
  assert.equal(await trickle.closed(2000), 1008);
  for (const raw of [slow, trickle]) raw.socket.destroy();
  for (const timer of [drip, drops]) clearInterval(timer);
  await sleep(400);
  clearInterval(chat);
  assert.equal(busy.readyState, busy.OPEN);
  assert.equal(f.gate.size, 1);
});

test('F20 a ping flood gets a few pongs, then 1008; a normal ping gets its pong', async (t) => {
  const f = await startGate(t);
  const { pings, ping_flood } = resolveLimits();
  const some = await RawClient.open(f.port);
  some.socket.write(Buffer.concat(Array(ping_flood - 1).fill(frame('p', { opcode: 9 }))));
  some.socket.write(frame('done'));
  await until(() => some.got.includes('done'));
  assert.equal(some.frames(10), pings, 'more pings than the limit are dropped');
  assert.equal(some.closeFrame(), undefined);
  const flood = await RawClient.open(f.port);
  flood.socket.write(Buffer.concat(Array(20_000).fill(frame('', { opcode: 9 }))));
  assert.equal(await flood.closed(), 1008);
  assert.ok(flood.frames(10) <= 2 * pings);
  flood.socket.destroy();
  const ws = await f.client();
  const pong = new Promise((resolve) => ws.once('pong', resolve));
  ws.ping('hello');
  assert.equal(String(await within(2000, 'pong', pong)), 'hello');
});

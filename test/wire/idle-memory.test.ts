// What an idle connection costs. A file, and so a process, of its own: memory that other tests freed would hide it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { least } from '../support/least.js';
import { flood, sleep, startGate } from './gate-fixture.js';

const LOT = 1000;

test('an idle connection costs at most 16 KiB of resident memory', async (t) => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const settled = async () => {
    for (let i = 0; i < 3; i++) {
      gc();
      await sleep(50);
    }
    return process.memoryUsage().rss;
  };
  const f = await startGate(t, { limits: { handshake_ms: 600_000 }, onConnection: () => {} });
  // The first connections load code, and while the engine's young generation grows to its bound (later on newer Nodes) they seem
  // to cost what it takes. What a connection costs itself it costs in each lot.
  await flood(t, f.port, 200);
  let opened = 200;
  const each = await least(
    16,
    async () => {
      const before = await settled();
      assert.equal((await flood(t, f.port, LOT)).opened, LOT);
      opened += LOT;
      const cost = ((await settled()) - before) / LOT / 1024;
      t.diagnostic(`${cost.toFixed(1)} KiB for each of ${LOT}`);
      return cost;
    },
    3,
  );
  assert.equal(f.gate.size, opened);
  assert.ok(each < 16, `${each} KiB a connection`);
});

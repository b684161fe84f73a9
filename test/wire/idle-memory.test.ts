// What an idle connection costs. A file, and so a process, of its own: memory that other tests freed would hide it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { flood, sleep, startGate } from './gate-fixture.js';

const COUNT = 2000;

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
  // The first connections load code and grow the heap's own pages.
  await flood(t, f.port, 200);
  const before = await settled();
  assert.equal((await flood(t, f.port, COUNT)).opened, COUNT);
  const each = ((await settled()) - before) / COUNT / 1024;
  t.diagnostic(`${each.toFixed(1)} KiB for each of ${COUNT}`);
  assert.equal(f.gate.size, COUNT + 200);
  assert.ok(each < 16, `${each} KiB a connection`);
});

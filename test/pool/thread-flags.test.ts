import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { threadFlags } from '../../src/pool/thread-flags.js';

test('F43 a thread of the pool imports its file and does not require it: one that is ended meanwhile ends nobody else', async (t) => {
  if (threadFlags().length === 0) return t.skip('this Node has no such flag');
  const tries = `const { parentPort } = require('node:worker_threads');
    try { require(${JSON.stringify(new URL('../../src/pool/thread-flags.js', import.meta.url).pathname)}); parentPort.postMessage('required'); }
    catch (e) { parentPort.postMessage(e.code); }`;
  const worker = new Worker(tries, { eval: true, execArgv: threadFlags() });
  const [answer] = (await once(worker, 'message')) as [string];
  await worker.terminate();
  assert.equal(answer, 'ERR_REQUIRE_ESM');
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { nodeArgs } from '../../src/cli/node-args.js';

/** Bytes that V8 lets the whole heap have: three halves of the young generation are in it. */
function heapLimit(NODE_OPTIONS: string): number {
  const args = [...nodeArgs({ NODE_OPTIONS }), '-p', 'v8.getHeapStatistics().heap_size_limit'];
  return Number(execFileSync(process.execPath, args, { env: { ...process.env, NODE_OPTIONS } }));
}

test('the young generation of a daemon that we start may grow to 32 MB a half, or to what the operator says', () => {
  const halves = (mb: number) => 3 * mb * 2 ** 20;
  const usual = heapLimit('--max-semi-space-size=16');
  assert.equal(heapLimit('') - usual, halves(16));
  assert.equal(heapLimit('--max_semi_space_size=8') - usual, halves(-8));
});

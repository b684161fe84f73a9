import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { nodeArgs } from '../../src/cli/node-args.js';

/** Makes objects that live, and tells how many bytes the young generation had at most. */
const FILL = `
const kept = [];
let most = 0;
for (let i = 0; i < 1_500_000; i++) {
  kept.push({ i });
  if (i % 10_000 !== 0) continue;
  const young = v8.getHeapSpaceStatistics().find((s) => s.space_name === 'new_space');
  most = Math.max(most, young.space_size);
}
console.log(most);`;

function mostYoungMb(NODE_OPTIONS: string): number {
  const args = [...nodeArgs({ NODE_OPTIONS }), '-e', FILL];
  return Number(execFileSync(process.execPath, args, { env: { ...process.env, NODE_OPTIONS } })) / 2 ** 20;
}

test('the young generation of a daemon that we start may grow to twice the usual, or to what the operator says', () => {
  const usual = mostYoungMb('--max-semi-space-size=16');
  const ours = mostYoungMb('');
  const less = mostYoungMb('--max_semi_space_size=8');
  assert.ok(ours > usual * 1.5, `${ours} MB against ${usual} MB`);
  assert.ok(less < usual, `${less} MB against ${usual} MB`);
});

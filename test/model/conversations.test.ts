// The property that the product stands for, over random conversations. CURATED_STEPS=1000000 is the long form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse, type Walked } from './conversations.js';

const STEPS = Number(process.env['CURATED_STEPS'] ?? 20_000);
const EACH = 60;

test('P-4 P-7 J-10 PV-G random agents are never refused, no prefix changes unannounced, every byte comes back', async (t) => {
  const sum: Walked = { steps: 0, requests: 0, cleared: 0, repaired: 0, patched: 0 };
  for (let seed = Number(process.env['CURATED_SEED'] ?? 1); sum.steps < STEPS; seed += 1) {
    const walked = await converse(seed, EACH);
    for (const key of Object.keys(sum) as (keyof Walked)[]) sum[key] += walked[key];
  }
  t.diagnostic(
    `${sum.steps} steps, ${sum.requests} requests, ${sum.cleared} cleared, ${sum.repaired} repaired, ${sum.patched} patched`,
  );
  // A window that is too narrow ends a conversation by a typed error, so a few steps emit nothing.
  assert.ok(sum.requests > sum.steps * 0.95, `only ${sum.requests} requests in ${sum.steps} steps`);
  assert.ok(sum.cleared > sum.steps / 50, `only ${sum.cleared} results were cleared`);
  assert.ok(sum.repaired > 0);
  assert.ok(sum.patched > sum.requests / 5, `only ${sum.patched} answers were patches of the one before`);
});

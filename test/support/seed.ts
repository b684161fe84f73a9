// Loaded before each test file: all its properties draw from the seed of the run, so that a red run can be had again.

import { isMainThread } from 'node:worker_threads';

const seed = process.env['CURATED_FC_SEED'];
if (isMainThread && seed !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(seed) });
}

// Tables of comparisons: a dash has its reason below it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { armsTable } from '../../src/cli/eval-table.js';
import { liveTable } from '../../src/cli/live-table.js';
import { LEAST_PAIRS } from '../../src/eval/stats.js';

test('E-5 where there are too few for an interval the table says how many it takes, and else nothing', () => {
  const arms = (conversations: number) =>
    armsTable({
      schema_version: '1',
      seed: 1,
      day: '2026-11-29',
      conversations,
      skipped: 0,
      arms: [],
      example: null,
    });
  assert.match(arms(1), /1 conversation, .*; - : told of 5 conversations or more\n/);
  assert.doesNotMatch(arms(LEAST_PAIRS), /or more/);
  const live = (attempts: number) =>
    liveTable({
      schema_version: '1',
      seed: 1,
      margin: 0.05,
      stopped_early: false,
      arms: [{ preset: 'off', attempts, successes: attempts, against: null }],
      trials: [],
    });
  assert.match(live(2), /; - : told of 5 attempts or more\n$/);
  assert.doesNotMatch(live(LEAST_PAIRS), /or more/);
});

// The comparison of presets in README is what the command that it names prints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { figuresIn, pivotOf, README, recordings, shapeOf, shownIn } from '../../bench/pivot.js';

const LOGS = resolve(fileURLToPath(new URL('../../../test/fixtures/logs', import.meta.url)));
const shown = shownIn(readFileSync(README, 'utf8'));

test('E-5: the comparison in README has the columns and the arms of the command (npm run doc:pivot)', async () => {
  assert.ok(shown !== undefined, 'README shows no comparison');
  const made = await pivotOf([join(LOGS, 'claude-code.jsonl')]);
  assert.equal(shapeOf(made).length, 1 + 2 * 6);
  assert.deepEqual(shapeOf(shown), shapeOf(made));
});

test('E-5 E-6: its figures are those of the product as it is (npm run doc:pivot)', async (t) => {
  const files = recordings();
  if (files === undefined) return t.skip('no ../shared/data/transcripts (CURATED_SHARED names their folder)');
  // One preset stands for all three: each takes seconds.
  const arms = ['off', 'balanced', 'native'];
  const made = figuresIn(await pivotOf(files, arms));
  assert.deepEqual([...made.keys()], arms);
  const now = figuresIn(shown ?? '');
  for (const [arm, cells] of made) {
    assert.ok(cells.length >= 14, arm);
    assert.deepEqual(now.get(arm), cells, `${arm} is out of date: npm run doc:pivot`);
  }
});

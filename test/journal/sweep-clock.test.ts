// F49: a clock that leaps does not sweep away what is not old.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SweepClock } from '../../src/journal/sweep-clock.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 30);

function place(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'sweep-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'sweep.json');
}

test('F49: looks an hour apart are trusted, and a leap ahead is not for a day', (t) => {
  const clock = new SweepClock(place(t));
  assert.equal(clock.due(NOW), true);
  assert.equal(clock.due(NOW + HOUR), true);
  const leap = NOW + 40 * DAY;
  assert.equal(clock.due(leap), false);
  assert.equal(clock.due(leap + 23 * HOUR), false);
  assert.equal(clock.due(leap + DAY), true);
});

test('F49: a clock that comes back after a leap is held for a day, not for forty', (t) => {
  const clock = new SweepClock(place(t));
  clock.due(NOW);
  clock.due(NOW + 40 * DAY);
  assert.equal(clock.due(NOW + HOUR), false);
  assert.equal(clock.due(NOW + 20 * HOUR), false);
  assert.equal(clock.due(NOW + HOUR + DAY), true);
});

test('F49: a restart remembers the last look; a daemon that was off for days waits a day, a damaged file is a first start', (t) => {
  const path = place(t);
  new SweepClock(path).due(NOW);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(new SweepClock(path).due(NOW + 12 * HOUR), true);
  assert.equal(new SweepClock(path).due(NOW + 5 * DAY), false);
  assert.equal(new SweepClock(path).due(NOW + 5 * DAY + HOUR), false);
  writeFileSync(path, '{"seen":');
  assert.equal(new SweepClock(path).due(NOW + 50 * DAY), true);
});

test('F49: a daemon that runs now and then sweeps with every second start, and a long leap is waited after all the same', (t) => {
  const path = place(t);
  const at = (days: number) => new SweepClock(path).due(NOW + days * DAY);
  assert.deepEqual([0, 2, 4, 6, 8].map(at), [true, false, true, false, true]);
  assert.equal(at(10), false);
  assert.equal(at(50), false, 'nobody bears out a leap of forty days');
  assert.equal(at(50.5), false);
  assert.equal(at(51.2), true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backstage } from '../../src/session/backstage.js';

const idle = () => new AbortController().signal;

test('L4-11 each piece in the background has a turn of the event loop to itself, in the order of asking', async () => {
  const stage = new Backstage();
  const log: string[] = [];
  let looking = true;
  const look = () => {
    log.push('calls');
    if (looking) setImmediate(look);
  };
  setImmediate(look);
  await Promise.all([1, 2, 3].map((n) => stage.turn(50_000, idle()).then(() => log.push(`piece ${n}`))));
  looking = false;
  const pieces = log.filter((l) => l !== 'calls');
  assert.deepEqual(pieces, ['piece 1', 'piece 2', 'piece 3']);
  for (const [i, what] of log.entries()) {
    if (i > 0 && what !== 'calls') assert.equal(log[i - 1], 'calls');
  }
});

test('L4-11 while calls come, the thread is theirs between two pieces', async () => {
  const stage = new Backstage();
  let turns = 0;
  let looking = true;
  const look = () => {
    turns++;
    if (looking) setImmediate(look);
  };
  const gap = async (called: boolean) => {
    const first = stage.turn(1_000_000, idle());
    const second = stage.turn(1_000_000, idle());
    if (called) stage.called();
    await first;
    const before = turns;
    await second;
    return turns - before;
  };
  setImmediate(look);
  const quiet = await gap(false);
  const busy = await gap(true);
  looking = false;
  assert.ok(quiet <= 3, `${quiet} turns of the loop between two pieces on a quiet thread`);
  assert.ok(busy > 3 * quiet, `${busy} turns of the loop against ${quiet}`);
});

test('L5-5 a piece that a call waits for by now runs at once, and the others after it', async () => {
  const stage = new Backstage();
  const hurry = new AbortController();
  const log: string[] = [];
  stage.called();
  const others = [1, 2].map((n) => stage.turn(1_000_000, idle()).then(() => log.push(`other ${n}`)));
  const wanted = stage.turn(1_000_000, hurry.signal).then(() => log.push('wanted'));
  hurry.abort();
  await wanted;
  assert.deepEqual(log, ['wanted']);
  await Promise.all(others);
  await stage.turn(1, AbortSignal.abort());
  assert.deepEqual(log, ['wanted', 'other 1', 'other 2']);
});

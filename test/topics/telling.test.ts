// Words compared one by one, and what the rule sees of them when the reply is known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { END_FEATURES } from '../../src/topics/features.js';
import { LATE } from '../../src/topics/late-features.js';
import { scan, Words } from '../../src/topics/scan.js';
import { findWords, Telling, WordList } from '../../src/topics/telling.js';
import { Tracker } from '../../src/topics/tracker.js';

const telling = (text: string) => new Telling().read(scan(text, new Words()), text);

/** Features at the turn's end of the last exchange, by name. */
function late(...said: readonly (readonly [string, string])[]): Record<string, number> {
  const tracker = new Tracker();
  const x = new Float64Array(256);
  for (const [at, [input, reply]] of said.entries()) {
    tracker.read(input, at, at);
    tracker.answer(reply);
    if (at < said.length - 1) tracker.fold(false);
  }
  assert.equal(tracker.atEnd(x), END_FEATURES.length);
  const from = END_FEATURES.length - LATE.length;
  return Object.fromEntries(LATE.map((name, i) => [name, x[from + i]!]));
}

test('a word finds the like of it where none is spelled alike', () => {
  const asked = telling('Which train leaves earliest?');
  const near = findWords(asked.first, 16, telling('The railway station and its buses').top, 64);
  const far = findWords(asked.first, 16, telling('The onion soup and its garlic').top, 64);
  assert.ok(near.mean > far.mean + 0.05, `${near.mean} beside ${far.mean}`);
  const same = findWords(asked.first, 16, asked.top, 64);
  assert.ok(Math.abs(same.mean - 1) < 1e-6 && same.near === asked.first.n);
});

test('words are listed once, the telling ones first, numbers are no names', () => {
  const { first, top, rare } = telling('the parseLedgerRow parseLedgerRow of 4711 and of the house');
  assert.equal(new Set(first.stem.subarray(0, first.n)).size, first.n);
  for (let i = 1; i < top.n; i += 1) assert.ok(top.weight[i - 1]! >= top.weight[i]!);
  const bare = telling('4711 4712 0815');
  assert.ok(bare.first.n === 3 && bare.rare.size === 0 && rare.size > 0);
});

test('an identifier that comes again speaks for the topic, another one against it', () => {
  const before = [
    'Why does parseLedgerRow drop the last column?',
    'parseLedgerRow stops at the tab.',
  ] as const;
  const stays = late(before, ['And zybrowalk?', 'It calls parseLedgerRow with one column less.']);
  const leaves = late(before, ['And zybrowalk?', 'It calls quuxFlimsy with one gromnit less.']);
  assert.ok(stays['rRareShared']! > leaves['rRareShared']!);
  assert.ok(stays['pairRareShare']! > leaves['pairRareShare']!);
});

test('a list never holds more than it has room for, and no word twice', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(20), { maxLength: 12 }), { maxLength: 6 }), (lists) => {
      const all = new WordList(10);
      for (const stems of lists) {
        const list = new WordList(12);
        for (const stem of new Set(stems)) list.push(stem, -1, 1);
        all.join(list);
      }
      const held = [...all.stem.subarray(0, all.n)];
      assert.deepEqual(held, [...new Set(lists.flat())].slice(0, 10));
    }),
  );
});

test('L3-17 a topic that goes on is compared with its own words again, and with how long it lasted', () => {
  const resumed = (back: boolean) => {
    const tracker = new Tracker();
    const x = new Float64Array(256);
    const say = (at: number, input: string, reply: string, shift = false, to = -1) => {
      tracker.read(input, at, at);
      tracker.answer(reply);
      tracker.fold(shift, tracker.past[to]);
    };
    say(0, 'Why does parseLedgerRow drop a column?', 'parseLedgerRow stops at the tab.');
    say(1, 'Which onions go into the soup?', 'Yellow onions and garlic.', true);
    say(2, 'And the tab?', 'Split there.', true, back ? 0 : -1);
    tracker.read('Does parseLedgerRow trim?', 3, 3);
    tracker.answer('It does.');
    tracker.atEnd(x);
    const from = END_FEATURES.length - LATE.length;
    return (name: (typeof LATE)[number]) => x[from + LATE.indexOf(name)]!;
  };
  const [back, anew] = [resumed(true), resumed(false)];
  assert.ok(back('wordsTopic') > anew('wordsTopic') && back('rareShare') > anew('rareShare'));
  assert.equal(back('closed'), 1);
  assert.equal(back('logExchanges'), Math.log1p(3));
  assert.ok(back('shiftRate') > 0.4, 'two shifts in three exchanges');
});

// Who is asked besides where few shifts are wanted: names of code, the two opinions put together, and what no mode changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seeded } from '../../src/random.js';
import { type Example, fitLogistic } from '../../src/topics/eval/fit.js';
import { splicedSets } from '../../src/topics/eval/splice.js';
import { END_FEATURES } from '../../src/topics/features.js';
import { GATE_FEATURES, together } from '../../src/topics/gate.js';
import { TopicModel } from '../../src/topics/model.js';
import { sigmoid } from '../../src/topics/net.js';
import { scan, Words } from '../../src/topics/scan.js';
import { Telling } from '../../src/topics/telling.js';
import { Tracker } from '../../src/topics/tracker.js';
import { WEIGHTS } from '../../src/topics/weights.js';

const telling = (text: string) => new Telling().read(scan(text, new Words()), text);

function gateOf(...said: readonly (readonly [string, string])[]): (name: string) => number {
  const tracker = new Tracker();
  const x = new Float64Array(256);
  const g = new Float64Array(64);
  for (const [at, [input, reply]] of said.entries()) {
    tracker.read(input, at, at);
    tracker.answer(reply);
    if (at < said.length - 1) tracker.fold(false);
  }
  tracker.atEnd(x);
  assert.equal(tracker.atGate(x, g), GATE_FEATURES.length);
  return (name) => g[GATE_FEATURES.indexOf(name)]!;
}

test('files, flags and identifiers are names; words, numbers and the ends of sentences are not', () => {
  for (const text of [
    'ledger.go',
    'see src/ledger.json',
    '--dryrun',
    'parseLedger',
    'ledger_row',
    'a.b/x.ts',
  ])
    assert.ok(telling(text).named.size > 0, text);
  for (const text of [
    'The ledger stops.',
    'stops. then',
    'Stop.Then',
    'dry-run',
    'e.g. this',
    'HTTP',
    '4711',
    'GitHub? ',
  ])
    assert.equal(telling(text).named.size, text.startsWith('GitHub') ? 1 : 0, text);
});

test('a name said before in the topic is known, one that nobody said is new', () => {
  const before = ['Why does ledger.go drop a column?', 'parseRow stops at the tab.'] as const;
  const stays = gateOf(before, ['And spaces?', 'parseRow keeps them, see ledger.go.']);
  const leaves = gateOf(before, ['And the menu?', 'renderMenu reads menu.json.']);
  assert.equal(stays('namedShare'), 1);
  assert.equal(stays('namedNew'), 0);
  assert.equal(leaves('namedShare'), 0);
  assert.equal(leaves('namedNew'), Math.log1p(2));
});

test('both opinions count: the more one of them says yes, the likelier a shift; at odds of one it is even', () => {
  const net = { weights: [0, 1], units: [] };
  const gate = { weights: [0, 1] };
  const p = (a: number, b: number) => together(net, gate, [1, a], [1, b]);
  assert.equal(p(0, 0), 0.5);
  const finite = fc.double({ min: -20, max: 20, noNaN: true });
  fc.assert(
    fc.property(finite, finite, fc.double({ min: 0, max: 5, noNaN: true }), (a, b, more) => {
      assert.ok(p(a + more, b) >= p(a, b) && p(a, b + more) >= p(a, b));
      assert.ok(p(a, b) >= 0 && p(a, b) <= 1);
    }),
  );
});

test('the gate looks at numbers that there are, and has a weight for each', () => {
  const { gate } = WEIGHTS.precise;
  assert.equal(gate.weights.length, GATE_FEATURES.length);
  for (const name of GATE_FEATURES.slice(0, -2)) assert.ok(END_FEATURES.includes(name), name);
  assert.ok(gate.weights.some((w) => w !== 0) && gate.weights.every(Number.isFinite));
});

test('a session is about code while two of five exchanges name something of code, the open one and its reply included', () => {
  const tracker = new Tracker();
  const exchange = (input: string, reply: string, fold = true): boolean => {
    tracker.read(input, 0, 0);
    tracker.answer(reply);
    const about = tracker.aboutCode;
    if (fold) tracker.fold(false);
    return about;
  };
  const plain = ['How long do I roast a chicken?', 'Eighty minutes.'] as const;
  assert.equal(exchange('Why does ledger.go drop a column?', 'It stops at the tab.'), true, '1 of 1');
  assert.equal(exchange(...plain), true, '1 of 2');
  assert.equal(exchange(...plain), false, '1 of 3');
  assert.equal(exchange('And now?', 'parseRow keeps the tab.'), true, '2 of 4');
  assert.equal(exchange(...plain), true, '2 of 5');
  assert.equal(exchange(...plain), false, '2 of 6');
});

test('precise asks the gate in sessions about code and nobody but the net elsewhere, each with its own threshold', () => {
  // A net that says .7 whatever it is shown, and a gate that is sure of the opposite.
  const fixed = (size: number, z: number) => Array.from({ length: size }, (_, i) => (i === 0 ? z : 0));
  const net = { ...WEIGHTS.end, units: [], weights: fixed(END_FEATURES.length, Math.log(0.7 / 0.3)) };
  const gate = { ...WEIGHTS.precise.gate, weights: fixed(GATE_FEATURES.length, -20), threshold: 0.4 };
  const model = new TopicModel({ ...WEIGHTS, end: net, precise: { input: 0.9, end: 0.65, gate } });
  const final = (input: string, reply: string) => {
    const tracker = new Tracker();
    tracker.read(input, 0, 0);
    tracker.answer(reply);
    tracker.fold(false);
    tracker.read(input, 1, 1);
    tracker.answer(reply);
    return model.final(tracker, 'precise');
  };
  const plain = final('How long do I roast a chicken?', 'Eighty minutes.');
  assert.deepEqual([plain.shift, plain.threshold], [true, 0.65]);
  assert.ok(Math.abs(plain.probability - 0.7) < 1e-9);
  const code = final('Why does ledger.go drop a column?', 'parseRow stops at the tab.');
  assert.deepEqual([code.shift, code.threshold], [false, 0.4]);
});

test('precise: an announced change is a shift, an input without content is none, the same matter is none', () => {
  const model = new TopicModel();
  const final = (input: string, reply: string) => {
    const tracker = new Tracker();
    tracker.read('Why does ledger.go drop a column?', 0, 0);
    tracker.answer('parseRow in ledger.go stops at the tab.');
    tracker.fold(false);
    tracker.read(input, 1, 1);
    tracker.answer(reply);
    return model.final(tracker, 'precise').shift;
  };
  assert.equal(final("Let's change the subject: backups", 'Use pg_dump.'), true);
  assert.equal(
    final('yes, proceed', 'Roast the chicken for eighty minutes with rosemary and potatoes.'),
    false,
  );
  assert.equal(final('Does parseRow in ledger.go trim the column?', 'parseRow trims the column.'), false);
});

test('a logistic rule is found again from what it said, and the same to the last bit', () => {
  const random = seeded(3);
  const true_ = [-0.5, 2, -1];
  const examples: Example[] = Array.from({ length: 4000 }, () => {
    const x = Float64Array.of(1, 4 * random() - 2, 4 * random() - 2);
    const z = true_.reduce((sum, w, i) => sum + w * x[i]!, 0);
    return { x, y: random() < sigmoid(z), weight: 1 };
  });
  const found = fitLogistic(examples, 0);
  for (const [i, w] of true_.entries()) assert.ok(Math.abs(found[i]! - w) < 0.25, `${found}`);
  assert.deepEqual(fitLogistic(examples, 0), found);
  assert.ok(Math.abs(fitLogistic(examples, 1)[1]!) < Math.abs(found[1]!), 'decay');
});

test('without data nothing is spliced', () => {
  const { net, gate } = splicedSets('/nowhere/at-all');
  assert.equal(net.size + gate.size, 0);
});

// The rule's form and how it is found: it bends where weights alone cannot, and the same examples give the same weights.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { seeded } from '../../src/random.js';
import { type Example, type Fit, fitNet } from '../../src/topics/eval/fit.js';
import { exchangesIn, splice } from '../../src/topics/eval/splice.js';
import { probability } from '../../src/topics/net.js';

const FIT: Fit = { units: 6, seeds: 2, epochs: 60, decay: 0.0001, noise: 0, rate: 0.05 };

/** Yes where exactly one of two numbers is high; a third is noise. */
function either(n: number): Example[] {
  const random = seeded(7);
  return Array.from({ length: n }, () => {
    const [a, b, c] = [random(), random(), random()];
    return { x: Float64Array.of(1, a, b, c), y: a > 0.5 !== b > 0.5, weight: 1 / n };
  });
}

test('the net learns what no weights alone can: one of two, but not both', () => {
  const net = fitNet(either(600), FIT);
  const p = (a: number, b: number) => probability(net, [1, a, b, 0.5]);
  assert.ok(p(0.9, 0.1) > 0.8 && p(0.1, 0.9) > 0.8, 'one');
  assert.ok(p(0.9, 0.9) < 0.2 && p(0.1, 0.1) < 0.2, 'both or none');
  assert.equal(net.units.length, FIT.units * FIT.seeds);
});

test('the same examples give the same weights, to the last bit', () => {
  assert.deepEqual(fitNet(either(200), { ...FIT, epochs: 5 }), fitNet(either(200), { ...FIT, epochs: 5 }));
});

test('shown blurred, the same examples make a rule that is less sure of them, and repeats all the same', () => {
  const examples = either(200);
  const sure = (noise: number) => {
    const net = fitNet(examples, { ...FIT, noise });
    return examples.reduce((sum, { x }) => sum + Math.abs(probability(net, x) - 0.5), 0) / examples.length;
  };
  assert.ok(sure(0.8) < 0.9 * sure(0), `${sure(0.8)} beside ${sure(0)}`);
  assert.equal(sure(0.8), sure(0.8));
});

test('without units the rule is a logistic one, and stays finite far out', () => {
  const rule = { weights: [0, 2], units: [] };
  assert.ok(Math.abs(probability(rule, [1, 0.5]) - 1 / (1 + Math.exp(-1))) < 1e-12);
  assert.equal(probability(rule, [1, 1e6]), 1);
  assert.equal(probability(rule, [1, -1e6]), 0);
});

test('spliced dialogues shift exactly where another piece begins', () => {
  const pool = ['a', 'b', 'c'].map((name) =>
    Array.from({ length: 4 }, (_, i) => ({ input: `${name}${i}`, reply: name, shift: true })),
  );
  const dialogues = splice(pool, { dialogues: 20, seed: 5 });
  assert.equal(dialogues.length, 20);
  for (const { exchanges } of dialogues) {
    assert.ok(exchanges.length >= 6);
    for (const [at, e] of exchanges.entries())
      assert.equal(e.shift, at > 0 && e.input.endsWith('0'), `${at} ${e.input}`);
  }
  assert.deepEqual(splice(pool, { dialogues: 20, seed: 5 }), dialogues);
});

test("an agent's transcript is parted where its session began anew; results and summaries of the host are no inputs", () => {
  const user = (content: string | { type: string; text?: string }[]) => ({ role: 'user', content });
  const parts = exchangesIn({
    messages: [
      user('fix the test'),
      { role: 'assistant', content: [{ type: 'text', text: 'looking' }, { type: 'tool_use' }] },
      user([{ type: 'tool_result' }]),
      { role: 'assistant', content: 'done' },
      user('This session is being continued from a previous conversation'),
      user('another day'),
      { role: 'assistant', content: null },
    ],
    meta: { session_starts: [{ msg: 5 }] },
  });
  assert.deepEqual(parts, [
    [{ input: 'fix the test', reply: 'looking\ndone', shift: false }],
    [{ input: 'another day', reply: '', shift: false }],
  ]);
});

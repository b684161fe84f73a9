// Decisions are never removed: what one more costs must not depend on how many there are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durableBlock, durableBlockWithin } from '../../src/context/durable-block.js';

const count = (text: string): number => Math.ceil(text.length / 4);
const of = (decisions: string[]) => ({ todos: [], manifest: 'm', decisions });

test('NS-22 only decisions that can have room are looked at', () => {
  let looked = 0;
  const decisions = Array.from({ length: 5_000 }, (_, i) => `decision ${i}`);
  const watched = (text: string): number => {
    looked += text.length;
    return count(text);
  };
  durableBlockWithin(of(decisions.slice(0, 500)), 200, watched);
  const few = looked;
  looked = 0;
  durableBlockWithin(of(decisions), 200, watched);
  assert.ok(looked <= few * 1.5, `${looked} characters counted, ${few} for a tenth of the decisions`);
});

test('NS-22 the block is the one that a look at all of them gives', () => {
  for (const n of [0, 1, 3, 10, 30, 31, 50, 400]) {
    const d = of(Array.from({ length: n }, (_, i) => (i % 7 === 3 ? ' ' : `d${i}`)));
    const block = durableBlockWithin(d, 30, count);
    const said = d.decisions.filter((t) => t.trim() !== '').length;
    let hidden = 0;
    while (hidden < said - 1 && count(durableBlock(d, { decisions: hidden })) > 30) hidden += 1;
    const expected = n === 0 ? durableBlock(d) : durableBlock(d, { decisions: hidden });
    if (count(expected) <= 30) assert.equal(block, expected, `${n}`);
    assert.ok(count(block) <= 30 || count(expected) > 30, `${n}`);
  }
});

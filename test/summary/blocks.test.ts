// Blocks of summaries over many cycles, and the message that they stand in.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bounded, condense, type SummaryBlock } from '../../src/summary/blocks.js';
import { chooseWords, compose } from '../../src/summary/compose.js';
import { count } from './fixtures.js';

function block(turn: number, text: string): SummaryBlock {
  return { turns: [turn, turn], covers: [turn * 2, turn * 2 + 1], text, kinds: ['decision'] };
}

test('L4-20 the decision of turn 1 survives 20 cycles, the whole stays bounded and is never nested', () => {
  let blocks: SummaryBlock[] = [];
  for (let turn = 1; turn <= 20; turn += 1) {
    const chatter = Array.from({ length: 12 }, (_, i) => `Line ${i} of turn ${turn} tells what was seen.`);
    blocks = bounded(
      [...blocks, block(turn, [`We decided on option ${turn} instead of the other.`, ...chatter].join('\n'))],
      600,
      count,
    );
    const total = blocks.reduce((n, b) => n + count(b.text), 0);
    assert.ok(total <= 600, `cycle ${turn}: ${total}`);
    assert.equal(blocks[0]!.turns[0], 1);
    assert.equal(blocks.at(-1)!.turns[1], turn);
  }
  const text = blocks.map((b) => b.text).join('\n');
  assert.match(text, /option 1 instead/);
  assert.ok(!text.includes('<summary'));
});

test('L4-20 ranges of merged blocks are exact: together they cover what the single ones did', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 300 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 20, max: 400 }),
      (texts, budget) => {
        const all = texts.map((t, i) => block(i, t));
        const out = bounded(all, budget, count);
        assert.equal(out[0]!.turns[0], 0);
        assert.equal(out.at(-1)!.turns[1], texts.length - 1);
        for (let i = 1; i < out.length; i += 1) assert.equal(out[i]!.turns[0], out[i - 1]!.turns[1] + 1);
        assert.ok(out.reduce((n, b) => n + count(b.text), 0) <= budget + out.length);
      },
    ),
  );
});

test('L4-20 condensing keeps decisions before chatter', () => {
  const text = ['chatter one two three', 'We decided to keep A rather than B.', 'more chatter here'].join(
    '\n',
  );
  assert.equal(condense(text, 14, count), 'We decided to keep A rather than B.');
});

test('L5-7 L4-10 the message: heading, the words of the user, the current request marked, provenance', () => {
  const text = compose({
    kind: 'compaction',
    covers: [0, 9],
    turns: [0, 3],
    handle: 'rabc',
    users: [
      { turn: 0, text: 'TASK: migrate, do NOT drop it.' },
      { turn: 3, text: 'Also keep the audit log.' },
    ],
    omitted: 1,
    current: 'here',
    blocks: [block(0, 'x </summary> $& y')],
  });
  assert.ok(text.startsWith('## Prior Context (Compacted)\n'));
  assert.match(text, /Turn 0 \(the first request\):\nTASK: migrate, do NOT drop it\./);
  assert.match(text, /Turn 3 \(the current request\):\nAlso keep the audit log\./);
  assert.match(text, /1 more user messages: handle rabc/);
  assert.match(text, /background, not instructions/);
  assert.equal(text.match(/<\/summary>/g)?.length, 1);
  assert.ok(text.includes('$& y'));
});

test('L5-7 the first and the newest words always stand, the rest within the budget, newest first', () => {
  const all = Array.from({ length: 30 }, (_, i) => ({ turn: i, text: `instruction ${i} ${'x'.repeat(80)}` }));
  const { users, omitted } = chooseWords(all, 200, count);
  assert.equal(users[0]!.turn, 0);
  assert.equal(users.at(-1)!.turn, 29);
  assert.equal(users.at(-2)!.turn, 28);
  assert.equal(users.length + omitted, 30);
  const long = chooseWords([{ turn: 0, text: 'y'.repeat(9000) }], 200, count);
  assert.match(long.users[0]!.text, /characters …/);
  assert.ok(count(long.users[0]!.text) <= 200);
});

// The durable block: its golden, the shapes of todos, escaping, and the budget with its visible notices.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { durableBlock, durableBlockWithin, readTodo } from '../../src/context/durable-block.js';

const EMPTY = { todos: [], manifest: '', decisions: [] };
const count = (text: string) => Math.ceil(text.length / 4);

test('NS-19 the golden of the durable block', () => {
  const block = durableBlock({
    ...EMPTY,
    plan: { title: 'Refactor auth', text: '1. extract service\n2. add tests\n3. migrate callers' },
    todos: [{ text: 'extract service', done: false }],
    decisions: ['Use JWT, not sessions — see ADR-004.'],
  });
  assert.equal(
    block,
    '<durable_state>\n\n## Refactor auth\n1. extract service\n2. add tests\n3. migrate callers\n\n## Todos\n[ ] extract service\n\n## Decisions\n- Use JWT, not sessions — see ADR-004.\n\n</durable_state>',
  );
});

test('NS-19 empty, order of the parts, and a title without text', () => {
  assert.equal(durableBlock(EMPTY), '');
  assert.equal(durableBlock({ ...EMPTY, plan: { title: 'T', text: ' ' } }), '');
  const block = durableBlock({
    plan: { title: '', text: 'p' },
    todos: [{ content: 'a', status: 'in_progress' }, { content: 'b', status: 'nonsense' }, 'c'],
    manifest: 'm',
    decisions: ['d'],
  });
  assert.equal(
    block,
    '<durable_state>\n\n## Approved Plan\np\n\n## Manifest\nm\n\n## Todos\n[~] a\n[ ] b\n[ ] c\n\n## Decisions\n- d\n\n</durable_state>',
  );
});

test('NS-20 every shape of a todo has its text and its box, none is a bare one', () => {
  for (const key of ['text', 'content', 'task', 'title', 'description', 'name', 'item']) {
    assert.deepEqual(readTodo({ [key]: 'x' }), { text: 'x', status: 'pending' });
  }
  for (const status of ['done', 'complete', 'completed', 'finished'])
    assert.equal(readTodo({ content: 'x', status })?.status, 'completed');
  for (const status of ['wip', 'doing', 'in_progress'])
    assert.equal(readTodo({ content: 'x', status })?.status, 'in_progress');
  assert.equal(readTodo({ text: 'x', done: true })?.status, 'completed');
  assert.equal(readTodo({ done: true }), undefined);
  assert.equal(durableBlock({ ...EMPTY, todos: [{}, '', { text: '  ' }] }), '');
});

test('F35 durable text that holds the closing tag does not end the block early', () => {
  const block = durableBlock({ ...EMPTY, decisions: ['x </durable_state> <durable_state> $& \\1'] });
  assert.equal(block.match(/<\/durable_state>/g)?.length, 1);
  assert.ok(block.endsWith('</durable_state>'));
  assert.ok(block.includes('$& \\1'));
});

test('NS-22 over the budget the oldest decisions become a count line', () => {
  const decisions = Array.from({ length: 50 }, (_, i) => `decision number ${i} is to do it this way`);
  const block = durableBlockWithin({ ...EMPTY, manifest: 'kept', decisions }, 120, count);
  assert.ok(count(block) <= 120);
  assert.match(block, /- … \(\d+ earlier decisions: durable\.get has them\)/);
  assert.ok(block.includes('decision number 49'));
  assert.ok(!block.includes('decision number 0 '));
  assert.ok(block.includes('## Manifest\nkept'));
});

test('NS-22 a budget never drops in silence, and never grows the block', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 30 }),
      fc.string({ maxLength: 3000 }),
      fc.string({ maxLength: 3000 }),
      fc.integer({ min: 60, max: 900 }),
      (decisions, manifest, plan, max) => {
        const d = { plan: { title: 'P', text: plan }, todos: ['t'], manifest, decisions };
        const whole = durableBlock(d);
        const block = durableBlockWithin(d, max, count);
        assert.ok(count(whole) <= max ? block === whole : /durable\.get has them/.test(block));
        assert.ok(count(block) <= Math.max(max, 110), `${count(block)} tokens for ${max}`);
      },
    ),
    { numRuns: 200 },
  );
});

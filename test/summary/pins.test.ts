// What was decided in the first turn is in every summary, however small its budget and however often it is shortened.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countHere } from '../../src/pool/count-core.js';
import { createPool } from '../../src/pool/pool.js';
import { bounded, condense, type SummaryBlock } from '../../src/summary/blocks.js';
import { extract } from '../../src/summary/extractive.js';
import { firstDecisions, pinned } from '../../src/summary/pins.js';
import { count, said } from './fixtures.js';

const DECIDED = 'We decided to keep JWT instead of sessions.';

/** Talk that is full of decisions of its own. */
const chatter = fc.array(
  fc.constantFrom(
    'We decided to rename the helper rather than to inline it.',
    'Never write to the ledger table.',
    'It failed because the clock was wrong. Fixed by passing one.',
    'Next step: run the tests in src/auth/token-service.ts again.',
    'Just talk.',
  ),
  { minLength: 1, maxLength: 30 },
);

test('L4-20 property: at any budget the extract, pinned and shortened again and again, holds the first decision', () => {
  fc.assert(
    fc.property(
      chatter,
      fc.integer({ min: 24, max: 400 }),
      fc.integer({ min: 1, max: 12 }),
      (talk, budget, cycles) => {
        let blocks: SummaryBlock[] = [];
        for (let n = 0; n < cycles; n += 1) {
          const words = n === 0 ? [`Hello. ${DECIDED} More talk.`, ...talk] : talk;
          const messages = words.map((text, i) =>
            said(i, i % 2 === 0 ? 'assistant' : 'user', `${text} ${n}`),
          );
          const { text } = extract(messages, budget, count);
          const wanted = n === 0 ? firstDecisions(messages.slice(0, 1), Math.floor(budget / 2), count) : [];
          const made = pinned(text, wanted);
          blocks = bounded(
            [...blocks, { turns: [n, n], covers: [n, n], kinds: [], text: made.text, pins: made.pins }],
            budget,
            count,
          );
          const all = blocks.map((b) => b.text).join('\n');
          // A budget too small for the sentence keeps its beginning.
          const beginning = DECIDED.slice(0, Math.min(DECIDED.length, 23));
          assert.ok(all.includes(budget >= 60 ? DECIDED : beginning), `${budget}, cycle ${n}: ${all}`);
          assert.ok(count(all) <= budget + 24, `${count(all)} of ${budget}`);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('L4-20 what a model says in its own words is pinned as it says it, and not said twice', () => {
  const own = 'Auth: JWT tokens instead of sessions were decided to keep.\nOther things happened.';
  const { text, pins } = pinned(own, [DECIDED]);
  assert.equal(text, own);
  assert.deepEqual(pins, ['Auth: JWT tokens instead of sessions were decided to keep.']);
  const silent = pinned('Other things happened.', [DECIDED]);
  assert.equal(silent.text, `Decided at the start:\n- ${DECIDED}\n\nOther things happened.`);
});

test('F35 a pinned line cannot break out of the summary', () => {
  const wanted = firstDecisions([said(0, 'user', 'We must never write </summary> anywhere.')], 100, count);
  assert.doesNotMatch(pinned('x', wanted).text, /<\/summary>/);
});

test('L4-20 pinned lines go before all others, in their order', () => {
  const text = [
    'We decided a thing of ours today.',
    'no cue at all here',
    'We chose another thing instead.',
  ].join('\n');
  assert.equal(condense(text, 8, count, ['no cue at all here']), 'no cue at all here');
});

test('L5-10 a worker finds the same decisions as this thread, lone surrogates and tags in them included', async () => {
  const messages = Array.from({ length: 40 }, (_, n) => ({
    at: n,
    role: n % 3 === 0 ? ('user' as const) : ('assistant' as const),
    text: `${'So far so good. '.repeat(20)}We decided to keep option ${n} \ud800 because </summary> of it. ${n % 2 ? 'Fixed the bug.' : ''}`,
  }));
  const here = firstDecisions(messages, 150, (t) => countHere([t], 'o200k_base')[0]!);
  assert.ok(here.length > 3);
  const pool = createPool({ shards: 1 });
  try {
    const background = new AbortController().signal;
    const there = await pool.run(
      'first_decisions',
      { messages, budget: 150, encoding: 'o200k_base' },
      { background },
    );
    assert.deepEqual(there, here);
    assert.equal(pool.stats().inlineCalls, 0);
  } finally {
    await pool.close();
  }
});

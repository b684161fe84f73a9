// The sets of curated eval on marked data: planted dialogues and questions, each figure worked out by hand.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { rateTools } from '../../src/eval/sets/tools.js';
import { rateTopics } from '../../src/eval/sets/topics.js';

const PHRASES = { phrases: ['switching topics'], leadAnchor: 'any', match: 'word' } as const;

function folder(t: TestContext, files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'sets-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

const dialogue = (id: string, inputs: readonly [string, boolean][]): string =>
  JSON.stringify({
    id,
    turns: inputs.flatMap(([text, shift]) => [
      { role: 'user', text, topic_shift: shift },
      { role: 'assistant', text: 'Fine.', topic_shift: false },
    ]),
  });

test('topics: always and never have the figures that the marks give; a planted phrase is found by every rule of ours', (t) => {
  const dir = folder(t, {
    'mine.jsonl': [
      dialogue('a', [
        ['Roast the potatoes in the oven', false],
        ['And which oven temperature for the potatoes?', false],
        ['Switching topics: write an SQL index on orders', true],
        ['Should the SQL index on orders be unique?', false],
      ]),
      dialogue('b', [
        ['Plan a trip to Lisbon in spring', false],
        ['Which month in spring is best for Lisbon?', false],
      ]),
    ].join('\n'),
    'notes.txt': 'no set',
  });
  const { sets, macro_f1 } = rateTopics(dir, PHRASES);
  assert.deepEqual(
    sets.map((s) => [s.set, s.dialogues]),
    [['mine', 2]],
  );
  assert.equal(macro_f1, null);
  const { always, never, confirmed } = sets[0]!.rules;
  // Four decisions, one of them a shift.
  assert.deepEqual([always!.precision, always!.recall, always!.decisions], [0.25, 1, 4]);
  assert.equal(never!.recall, 0);
  assert.equal(confirmed!.decisions, 4);
});

test('topics: macro F1 is over the coarse sets alone; a damaged line is named', (t) => {
  const one = dialogue('a', [
    ['one thing', false],
    ['another thing', true],
  ]);
  const { macro_f1 } = rateTopics(folder(t, { 'codingagent.jsonl': one, 'tiage.jsonl': one }), PHRASES);
  assert.equal(macro_f1!['always'], 1);
  assert.equal(macro_f1!['never'], 0);
  assert.throws(() => rateTopics(folder(t, { 'x.jsonl': `${one}\n{"id":` }), PHRASES), /x\.jsonl:2/);
});

test('tools: a question that names its tool finds it, a list without questions is no set', (t) => {
  const tools = Array.from({ length: 30 }, (_, i) => ({
    name: `tool_${i}`,
    description: `handles widget${i} things`,
  }));
  const dir = folder(t, {
    'mine.json': JSON.stringify({
      tools,
      queries: [
        { id: 'q1', query: 'please handle widget7', gold: ['tool_7'] },
        { id: 'q2', query: 'widget3 and then widget9', gold: ['tool_3', 'tool_9'] },
        { id: 'q3', query: 'nothing that is here', gold: ['tool_29'] },
      ],
    }),
    'list.json': JSON.stringify({ tools }),
  });
  const { sets } = rateTools(dir);
  assert.equal(sets.length, 1);
  assert.equal(sets[0]!.questions, 3);
  for (const score of [sets[0]!.ranking, sets[0]!.bm25])
    assert.ok(score.all >= 2 / 3 && score.recall >= score.all);
});

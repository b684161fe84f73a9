// The sets of curated eval on marked data: planted dialogues and questions, each figure worked out by hand.

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { attach } from '../../native/index.js';
import { rateMemory, WAYS, type Way } from '../../src/eval/sets/memory.js';
import { rateTools } from '../../src/eval/sets/tools.js';
import { rateTopics } from '../../src/eval/sets/topics.js';

const ROOT = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const MEMORYQA = resolve(process.env['CURATED_SHARED'] ?? join(ROOT, '../shared'), 'data/memoryqa');
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

test('memory: what each way brings within a budget is what the sizes and words give; questions without evidence do not count', (t) => {
  const said = Array.from({ length: 20 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: i === 4 ? 'The kestrel password is heron seven.' : `Filler number ${i} about weather and lunch.`,
  }));
  const questions = [
    { question: 'What is the kestrel password?', evidence: [4] },
    { question: 'What was said last?', evidence: [19, 19] },
    { question: 'What is the kestrel password and the number 18?', evidence: [4, 18, 99] },
    { question: 'What was never said?', evidence: [] },
  ];
  const dir = folder(t, {
    'mine-a.json': JSON.stringify({ messages: said, questions }),
    'mine-b.json': JSON.stringify({
      messages: said.map((m) => ({ ...m, content: [{ type: 'text', text: m.content }] })),
      questions,
    }),
    'other.json': JSON.stringify({ tools: [], queries: [] }),
  });
  // Each message is one token: a tenth is two messages, a budget of 0 none, of 1 all.
  const r = rateMemory(dir, { count: () => 1, seed: 1, budgets: [0, 0.1, 1] });
  assert.deepEqual(
    r.sets.map((s) => [s.set, s.chats, s.questions]),
    [['mine', 2, 6]],
  );
  const [none, tenth, all] = r.sets[0]!.budgets;
  for (const way of WAYS) assert.deepEqual(none![way], { recall: 0, full: 0 }, way);
  // The newest two hold 18 and 19: the second question whole, the third by half.
  assert.deepEqual(tenth!.newest, { recall: 0.5, full: 1 / 3 });
  assert.equal(all!.newest.full, 1);
  assert.ok(tenth!.bm25.recall >= 0.5 && tenth!.search.recall >= 0.5);
  const lead = tenth!.over_newest!;
  assert.equal(lead.n, 6);
  assert.ok(Math.abs(lead.mean - (tenth!.search.recall - 0.5)) < 1e-12);
  assert.ok(lead.low <= lead.mean && lead.mean <= lead.high);
});

test('memory: the figures of plain BM25 and of recency on the development chats are those of the data', (t) => {
  if (!existsSync(MEMORYQA)) return t.skip('no ../shared/data/memoryqa (CURATED_SHARED names its folder)');
  const only = folder(t, {});
  for (const file of ['bfclmem-customer', 'bfclmem-healthcare', 'bfclmem-notetaker'])
    copyFileSync(join(MEMORYQA, `${file}.json`), join(only, `${file}.json`));
  const tokenizer = attach();
  t.after(() => tokenizer.dispose());
  const { sets } = rateMemory(only, { count: (text) => tokenizer.count(text, 'o200k_base'), seed: 1 });
  assert.equal(sets[0]!.questions, 79);
  const rounded = (way: Way) => sets[0]!.budgets.map((b) => Number(b[way].recall.toFixed(3)));
  assert.deepEqual(rounded('newest'), [0.013, 0.051, 0.127, 0.203]);
  // Another word list at the tightest budget: one question in 79.
  for (const [i, known] of [0.759, 0.987, 0.987, 0.987].entries())
    assert.ok(Math.abs(rounded('bm25')[i]! - known) <= 0.014);
  assert.ok(rounded('search')[1]! > 0.9);
});

// The ranking of tools: forms of words, what decides the order, and that equal input gives equal order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { catalogOf } from '../../src/curation/tools/catalog.js';
import { rankTools } from '../../src/curation/tools/rank-tools.js';
import { type RankedTool, ToolRanking } from '../../src/curation/tools/ranking/tool-ranking.js';
import { WordIndex } from '../../src/curation/tools/ranking/word-index.js';
import { wordLinks } from '../../src/curation/tools/ranking/word-links.js';
import { stems } from '../../src/curation/tools/ranking/words.js';
import { Native } from '../../src/json/native.js';

const TOOLS: RankedTool[] = [
  { key: 'a', name: 'sendEmail', description: 'Sends a message to a mailbox.', group: 'mail' },
  { key: 'b', name: 'list_mailboxes', description: 'Lists mailboxes.', group: 'mail' },
  { key: 'c', name: 'weather.forecast', description: 'Tells the weather of the next days in a city.' },
  { key: 'd', name: 'convert_currency', description: 'Converts amounts between currencies.' },
];

test('L2-7 names are split where their writers joined them, forms of a word are one', () => {
  assert.deepEqual(stems('getUserHTTPResponse'), stems('user http response'));
  assert.deepEqual(stems('list_mail-boxes.v2'), ['list', 'mail', 'box']);
  for (const forms of ['converts converting converted', 'currency currencies', 'copy copies', 'file files'])
    assert.equal(new Set(stems(forms)).size, 1, forms);
  assert.deepEqual(stems('天气预报'), ['天气', '气预', '预报']);
});

test('L2-7 the tool that the words are about comes first, and a group follows its best', () => {
  const ranking = new ToolRanking(TOOLS);
  assert.deepEqual(ranking.rank('please email my boss', 2), ['a', 'b']);
  assert.equal(ranking.rank('what will the weather be in Paris', 1)[0], 'c');
  assert.equal(ranking.rank('converting 5 EUR to USD', 1)[0], 'd');
  assert.deepEqual(ranking.rank('zzz qqq', 3), []);
});

test('L2-7 linked words and earlier questions speak too', () => {
  const ranking = new ToolRanking(TOOLS);
  const links = (stem: string) => (stem === stems('rain')[0] ? ([[stems('weather')[0]!, 1]] as const) : []);
  assert.equal(ranking.rank('will it rain', 1, { links })[0], 'c');
  assert.equal(ranking.rank('amounts of messages', 4, { history: ['list mailboxes'] }).includes('b'), true);
});

test('L2-7 the table of linked words parses and has only weights up to 1', () => {
  const row = wordLinks(stems('weather')[0]!);
  assert.ok(row.length > 0);
  for (const [word, weight] of row)
    assert.ok(word.length > 0 && weight > 0 && weight <= 1, `${word} ${weight}`);
  assert.deepEqual(wordLinks('no-such-stem'), []);
});

test('D-8 equal input gives equal order, whatever the text; every key at most once', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.array(fc.string(), { maxLength: 3 }),
      (q, history) => {
        const first = new ToolRanking(TOOLS).rank(q, 9, { history, links: wordLinks });
        assert.deepEqual(new ToolRanking(TOOLS).rank(q, 9, { history, links: wordLinks }), first);
        assert.equal(new Set(first).size, first.length);
      },
    ),
    { numRuns: 200 },
  );
});

test('L2-7 a long hostile question is ranked in time', () => {
  const ranking = new ToolRanking(TOOLS);
  const started = process.hrtime.bigint();
  for (const text of ['save '.repeat(200_000), 'create '.repeat(200_000), `${'a'.repeat(500_000)}.md`])
    ranking.rank(text, 3);
  assert.ok(Number(process.hrtime.bigint() - started) / 1e6 < 2000);
});

test('L2-7 BM25 prefers the rare word and the shorter text', () => {
  const bag = (text: string) => new Map(text.split(' ').map((w) => [w, 1]));
  const index = new WordIndex([bag('x y'), bag('x z'), bag('x z a b c d e f')]);
  const [first, second, third] = index.scores(bag('y z'));
  assert.ok(first! > second! && second! > third!);
});

test('L2-7 a list is searched by what its definitions say; words that nobody knows find nothing', () => {
  const text = JSON.stringify(
    TOOLS.map((t) => ({ name: t.name, description: t.description, input_schema: { type: 'object' } })),
  );
  const catalog = catalogOf(new Native(text));
  assert.equal(rankTools(catalog, 'currency', 1)[0]!.key, 'convert_currency');
  assert.deepEqual(rankTools(catalog, 'xyzzy plugh', 3), []);
});

// The topic map: its form, its fairness, and its cap for whatever comes in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { prefixOf, type Topic } from '../../src/context/topic.js';
import { topicMap } from '../../src/context/topic-map.js';
import { realCount } from './real-count.js';

function topic(collection: string, label: string, doc_count: number, parent?: string): Topic {
  return { collection, label, doc_count, ...(parent === undefined ? {} : { parent }) };
}

const GOLDEN = `Project knowledge map:
  code: GPU Kernel Programming (1294), Latency Benchmarking (1272), JUnit Testing (1202)
  knowledge: Organization Member Services (71), Byzantine Consensus (68), Bloom Filters (53)
  rdr: Bead Composition Probe (91), Content-addressed Resolution (75), Catalog Link Graph (62)`;

const SAMPLE = [
  topic('rdr__x', 'Catalog Link Graph', 62),
  topic('code__b', 'JUnit Testing', 1202),
  topic('knowledge', 'Bloom Filters', 53),
  topic('code__a', 'GPU Kernel Programming', 1294),
  topic('rdr__x', 'Bead Composition Probe', 91),
  topic('knowledge', 'Organization Member Services', 71),
  topic('rdr__y', 'Content-addressed Resolution', 75),
  topic('code__a', 'Latency Benchmarking', 1272),
  topic('knowledge', 'Byzantine Consensus', 68),
];

test('R-2 the sample comes out byte for byte, whatever the order of the rows', () => {
  assert.equal(topicMap(SAMPLE, realCount).text, GOLDEN);
  assert.equal(topicMap([...SAMPLE].reverse(), realCount).text, GOLDEN);
  const heading = topicMap(SAMPLE, realCount, { format: 'heading' }).text;
  assert.equal(
    heading.split('\n').slice(0, 3).join('|').slice(0, 50),
    '## Knowledge Map||code: GPU Kernel Programming (12',
  );
});

test('R-3 roots alone, by count and label, five a prefix over all its collections, the rest counted', () => {
  const rows = [
    ...Array.from({ length: 7 }, (_, i) => topic(`code__${i}`, `T${i}`, 10)),
    topic('code__0', 'child', 999, 'T0'),
    topic('plain', 'Only', 1),
  ];
  const lines = topicMap(rows, realCount).text.split('\n');
  assert.deepEqual(lines.slice(1), [
    '  code: T0 (10), T1 (10), T2 (10), T3 (10), T4 (10)',
    '  plain: Only (1)',
    '  … (2 more)',
  ]);
  assert.equal(prefixOf('a__b__c'), 'a');
  assert.equal(prefixOf('whole'), 'whole');
});

test('R-4 every prefix gets its first label before any gets a second; long labels are cut', () => {
  const rows = Array.from({ length: 12 }, (_, p) =>
    Array.from({ length: 9 }, (_, i) =>
      topic(`p${String(p).padStart(2, '0')}`, `Some label number ${p} ${i}`, 900 - i),
    ),
  ).flat();
  const map = topicMap(rows, realCount);
  const shown = map.text.split('\n').filter((l) => /^ {2}p\d\d: /.test(l));
  const labels = shown.map((l) => l.match(/\(\d+\)/g)!.length);
  assert.equal(shown.length, 12);
  assert.ok(Math.max(...labels) - Math.min(...labels) <= 1, labels.join());
  assert.match(map.text, new RegExp(`\\n {2}… \\(${108 - map.shown} more\\)$`));
  assert.ok(topicMap([topic('a', 'x'.repeat(5000), 1)], realCount).text.includes('x… (1)'));
});

test('R-4 SC-1 the map is below 200 real tokens for any rows', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.constantFrom(
      '🏴‍☠️'.repeat(60),
      '꙰'.repeat(90),
      '\ud800'.repeat(70),
      ' \n\t',
      '𒀱'.repeat(80),
      '<|endoftext|>'.repeat(9),
    ),
  );
  const row = fc.record({ collection: nasty, label: nasty, doc_count: fc.nat(Number.MAX_SAFE_INTEGER) });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 120 }), fc.constantFrom('map', 'heading'), (rows, format) => {
      const map = topicMap(rows, realCount, { format });
      assert.ok(realCount(map.text) < 200, `${realCount(map.text)} tokens`);
      assert.equal(map.tokens, realCount(map.text));
      if (map.hidden > 0 && map.text !== '') assert.ok(map.text.endsWith(`… (${map.hidden} more)`));
    }),
    { numRuns: 60 },
  );
});

test('R-14 R-4 92 collections with 2,095 topics, and 100,000 topics, stay below the cap and are quick', () => {
  const rows = Array.from({ length: 2095 }, (_, i) =>
    topic(`set${i % 92}__repo`, `Subject ${i} of the ${i % 7} kind`, (i * 7919) % 3000),
  );
  const map = topicMap(rows, realCount);
  assert.ok(map.tokens > 0 && map.tokens < 200);
  assert.equal(map.shown + map.hidden, 2095);
  const started = performance.now();
  const many = topicMap(
    Array.from({ length: 100_000 }, (_, i) => topic(`c${i % 500}`, `Label ${i}`, i)),
    realCount,
  );
  assert.ok(many.tokens < 200 && many.hidden > 99_000);
  assert.ok(performance.now() - started < 5000);
});

test('R-5 R-11 no topics give no text; doubles of a join stand once, other counts stay', () => {
  assert.equal(topicMap([], realCount).text, '');
  assert.equal(topicMap([topic('a', '  \n', 3)], realCount).text, '');
  const rows = [topic('a__x', 'Same', 5), topic('a__x', 'Same', 5), topic('a__x', 'Same', 4)];
  assert.equal(topicMap(rows, realCount).text, 'Project knowledge map:\n  a: Same (5), Same (4)');
});

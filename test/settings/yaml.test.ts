// Hostile and broken YAML: each ends as a clear error with a line, in no time (F37).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { faults, good, load } from './support.js';

test('F37 tabs, duplicate keys, unknown tags, several documents and syntax errors name their line', () => {
  assert.deepEqual(faults('journal:\n\tfsync: none\n'), ['|2|tabs are not allowed as indentation']);
  assert.match(faults('journal:\n  fsync: none\n  fsync: none\n')[0] ?? '', /^\|3\|Map keys must be unique/);
  assert.match(faults('journal:\n  retain_days: !!js/function "x"\n')[0] ?? '', /^\|2\|Unresolved tag/);
  assert.match(faults('journal: {}\n---\njournal: {}\n')[0] ?? '', /^\|2\|a second document begins here/);
  assert.match(faults('journal: {fsync: none\n')[0] ?? '', /^\|\d\|/);
  assert.match(faults('journal: {? [a, b] : 1}\n')[0] ?? '', /^\|1\|a key must be a plain text$/);
});

test('F37 an alias bomb, deep nesting and an oversized file are refused at once', () => {
  let bomb = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n';
  for (let i = 1; i < 12; i++)
    bomb += `a${i}: &a${i} [${Array(9)
      .fill(`*a${i - 1}`)
      .join(', ')}]\n`;
  const started = process.hrtime.bigint();
  assert.match(faults(bomb)[0] ?? '', /alias/i);
  assert.match(faults(`a: ${'['.repeat(100_000)}`)[0] ?? '', /levels of nesting/);
  assert.match(faults(`a: ${'{a: '.repeat(100_000)}`)[0] ?? '', /levels of nesting/);
  assert.match(faults(`${'- '.repeat(100_000)}x`)[0] ?? '', /levels of nesting/);
  assert.match(faults(`# ${'x'.repeat(2_000_000)}`)[0] ?? '', /larger than/);
  assert.match(faults('a: *nobody\n')[0] ?? '', /alias/i);
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  assert.ok(ms < 2000, `${ms} ms`);
});

test('F37 anchors and merge keys in moderation work, and lines are found through them', () => {
  const s = good(`
plugins:
  summary_buffer: &s
    message_threshold: 20
  compaction:
    <<: *s
    protect_recent: 2
`);
  assert.equal(s.plugins.compaction.messageThreshold, 20);
  assert.equal(s.plugins.compaction.protectRecent, 2);
  assert.equal(faults('x: &k {fsink: 1}\njournal: *k\n').length, 2);
});

test('F37 an empty file and empty blocks are the defaults; a scalar or a list is no configuration', () => {
  assert.equal(good('').plugins.toolResultClear.ageTurns, 5);
  assert.equal(good('# nothing\n').mode, 'enforce');
  assert.equal(good('plugins:\n  tool_result_clear:\njournal:\ncurated:\n').journal.retainDays, 30);
  assert.match(faults('hello')[0] ?? '', /is not a map of blocks/);
  assert.match(faults('- a\n')[0] ?? '', /a list is not a map of blocks/);
});

test('F37 names of object internals are unknown keys like any other', () => {
  const hostile = JSON.parse('{"__proto__": {}, "curated": {"constructor": 1, "__proto__": 2}}');
  assert.equal(faults(hostile).length, 3);
  assert.equal(faults('journal: {toString: 1}').length, 1);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('F37 property: any text and any JSON value gives settings or faults, never an exception', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.json()), (text) => {
      const r = load(text);
      return r.ok || r.errors.length > 0;
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(
      fc.record(
        { plugins: fc.anything(), journal: fc.anything(), curated: fc.anything() },
        { requiredKeys: [] },
      ),
      (value) => {
        const r = load(value);
        return r.ok || r.errors.length > 0;
      },
    ),
    { numRuns: 300 },
  );
});

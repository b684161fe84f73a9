// The packet: identity, hygiene, story and their common budget.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ageInDays, hygiene } from '../../src/context/hygiene.js';
import { identity, identitySource } from '../../src/context/identity.js';
import { assemble, PACKET_BYTES } from '../../src/context/packet.js';
import { type Entry, importanceOf, story } from '../../src/context/story.js';
import { topicMap } from '../../src/context/topic-map.js';
import { realCount } from './real-count.js';

const DAY = 86_400_000;

test('R-10 seven days are silent, eight fire with age and command', () => {
  assert.equal(hygiene(ageInDays(0, 7 * DAY + DAY / 2), 7), '');
  assert.match(hygiene(ageInDays(0, 8 * DAY), 7), /^## Hygiene\n.*8 days.*curated context refresh/);
  assert.equal(ageInDays(10 * DAY, 0), 0);
});

test('M-1 the identity has its heading, is trimmed, at most 100 tokens, and a hint stands for a missing one', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'curated-id-'));
  t.after(() => rmSync(root, { recursive: true }));
  assert.equal(identitySource(root), '');
  assert.match(identity('thing', '', undefined, realCount), /^## L0 — IDENTITY\nthing: no CLAUDE\.md/);
  writeFileSync(join(root, 'README.md'), '# Thing\n\n[![b](x)](y)\n\nDoes **one** thing.\n');
  assert.equal(identitySource(root), 'Thing: Does **one** thing.');
  writeFileSync(join(root, 'CLAUDE.md'), `# Größe\n${'viel zu sagen 日本語 '.repeat(400)}`);
  const text = identity(
    'thing',
    identitySource(root),
    { files: 3, kinds: [['ts', 3]], topics: 2 },
    realCount,
  );
  assert.ok(text.startsWith('## L0 — IDENTITY\nGröße: viel'));
  assert.ok(text.endsWith('thing: 3 files (3 ts), 2 topics'));
  assert.ok(realCount(text) <= 100 && realCount(text) > 80);
  const bare = identity('thing', '', { files: 0, kinds: [], topics: 2 }, realCount);
  assert.ok(bare.endsWith('thing: 0 files, 2 topics'));
});

test('M-2 the story: rooms sorted, weight by the first field that is there, long entries cut', () => {
  const entries: Entry[] = [
    { id: '1', text: 'low', importance: 1 },
    {
      id: '2',
      text: `${'a'.repeat(150)}\n${'b'.repeat(150)}`,
      room: 'build',
      importance: 5,
      source_file: 'x.md',
    },
    { id: '3', text: 'mid', room: 'auth' },
  ];
  const lines = story(entries, realCount).split('\n');
  assert.equal(lines[0], '## L1 — ESSENTIAL STORY');
  assert.deepEqual([lines[1], lines[3], lines[5]], ['[auth]', '[build]', '[general]']);
  assert.equal(lines[4], `  - ${'a'.repeat(150)} ${'b'.repeat(46)}...  (x.md)`);
  assert.deepEqual(
    [{}, { importance: 'x' }, { weight: 4 }, { emotional_weight: '2', weight: 9 }, { importance: null }].map(
      importanceOf,
    ),
    [3, 3, 4, 2, 3],
  );
});

test('M-3 the cap counts the headings and the last line', () => {
  const entries = Array.from({ length: 40 }, (_, i) => ({
    id: String(i).padStart(2, '0'),
    text: `${i} ${'日本語テキスト'.repeat(40)}`,
    room: `room ${i}`,
    filed_at: i,
  }));
  const text = story(entries, realCount);
  assert.ok(text.length <= 3200 && realCount(text) <= 800);
  assert.ok(text.endsWith('  ... (more in L3 search)'));
  assert.match(text, /39 日/);
});

test('R-13 M-12 all of the packet stays below its bytes and tokens, the story is cut first', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 15 }),
      fc.constantFrom('', 'Project knowledge map:\n  a: B (1)'),
      (budget, texts, map) => {
        const entries = texts.map((text, i) => ({ id: String(i), text }));
        const packet = assemble(
          {
            identity: identity('name', 'Name: what it does and why', undefined, realCount),
            map,
            hygiene: '',
            story: (maxTokens, maxBytes) => story(entries, realCount, { maxTokens, maxBytes }),
            staleDays: 0,
          },
          realCount,
          budget,
        );
        assert.ok(packet.tokens <= Math.min(900, budget));
        assert.ok(Buffer.byteLength(packet.text) < PACKET_BYTES);
        assert.equal(packet.tokens, realCount(packet.text));
        if (packet.text.includes('STORY') && map !== '') assert.ok(packet.text.includes(map));
      },
    ),
    { numRuns: 50 },
  );
});

test('R-17 a taxonomy alone gives the map, grouped by prefix, five labels each; entries bring the story behind it', () => {
  const rows = Array.from({ length: 7 }, (_, i) => ({
    collection: 'code__a',
    label: `Topic ${i}`,
    doc_count: 9 - i,
  }));
  const map = topicMap([...rows, { collection: 'docs', label: 'Guides', doc_count: 2 }], realCount);
  assert.ok(map.tokens < 200);
  const entries: Entry[] = [{ id: '1', text: 'Use JWT', room: 'decisions', importance: 5 }];
  const packet = (filed: readonly Entry[]) =>
    assemble(
      {
        identity: '',
        map: map.text,
        hygiene: '',
        story: (maxTokens, maxBytes) => story(filed, realCount, { maxTokens, maxBytes }),
        staleDays: 0,
      },
      realCount,
    );
  const v1 = packet([]);
  assert.equal(v1.text, map.text);
  assert.match(
    v1.text,
    /^Project knowledge map:\n {2}code: Topic 0 \(9\), Topic 1 \(8\), Topic 2 \(7\), Topic 3 \(6\), Topic 4 \(5\)\n {2}docs: Guides \(2\)\n {2}… \(2 more\)$/,
  );
  const v2 = packet(entries);
  assert.equal(v2.text, `${map.text}\n\n## L1 — ESSENTIAL STORY\n[decisions]\n  - Use JWT`);
  assert.deepEqual(
    v2.layers.map((l) => l.layer),
    ['L1'],
  );
});

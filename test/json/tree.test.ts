// The strict parser, the writer and the slicer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CuratedError } from '../../src/errors.js';
import {
  type JsonNode,
  locate,
  type Path,
  parseTree,
  RawJson,
  sliceValue,
  sliceValues,
  stringAt,
  valueAt,
  writeJson,
} from '../../src/json/index.js';
import { jsonText, jsonValue } from './arbitrary.js';

const isBadFrame = (e: unknown) => e instanceof CuratedError && e.kind === 'BAD_FRAME';

function toValue(text: string, n: JsonNode): unknown {
  if (n.items) return n.items.map((x) => toValue(text, x));
  if (n.entries) {
    const out: Record<string, unknown> = {};
    for (const e of n.entries)
      Object.defineProperty(out, e.key, {
        value: toValue(text, e.value),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return out;
  }
  return n.type === 'string' ? stringAt(text, n.start, n.end) : JSON.parse(text.slice(n.start, n.end));
}

test('the tree says what JSON.parse says, and its ranges are the values', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      assert.deepEqual(toValue(text, parseTree(text)), JSON.parse(text));
    }),
  );
});

test('the parser accepts exactly what JSON.parse accepts', () => {
  const mutated = fc.tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom('', ',', '"', '}', '\\', '0', '\u0001', 'e', '-'),
  );
  fc.assert(
    fc.property(mutated, ([text, at, c]) => {
      const i = at % (text.length + 1);
      const broken = text.slice(0, i) + c + text.slice(i + (at % 2));
      let fine = true;
      try {
        JSON.parse(broken);
      } catch {
        fine = false;
      }
      if (fine) parseTree(broken);
      else assert.throws(() => parseTree(broken), isBadFrame);
    }),
    { numRuns: 500 },
  );
});

test('F21 empty, truncated and trailing text is BAD_FRAME with the index', () => {
  for (const text of [
    '',
    ' ',
    '{',
    '[1',
    '{"a"',
    '{"a":1}x',
    '[1] []',
    '"',
    '01',
    '+1',
    '.5',
    '1.',
    'nul',
    "{'a':1}",
  ])
    assert.throws(() => parseTree(text), isBadFrame, JSON.stringify(text));
  assert.throws(
    () => parseTree('[1,2] x'),
    (e) => e instanceof CuratedError && (e.detail as { at: number }).at === 6,
  );
});

test('F22 nesting 100,000 deep is BAD_FRAME, not a stack overflow', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.throws(() => parseTree(deep), isBadFrame);
  assert.equal(parseTree(deep, { maxDepth: 200_000 }).end, 200_000);
  assert.equal(sliceValues(deep, [])?.length, 1);
});

test('F24 keys like __proto__ and duplicates are plain entries; the last duplicate counts', () => {
  const text = '{"__proto__":1,"a":1,"10":0,"2":0,"a":2}';
  const tree = parseTree(text);
  assert.deepEqual(
    tree.entries?.map((e) => e.key),
    ['__proto__', 'a', '10', '2', 'a'],
  );
  const a = locate(text, tree, ['a']);
  assert.equal(text.slice(a?.start, a?.end), '2');
  assert.equal(({} as Record<string, unknown>)['a'], undefined);
});

test('writeJson is JSON.stringify where there is no raw text', () => {
  fc.assert(
    fc.property(jsonValue, (v) => {
      assert.equal(writeJson(v), JSON.stringify(v));
    }),
  );
  assert.equal(
    writeJson({ a: undefined, b: [undefined], c: new Date(0) }),
    '{"b":[null],"c":"1970-01-01T00:00:00.000Z"}',
  );
});

test('PV-A20 raw text goes out verbatim at any depth', () => {
  const odd = '{"10":1.0,"2":12345678901234567890,"u":"\\u00e9\\/\\ud83d"}';
  assert.equal(writeJson({ messages: [new RawJson(odd)], n: 1 }), `{"messages":[${odd}],"n":1}`);
});

test('a cycle ends in LIMIT', () => {
  const a: unknown[] = [];
  a.push(a);
  assert.throws(() => writeJson(a), { kind: 'LIMIT' });
});

function paths(v: unknown, at: Path = []): Path[] {
  if (typeof v !== 'object' || v === null) return [at];
  const steps = Array.isArray(v) ? v.map((_, i) => i) : Object.keys(v);
  return [at, ...steps.flatMap((s) => paths((v as Record<string | number, unknown>)[s], [...at, s]))];
}

test('sliceValue and sliceValues cut the exact text of every value', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const value: unknown = JSON.parse(text);
      const tree = parseTree(text);
      for (const path of paths(value).slice(0, 40)) {
        const node = locate(text, tree, path)!;
        assert.equal(sliceValue(text, path), text.slice(node.start, node.end));
        const items = node.items?.map((n) => text.slice(n.start, n.end));
        assert.deepEqual(sliceValues(text, path), items);
        assert.deepEqual(valueAt(value, path), JSON.parse(text.slice(node.start, node.end)));
      }
      assert.equal(sliceValue(text, ['no such key', 3]), undefined);
    }),
  );
});

test('a slice of anything at all ends without a throw', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', ' ') }),
      (text) => {
        sliceValues(text, ['a', 0]);
        sliceValues(text, []);
        assert.ok((sliceValue(text, []) ?? '').length <= text.length);
      },
    ),
    { examples: [['{"\\{"{{']] },
  );
});

test('parser and slicer are linear: 8 MiB of quotes, backslashes and brackets', () => {
  const text = JSON.stringify([
    `${'\\"'.repeat(1_000_000)}`,
    '[{'.repeat(1_000_000),
    new Array(500_000).fill(0),
  ]);
  const start = performance.now();
  assert.equal(parseTree(text).items?.length, 3);
  assert.equal(sliceValues(text, [])?.length, 3);
  assert.ok(performance.now() - start < 5_000);
});

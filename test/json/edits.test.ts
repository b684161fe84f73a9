// Edits by path: what they change, and that they change nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyEdits, locate, type Path, parseTree, withValue } from '../../src/json/index.js';
import { jsonText, jsonValue } from './arbitrary.js';

function paths(v: unknown, at: Path = []): Path[] {
  if (typeof v !== 'object' || v === null) return [at];
  const steps = Array.isArray(v) ? v.map((_, i) => i) : Object.keys(v);
  return [at, ...steps.flatMap((s) => paths((v as Record<string | number, unknown>)[s], [...at, s]))];
}

const textAndPath = jsonText.chain((text) =>
  fc.constantFrom(...paths(JSON.parse(text))).map((path) => ({ text, path })),
);

test('PV-A20 a set changes the bytes of its value and no other byte', () => {
  fc.assert(
    fc.property(textAndPath, jsonValue, ({ text, path }, v) => {
      const node = locate(text, parseTree(text), path)!;
      const json = JSON.stringify(v);
      assert.equal(
        applyEdits(text, [{ op: 'set', path, json }]),
        text.slice(0, node.start) + json + text.slice(node.end),
      );
    }),
  );
});

test('a remove takes out one child and leaves the texts of all others', () => {
  fc.assert(
    fc.property(textAndPath, ({ text, path }) => {
      fc.pre(path.length > 0);
      const out = applyEdits(text, [{ op: 'remove', path }]);
      const parent = path.slice(0, -1);
      const step = path.at(-1)!;
      const before = locate(text, parseTree(text), parent)!;
      const after = locate(out, parseTree(out), parent)!;
      assert.equal(out.slice(0, before.start), text.slice(0, before.start));
      assert.equal(out.slice(after.end), text.slice(before.end));
      const texts = (s: string, n: typeof before) =>
        n.items?.map((x) => s.slice(x.start, x.end)) ??
        n.entries?.map((e) => s.slice(e.keyStart, e.value.end)) ??
        [];
      const wanted = texts(text, before).filter((_, i) =>
        before.items ? i !== step : before.entries?.[i]?.key !== step,
      );
      assert.deepEqual(texts(out, after), wanted);
    }),
  );
});

test('removing everything leaves an empty container', () => {
  assert.equal(
    applyEdits('[ 1 , 2 ]', [
      { op: 'remove', path: [0] },
      { op: 'remove', path: [1] },
    ]),
    '[]',
  );
  assert.equal(applyEdits('{ "a" : 1 }', [{ op: 'remove', path: ['a'] }]), '{}');
});

test('appends, prepends and items put before others keep the order of the edits', () => {
  const out = applyEdits('{"c":[ 1, 2 ]}', [
    { op: 'append', path: ['c'], json: '8' },
    { op: 'before', path: ['c', 1], json: '"x"' },
    { op: 'before', path: ['c', 1], json: '"y"' },
    { op: 'append', path: ['c'], json: '9' },
    { op: 'prepend', path: ['c'], json: '0' },
    { op: 'before', path: ['c', 2], json: '10' },
  ]);
  assert.deepEqual(JSON.parse(out), { c: [0, 1, 'x', 'y', 2, 8, 9, 10] });
  assert.equal(applyEdits('[]', [{ op: 'append', path: [], json: '1.0' }]), '[1.0]');
});

test('a later edit wins, and the inside of a replaced place is gone', () => {
  const text = '{"a":{"b":1,"c":2}}';
  const set = (path: Path, json: string) => ({ op: 'set' as const, path, json });
  assert.equal(applyEdits(text, [set(['a', 'b'], '3'), set(['a', 'b'], '4')]), '{"a":{"b":4,"c":2}}');
  assert.equal(applyEdits(text, [set(['a', 'b'], '3'), set(['a'], '5')]), '{"a":5}');
  assert.equal(applyEdits(text, [set(['a'], '5'), set(['a', 'b'], '3')]), '{"a":5}');
  assert.equal(
    applyEdits(text, [{ op: 'remove', path: ['a', 'b'] }, set(['a', 'b'], '7')]),
    '{"a":{"b":7,"c":2}}',
  );
  assert.equal(
    applyEdits('{"a":"t"}', [set(['a'], '[1]'), { op: 'append', path: ['a'], json: '2' }]),
    '{"a":[1,2]}',
  );
});

test('a set on a missing key adds it at the end, and duplicates of a key that is set go', () => {
  assert.equal(applyEdits('{"a":1 }', [{ op: 'set', path: ['b'], json: '2' }]), '{"a":1 ,"b":2}');
  assert.equal(applyEdits('{}', [{ op: 'set', path: ['b'], json: '2' }]), '{"b":2}');
  assert.equal(applyEdits('{"a":1,"b":2,"a":3}', [{ op: 'set', path: ['a'], json: '4' }]), '{"b":2,"a":4}');
  assert.equal(applyEdits('{"a":1,"b":2,"a":3}', [{ op: 'remove', path: ['a'] }]), '{"b":2}');
});

test('an edit without a place is an error, a removal of what is not there is none', () => {
  assert.throws(() => applyEdits('{"a":1}', [{ op: 'set', path: ['a', 'b'], json: '1' }]), {
    kind: 'INTERNAL',
  });
  assert.throws(() => applyEdits('[1]', [{ op: 'set', path: [1], json: '1' }]), { kind: 'INTERNAL' });
  assert.throws(() => applyEdits('{"a":1}', [{ op: 'append', path: ['a'], json: '1' }]), {
    kind: 'INTERNAL',
  });
  assert.throws(() => applyEdits('[1]', [{ op: 'remove', path: [] }]), { kind: 'INTERNAL' });
  assert.equal(applyEdits('{"a":1}', [{ op: 'remove', path: ['x'] }]), '{"a":1}');
});

test('one value in place of another, without a tree: the same text, or none where a key is not alone', () => {
  fc.assert(
    fc.property(textAndPath, jsonValue, ({ text, path }, v) => {
      const json = JSON.stringify(v);
      const short = withValue(text, path, json);
      if (path.length > 0) assert.notEqual(short, undefined);
      if (short !== undefined) assert.equal(short, applyEdits(text, [{ op: 'set', path, json }]));
    }),
  );
  assert.equal(withValue('{"a":1,"b":2,"a":3}', ['a'], '9'), undefined);
  assert.equal(withValue('{"a":{"x":1},"a":{"x":2}}', ['a', 'x'], '9'), undefined);
  assert.equal(withValue('{"a":[1]}', ['a', 1], '9'), undefined);
  assert.equal(withValue('{"a":1}', ['b'], '9'), undefined);
});

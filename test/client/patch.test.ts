// RFC 6902 as the patch mode of llm.prepare uses it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyPatch, type PatchOp } from '../../src/client/index.js';

test('the operations of RFC 6902 do what its appendix shows', () => {
  const cases: [unknown, PatchOp[], unknown][] = [
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [{ foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    [{ baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [{ '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['abc'] }], { foo: ['bar', ['abc']] }],
    [
      { a: { b: [1] } },
      [
        { op: 'copy', from: '/a/b', path: '/c' },
        { op: 'add', path: '/c/-', value: 2 },
      ],
      { a: { b: [1] }, c: [1, 2] },
    ],
    [{ a: 1 }, [{ op: 'replace', path: '', value: [] }], []],
    [
      { a: { x: [1, { y: null }] } },
      [{ op: 'test', path: '/a', value: { x: [1, { y: null }] } }],
      { a: { x: [1, { y: null }] } },
    ],
  ];
  for (const [before, ops, after] of cases) {
    const copy = structuredClone(before);
    assert.deepEqual(applyPatch(before, ops), after);
    assert.deepEqual(before, copy);
  }
});

test('a patch that does not apply throws and changes nothing', () => {
  const document = { messages: [{ role: 'user' }] };
  const ops: PatchOp[] = [
    { op: 'add', path: '/messages/3', value: 1 },
    { op: 'remove', path: '/nope' },
    { op: 'replace', path: '/messages/1', value: 1 },
    { op: 'add', path: '/a/b', value: 1 },
    { op: 'add', path: 'a', value: 1 },
    { op: 'test', path: '/messages/0/role', value: 'tool' },
    { op: 'move', from: '/messages', path: '/messages/0' },
    { op: 'remove', path: '/messages/01' },
    { op: 'remove', path: '/toString' },
    { op: 'add', path: '/__proto__/x', value: 1 },
    { op: 'spin' as 'add', path: '/a' },
  ];
  for (const op of ops)
    assert.throws(
      () => applyPatch(document, [{ op: 'add', path: '/ok', value: 1 }, op]),
      { code: 'PATCH' },
      JSON.stringify(op),
    );
  assert.deepEqual(document, { messages: [{ role: 'user' }] });
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('what a patch does not touch is shared, what it touches is not', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { minLength: 1, maxLength: 20 }),
      fc.nat(),
      fc.jsonValue(),
      (list, n, value) => {
        const messages = list.map((v) => ({ v }));
        const i = n % messages.length;
        const before = JSON.stringify(messages);
        const after = applyPatch({ messages }, [{ op: 'replace', path: `/messages/${i}/v`, value }]);
        assert.equal(JSON.stringify(messages), before);
        for (const [k, m] of after.messages.entries())
          if (k === i) assert.deepEqual(m, { v: value });
          else assert.equal(m, messages[k]);
      },
    ),
  );
});

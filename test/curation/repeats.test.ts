// Equal calls: the golden keys, and equality on the whole canonical JSON.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallIndex } from '../../src/curation/calls.js';
import { argumentsIdentity, argumentsKey, Repeats } from '../../src/curation/repeats.js';

test('L1-4 the key of arguments is the golden one, whatever the order of keys', () => {
  const golden: [unknown, string][] = [
    [{ url: 'https://x' }, 'bfe55bfa24daab57'],
    [{ q: 'go' }, 'a0218f61d726b468'],
    [{ x: 1, y: 'two' }, '8818c5961f539ad8'],
    [{ y: 'two', x: 1 }, '8818c5961f539ad8'],
    [{ a: { c: 1, b: [{ z: 1, y: 2 }] } }, '36f81a89e50b9623'],
    [{ a: { b: [{ y: 2, z: 1 }], c: 1 } }, '36f81a89e50b9623'],
    [{ a: '<b>&' }, 'bb4950dbf84cec55'],
    [{}, 'empty'],
    [undefined, 'empty'],
  ];
  for (const [args, key] of golden) assert.equal(argumentsKey(args), key, JSON.stringify(args));
});

test('L1-4 arguments that share a key are still told apart', () => {
  const [a, b] = [{ a: 1, b: 2 }, { 'a=1;b': 2 }];
  assert.equal(argumentsKey(a), argumentsKey(b));
  assert.notEqual(argumentsIdentity(a), argumentsIdentity(b));
});

test('L1-17 records leave with their messages: after 100,000 calls whose messages are gone none is left', () => {
  const calls = new CallIndex();
  for (let i = 0; i < 100_000; i += 1) {
    const at = 2 * i;
    calls.addCall(at, 0, { kind: 'tool_call', path: [], callId: `c${i}`, tool: 'read', args: { i } }, i, i);
    calls.addResult(at + 1, 0, { kind: 'tool_result', path: [], callId: `c${i}` }, 10, i, i);
  }
  assert.equal(calls.results.length, 100_000);
  calls.truncate(0);
  assert.deepEqual([calls.calls.length, calls.results.length, calls.openCount], [0, 0, 0]);
  const repeats = new Repeats();
  repeats.sync(calls);
  assert.equal(repeats.repeatedBy(0), undefined);
});

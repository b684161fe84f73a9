import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Call } from '../../src/pool/call.js';
import { CallQueue } from '../../src/pool/queue.js';

const quiet = { bytes: 0, failures: 0, resolve: () => {}, reject: () => {} };
const count = (): Call => ({ ...quiet, type: 'count', texts: [], encoding: 'o200k_base' });
const task = (kind: string): Call => ({ ...quiet, type: 'task', kind, payload: null });
const open = (over = {}) =>
  new CallQueue({ maxCalls: 100, maxUnits: 1000, batchUnits: 100, longUnits: 50, ...over });

test('F30 the short lane never gives a long text, a task or a retried call', () => {
  const queue = open();
  const [long, short, work, poison] = [count(), count(), task('a'), count()];
  queue.push(long, 51);
  queue.push(work, 0);
  queue.push(short, 50);
  queue.again([poison]);
  assert.deepEqual(queue.take('short'), [short]);
  assert.deepEqual(queue.take('short'), []);
  assert.deepEqual([queue.take('long'), queue.take('long'), queue.take('long')], [[poison], [long], [work]]);
  assert.equal(queue.length, 0);
});

test('one shard goes by age; a shard for long work takes short counts when there is none', () => {
  const queue = open();
  const calls = [count(), count(), count()];
  queue.push(calls[0]!, 10);
  queue.push(calls[1]!, 60);
  queue.push(calls[2]!, 10);
  assert.deepEqual(queue.take('any'), [calls[0], calls[2]]);
  assert.deepEqual(queue.take('any'), [calls[1]]);
  queue.push(calls[0]!, 10);
  assert.deepEqual(queue.take('long'), [calls[0]]);
});

test('tasks of one kind leave together, sixteen at most, a failed one alone', () => {
  const queue = open();
  for (let i = 0; i < 20; i++) queue.push(task('a'), 0);
  queue.push(task('b'), 0);
  assert.deepEqual(
    [16, 4, 1],
    [queue.take('long'), queue.take('long'), queue.take('long')].map((b) => b.length),
  );
  const failed = { ...task('a'), failures: 1 };
  queue.push(task('a'), 0);
  queue.again([failed]);
  assert.deepEqual(queue.take('long'), [failed]);
});

test('each admitted call leaves exactly once, short ones in order, and the bounds hold', () => {
  const step = fc.oneof(
    fc.record({ op: fc.constant('push'), units: fc.nat(120), isTask: fc.boolean() }),
    fc.record({ op: fc.constant('take'), lane: fc.constantFrom('short', 'long', 'any') }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const queue = open({ maxCalls: 20, maxUnits: 400 });
      const admitted: Call[] = [];
      const left: Call[] = [];
      for (const s of steps) {
        if ('units' in s) {
          const call = s.isTask ? task('a') : count();
          if (queue.push(call, s.isTask ? 0 : s.units)) admitted.push(call);
        } else left.push(...queue.take(s.lane as 'any'));
        assert.ok(queue.length <= 20 && queue.units >= 0 && queue.units <= 400);
      }
      left.push(...queue.drain());
      assert.equal(queue.units, 0);
      assert.equal(left.length, admitted.length);
      assert.deepEqual(new Set(left), new Set(admitted));
    }),
  );
});

// Stretches of the main thread out of a CPU profile.

import assert from 'node:assert/strict';
import type { Profiler } from 'node:inspector';
import { test } from 'node:test';
import { SAMPLE_MICROS, spansOf } from '../../bench/daemon/spans.js';

const node = (id: number, functionName: string, file: string, children: number[]) => ({
  id,
  callFrame: { functionName, scriptId: '', url: file, lineNumber: 0, columnNumber: 0 },
  children,
});
const ours = (name: string) => `file:///x/dist/src/${name}.js`;

/** (root) -> idle; write -> apply -> sync, write -> (garbage collector). */
const nodes = [
  node(1, '(root)', '', [2, 3]),
  node(2, '(idle)', '', []),
  node(3, 'write', ours('session/actor'), [4, 6]),
  node(4, 'apply', ours('session/apply'), [5]),
  node(5, 'sync', ours('session/rendering'), []),
  node(6, '(garbage collector)', '', []),
];
const profile = (samples: number[]): Profiler.Profile => ({ nodes, samples, startTime: 0, endTime: 0 });

test('a stretch lasts from idle to idle, and is named by the innermost function that most of it went to', () => {
  const found = spansOf(profile([2, 3, 4, 4, 5, 2, 2, 5, 5, 5, 5, 3, 2, 3]), 0);
  assert.deepEqual(found, [
    { micros: 4 * SAMPLE_MICROS, name: 'apply session/apply' },
    { micros: 5 * SAMPLE_MICROS, name: 'sync session/rendering' },
    { micros: SAMPLE_MICROS, name: 'write session/actor' },
  ]);
});

test('short stretches are left out, and the collector has a name of its own', () => {
  const found = spansOf(profile([3, 2, 6, 6, 6, 2]), SAMPLE_MICROS);
  assert.deepEqual(found, [{ micros: 3 * SAMPLE_MICROS, name: 'garbage collector' }]);
});

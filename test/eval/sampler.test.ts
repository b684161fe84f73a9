// E-4: which sessions are drawn, and what their folders are called.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { folderOf, isDrawn, isFailure } from '../../src/eval/cases/sampler.js';

test('E-4: the draw is by name alone, keeps to its rate, and a larger rate draws all of a smaller one', () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `session-${i}`);
  for (const rate of [0, 0.05, 0.5, 1]) {
    const drawn = names.filter((n) => isDrawn(n, rate)).length / names.length;
    // Five standard errors.
    assert.ok(Math.abs(drawn - rate) <= 5 * Math.sqrt((rate * (1 - rate)) / names.length), `${drawn}`);
  }
  for (const n of names.slice(0, 2000)) if (isDrawn(n, 0.05)) assert.ok(isDrawn(n, 0.5));
});

test('E-4: any session has a folder of its own below the cases, that loading does not leave out', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
    .filter((s) => !/\p{Surrogate}/u.test(s));
  fc.assert(
    fc.property(name, name, (a, b) => {
      const folder = folderOf(a);
      assert.match(folder, /^[^._/\\:]/);
      assert.ok(!/[/\\:\0]/.test(folder) && folder.length <= 100);
      if (a !== b) assert.notEqual(folder, folderOf(b));
    }),
  );
  for (const known of ['..', '.', '../../x', '_x', 'a/b']) assert.match(folderOf(known), /^[^._/]+[^/]*$/);
});

test('E-4: failures are the provider\u2019s, the window\u2019s and a compaction\u2019s', () => {
  assert.ok(['llm.error', 'memory.irreducible', 'memory.compaction.failed'].every(isFailure));
  assert.ok(!isFailure('llm.request'));
});

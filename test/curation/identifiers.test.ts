// The scan for names against its definition, written as an expression.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { identifiersIn } from '../../src/curation/identifiers.js';

function byDefinition(text: string): [string, { count: number; place: number }][] {
  const found = new Map<string, { count: number; place: number }>();
  for (const { 0: run, index } of text.matchAll(/[A-Za-z0-9_./:@-]+/g)) {
    const named = run.length >= 6 && run.length <= 80 && /[0-9_./:@-]|[a-z][A-Z]/.test(run);
    const seen = found.get(run);
    if (seen !== undefined) seen.count += 1;
    else if (named) found.set(run, { count: 1, place: index / text.length });
  }
  return [...found];
}

test('L1-8: names are runs of six to eighty with a digit, a sign or a change of case', () => {
  const run = fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', 'b', 'Z', 'Q', '7', '_', '/', '.', ':', '@', '-'),
      maxLength: 12,
    }),
    fc.string({ unit: fc.constantFrom('a', 'B', '1'), minLength: 76, maxLength: 84 }),
  );
  const between = fc.constantFrom(' ', '\n', '"', 'é', '数', '🙂', '(', '=');
  fc.assert(
    fc.property(fc.array(fc.tuple(run, between), { maxLength: 12 }), (pieces) => {
      const text = pieces.flat().join('');
      assert.deepEqual([...identifiersIn(text)], byDefinition(text));
    }),
  );
});

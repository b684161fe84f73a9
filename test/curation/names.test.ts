// Names in cut texts: what is answered from positions is what looking through the pieces would say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pickNames } from '../../src/curation/digest.js';
import { identifierCost, identifiersIn } from '../../src/curation/identifiers.js';
import { PlacedName } from '../../src/curation/placed-name.js';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '1'), minLength: 1, maxLength: 4 });
const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '1', '\n'), maxLength: 60 });

test('L1-8: a name is told as left out exactly where it stands whole between the cuts and in neither rest', () => {
  const seen = { in: 0, out: 0 };
  fc.assert(
    fc.property(text, name, text, fc.nat(120), fc.nat(120), (before, n, after, a, b) => {
      const whole = `${before}${n}${after}`;
      const head = Math.min(a, b, whole.length);
      const tail = Math.min(Math.max(a, b), whole.length);
      const middle = whole.slice(head, tail);
      const shown = `${whole.slice(0, head)}\n${whole.slice(tail)}`;
      const want = middle.includes(n) && !shown.includes(n);
      seen[want ? 'in' : 'out'] += 1;
      assert.equal(new PlacedName(whole, n).onlyBetween(head, tail), want);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(seen.in > 20 && seen.out > 20, JSON.stringify(seen));
});

test('L1-8: a name costs a token a piece, two where the piece is long', () => {
  const pieces = /[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,3}|[^A-Za-z0-9]+/g;
  const run = fc.string({ unit: fc.constantFrom('a', 'z', 'A', 'Q', '0', '7', '_', '/', '.', 'é') });
  fc.assert(
    fc.property(run, (r) => {
      const cost = (r.match(pieces) ?? []).reduce((n, p) => n + (p.length > 8 ? 2 : 1), 0);
      assert.equal(identifierCost(r), Math.max(1, cost));
    }),
    { numRuns: 2_000 },
  );
  assert.equal(identifierCost('HTTPServer2025-11-29'), 8);
});

test('L1-8: of many names those that later calls need go first, and numbers last', () => {
  const body = '12:30:15 deadbeef00 src/app.ts parseHeader user_name http://a.b/c app.Main 2025-11-29';
  const all = pickNames([...identifiersIn(body)], 1_000, () => 1);
  assert.deepEqual(all, [...identifiersIn(body).keys()], 'all fit, in the order of the text');
  const few = pickNames([...identifiersIn(body)], 6, () => 1);
  assert.ok(few.includes('parseHeader') && few.includes('app.Main'), few.join(' '));
  assert.ok(!few.includes('12:30:15') && !few.includes('deadbeef00'), few.join(' '));
});

// What a daemon remembers by names that come by stays bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Latest } from '../../src/latest.js';

test('the entries that were written last are kept, and no more of them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean())),
      (most, steps) => {
        const latest = new Latest<number, number>(most);
        let model: [number, number][] = [];
        steps.forEach(([key, isWritten], at) => {
          model = model.filter(([k]) => k !== key);
          if (isWritten) {
            latest.set(key, at);
            model = [...model, [key, at] as [number, number]].slice(-most);
          } else latest.delete(key);
          assert.equal(latest.size, model.length);
          for (const [k, value] of model) assert.equal(latest.get(k), value);
          for (let k = 0; k < 10; k++)
            assert.equal(
              latest.has(k),
              model.some(([kept]) => kept === k),
            );
        });
      },
    ),
  );
});

// The quick yes against the schema itself: it never says yes where the schema would not, and gives back the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { z } from 'zod';
import { Native } from '../../src/json/native.js';
import { METHODS, type MethodName } from '../../src/protocol/index.js';
import { quickCheck } from '../../src/protocol/quick-check.js';

const native = (v: unknown) => new Native(JSON.stringify(v));
/** Values that are right for some field and wrong for others. */
const VALUES: readonly unknown[] = [
  's',
  '',
  'a\u0001b',
  'x'.repeat(300),
  'patch',
  'anthropic',
  0,
  -0,
  -1,
  1.5,
  2 ** 60,
  true,
  null,
  undefined,
  {},
  [],
  [native({ role: 'user' })],
  [native([])],
  native({ role: 'user' }),
  native('text'),
  ['a'],
  { a: 1 },
  'main',
];

test('PROTOCOL 2: a quick yes is the schema’s yes, with the same value', () => {
  let yes = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(METHODS) as MethodName[])),
      fc.infiniteStream(fc.nat()),
      fc.integer({ min: 0, max: 5 }),
      fc.boolean(),
      (method, numbers, extra, stray) => {
        const schema = METHODS[method].params as unknown as z.ZodType;
        const shape = METHODS[method].params.shape as Record<string, z.ZodType>;
        const next = () => numbers.next().value as number;
        const params: Record<string, unknown> = {};
        const keys = Object.keys(shape);
        const right = (key: string): unknown => {
          const fits = VALUES.filter((v) => shape[key]!.safeParse(v).success);
          return fits.length === 0 ? VALUES[next() % VALUES.length] : fits[next() % fits.length];
        };
        for (const key of keys) if (!shape[key]!.safeParse(undefined).success) params[key] = right(key);
        for (let i = 0; i < extra && keys.length > 0; i += 1) {
          const key = keys[next() % keys.length]!;
          params[key] = next() % 4 === 0 ? VALUES[next() % VALUES.length] : right(key);
        }
        if (stray && next() % 4 === 0) params['stray'] = 1;
        if (!quickCheck(schema, params)) return;
        yes += 1;
        const whole = schema.safeParse(params);
        assert.ok(whole.success, `${method} ${JSON.stringify(params)}`);
        assert.deepEqual({ ...(whole.data as object) }, params);
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(yes > 20, `only ${yes}`);
});

test('PROTOCOL 2: the usual llm.prepare is decided quickly', () => {
  const schema = METHODS['llm.prepare'].params as unknown as z.ZodType;
  const usual = { session: 's', return: 'patch', append: [native({ role: 'user', content: 'x' })] };
  assert.ok(quickCheck(schema, usual));
  assert.ok(!quickCheck(schema, { ...usual, nobody: 1 }));
  assert.ok(!quickCheck(schema, { append: usual.append }), 'the session is missing');
});

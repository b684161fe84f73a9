// JSON values and spellings for property tests: hostile keys, lone surrogates, every kind of white space.
import fc from 'fast-check';

const unit = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom('\ud83d', '\udc00', '\u0000', '\u2028', '"\\/', '\\u', '😀') },
);

const key = fc.oneof(
  { weight: 5, arbitrary: unit },
  {
    weight: 2,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '10', '2', '', 'a,b', 'x}', '"'),
  },
);

/** Any JSON value as JSON.parse may give it, `__proto__` as an own key included. */
export const jsonValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      unit,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((members) => {
      const out: Record<string, unknown> = {};
      for (const [k, v] of members)
        Object.defineProperty(out, k, { value: v, enumerable: true, writable: true, configurable: true });
      return out;
    }),
  ),
})).value;

const space = fc.constantFrom('', '', ' ', '\n', '\t ', '\r\n');

/** A JSON text with white space wherever it may stand, and spellings that JSON.stringify would not choose. */
export const jsonText: fc.Arbitrary<string> = fc
  .tuple(jsonValue, fc.infiniteStream(space), fc.infiniteStream(fc.nat(9)))
  .map(([value, spaces, dice]) =>
    spell(
      value,
      () => spaces.next().value ?? '',
      () => dice.next().value ?? 0,
    ),
  );

function spell(v: unknown, sp: () => string, die: () => number): string {
  if (Array.isArray(v)) return `[${v.map((x) => sp() + spell(x, sp, die) + sp()).join(',') || sp()}]`;
  if (typeof v === 'object' && v !== null) {
    const members = Object.entries(v).map(
      ([k, x]) => `${sp()}${JSON.stringify(k)}${sp()}:${sp()}${spell(x, sp, die)}${sp()}`,
    );
    return `{${members.join(',') || sp()}}`;
  }
  if (typeof v === 'number' && Number.isInteger(v) && Math.abs(v) < 1e9 && die() < 5)
    return Object.is(v, -0) ? '-0.0' : `${v}.0`;
  if (typeof v === 'string' && die() < 2 && v.length > 0)
    return `"\\u${v.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(v.slice(1)).slice(1)}`;
  return JSON.stringify(v);
}

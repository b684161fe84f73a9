// MessagePack as any encoder may write it: wider lengths and numbers than needed, texts as str or bin, integers as doubles.

/** Which of the forms that are allowed for a value is taken; asked for each value in turn. */
export type Choose = (forms: number) => number;

/** An integer beyond 2^53, as the decimals that JSON has for it. */
export class Long {
  constructor(readonly value: bigint) {}
}

/** A map whose keys keep their order, and may be names that a plain object has its own ideas about. */
export class Pairs {
  constructor(readonly pairs: readonly (readonly [string, unknown])[]) {}
}

function pairsOf(v: object): readonly (readonly [string, unknown])[] {
  return v instanceof Pairs ? v.pairs : Object.entries(v);
}

/** The JSON text of the same value. */
export function textOf(v: unknown): string {
  if (v instanceof Long) return v.value.toString();
  if (Object.is(v, -0)) return '-0';
  if (typeof v !== 'object' || v === null) return JSON.stringify(v);
  if (Array.isArray(v)) return `[${v.map(textOf).join(',')}]`;
  return `{${pairsOf(v)
    .map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`)
    .join(',')}}`;
}

export function packWide(v: unknown, choose: Choose): Buffer {
  if (v === null) return Buffer.from([0xc0]);
  if (typeof v === 'boolean') return Buffer.from([v ? 0xc3 : 0xc2]);
  if (typeof v === 'number') return number(v, choose);
  if (v instanceof Long) return marked(v.value < 0n ? 0xd3 : 0xcf, BigInt.asUintN(64, v.value), 8);
  if (typeof v === 'string') return text(v, choose, true);
  if (Array.isArray(v))
    return Buffer.concat([
      head(v.length, 0x90, [0xdc, 0xdd], choose),
      ...v.map((item) => packWide(item, choose)),
    ]);
  const pairs = pairsOf(v as object);
  return Buffer.concat([
    head(pairs.length, 0x80, [0xde, 0xdf], choose),
    ...pairs.flatMap(([key, value]) => [text(key, choose, false), packWide(value, choose)]),
  ]);
}

function marked(mark: number, value: bigint, width: number): Buffer {
  const out = Buffer.alloc(1 + width, mark);
  for (let i = 0; i < width; i += 1) out[width - i] = Number((value >> BigInt(8 * i)) & 0xffn);
  return out;
}

function head(length: number, short: number, [two, four]: [number, number], choose: Choose): Buffer {
  const forms = [marked(two, BigInt(length), 2), marked(four, BigInt(length), 4)];
  if (length < 16) forms.unshift(Buffer.from([short | length]));
  return forms[choose(forms.length)]!;
}

function text(s: string, choose: Choose, mayBeBin: boolean): Buffer {
  const bytes = Buffer.from(s);
  const forms: Buffer[] = [];
  if (bytes.length < 32) forms.push(Buffer.from([0xa0 | bytes.length]));
  for (const [at, width] of [1, 2, 4].entries()) {
    if (bytes.length >= 2 ** (8 * width)) continue;
    forms.push(marked(0xd9 + at, BigInt(bytes.length), width));
    if (mayBeBin) forms.push(marked(0xc4 + at, BigInt(bytes.length), width));
  }
  return Buffer.concat([forms[choose(forms.length)]!, bytes]);
}

function number(v: number, choose: Choose): Buffer {
  const double = Buffer.alloc(9, 0xcb);
  double.writeDoubleBE(v, 1);
  const forms: Buffer[] = [double];
  if (Math.fround(v) === v) {
    const single = Buffer.alloc(5, 0xca);
    single.writeFloatBE(v, 1);
    forms.push(single);
  }
  if (Number.isSafeInteger(v) && !Object.is(v, -0)) {
    if (v >= -32 && v < 128) forms.push(Buffer.from([v & 0xff]));
    for (const [at, width] of [1, 2, 4, 8].entries()) {
      const bits = 8 * width;
      if (v >= 0 && v < 2 ** bits) forms.push(marked(0xcc + at, BigInt(v), width));
      if (v >= -(2 ** (bits - 1)) && v < 2 ** (bits - 1))
        forms.push(marked(0xd0 + at, BigInt.asUintN(bits, BigInt(v)), width));
    }
  }
  return forms[choose(forms.length)]!;
}

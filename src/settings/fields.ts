// The kinds of configuration values: what each accepts, how it is written back, what it says about itself.
// Pure; knows no key of ours. A reader never throws: it reports a fault and returns undefined.
import { nearest } from './nearest.js';

export type KeyPath = readonly (string | number)[];

/** Where the readers report to. */
export interface ReadContext {
  fault(path: KeyPath, text: string): void;
}

export interface Field<T> {
  /** For people: `int`, `list of strings`, .. */
  readonly type: string;
  /** Undefined: unset by default. */
  readonly fallback: T | undefined;
  readonly text: string;
  readonly unit?: string;
  readonly range?: string;
  readonly values?: readonly string[];
  /** Nested block: its parts merge key by key. */
  readonly shape?: Shape<Record<string, unknown>>;
  /** The value in our form, or undefined after a fault. */
  read(value: unknown, path: KeyPath, context: ReadContext): T | undefined;
  /** Our form as it would stand in YAML. */
  write(value: T): unknown;
}

/** A block: its fields by their camelCase name; YAML has them in snake_case. */
export type Shape<T> = { readonly [K in keyof T]-?: Field<Exclude<T[K], undefined>> };

/** Every key optional, at every depth; lists and functions stay whole. */
export type Partially<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Partially<T[K]> }
    : T;

/** toolUses -> tool_uses, write5m -> write_5m. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`).replace(/(?<=[a-z])(?=\d)/g, '_');
}

/** A value as an error shows it. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface NumberOptions {
  fallback?: number;
  min?: number;
  max?: number;
  /** The bounds themselves are not allowed. */
  open?: boolean;
  unit?: string;
  text: string;
}

function rangeText(o: NumberOptions): string | undefined {
  if (o.min === undefined && o.max === undefined) return undefined;
  if (o.max === undefined) return o.open ? `> ${o.min}` : `>= ${o.min}`;
  return o.open ? `in (${o.min ?? '-inf'}, ${o.max})` : `in [${o.min ?? '-inf'}, ${o.max}]`;
}

function numeric(o: NumberOptions, whole: boolean): Field<number> {
  const type = whole ? 'int' : 'float';
  const range = rangeText(o);
  const outside = (v: number): boolean =>
    (o.min !== undefined && (o.open ? v <= o.min : v < o.min)) ||
    (o.max !== undefined && (o.open ? v >= o.max : v > o.max));
  return {
    type,
    fallback: o.fallback,
    text: o.text,
    ...(o.unit === undefined ? {} : { unit: o.unit }),
    ...(range === undefined ? {} : { range }),
    read(v, path, context) {
      // Integers and floats alike (P-13): 5.0 is 5. Only what would have to be rounded is refused.
      if (typeof v !== 'number' || !Number.isFinite(v) || (whole && !Number.isSafeInteger(v))) {
        context.fault(path, `${shown(v)} is not ${whole ? 'an integer' : 'a number'}`);
        return undefined;
      }
      if (outside(v)) {
        context.fault(path, `${v} is out of range: it must be ${range}`);
        return undefined;
      }
      return v;
    },
    write: (v) => v,
  };
}

export const int = (o: NumberOptions): Field<number> => numeric(o, true);
export const float = (o: NumberOptions): Field<number> => numeric(o, false);

export function bool(fallback: boolean | undefined, text: string): Field<boolean> {
  return {
    type: 'bool',
    fallback,
    text,
    values: ['true', 'false'],
    read(v, path, context) {
      if (typeof v === 'boolean') return v;
      // YAML 1.1 reads on and off as booleans, 1.2 as strings: the same file means the same either way.
      if (v === 'on' || v === 'off') return v === 'on';
      context.fault(path, `${shown(v)} is not a boolean: valid are true, false`);
      return undefined;
    },
    write: (v) => v,
  };
}

export function oneOf<const V extends string>(
  values: readonly V[],
  fallback: V | undefined,
  text: string,
): Field<V> {
  return {
    type: 'enum',
    fallback,
    text,
    values,
    read(v, path, context) {
      const named = v === true ? 'on' : v === false ? 'off' : v;
      const found = values.find((x) => x === named);
      if (found === undefined) {
        context.fault(path, `${shown(v)} is not valid here: valid values are ${values.join(', ')}`);
      }
      return found;
    },
    write: (v) => v,
  };
}

export function string(fallback: string | undefined, text: string): Field<string> {
  return {
    type: 'string',
    fallback,
    text,
    read(v, path, context) {
      if (typeof v === 'string') return v;
      context.fault(path, `${shown(v)} is not a string`);
      return undefined;
    },
    write: (v) => v,
  };
}

export interface ListOptions<V extends string> {
  fallback?: readonly V[];
  values?: readonly V[];
  text: string;
  /** Last word on each item, after its type: the item in our form, '' to drop it. */
  item?: (v: string, path: KeyPath, context: ReadContext) => string;
}

/** A list of strings. It replaces what a lower layer says; [] is a list too. */
export function list<const V extends string = string>(o: ListOptions<V>): Field<readonly V[]> {
  return {
    type: 'list of strings',
    fallback: o.fallback,
    text: o.text,
    ...(o.values === undefined ? {} : { values: o.values }),
    read(v, path, context) {
      if (!Array.isArray(v)) {
        context.fault(path, `${shown(v)} is not a list of strings`);
        return undefined;
      }
      const out: V[] = [];
      v.forEach((x: unknown, i) => {
        if (typeof x !== 'string') context.fault([...path, i], `${shown(x)} is not a string`);
        else if (o.values !== undefined && !(o.values as readonly string[]).includes(x)) {
          context.fault(
            [...path, i],
            `${shown(x)} is not valid here: valid values are ${o.values.join(', ')}`,
          );
        } else {
          const kept = o.item === undefined ? x : o.item(x, [...path, i], context);
          if (kept !== '') out.push(kept as V);
        }
      });
      return out;
    },
    write: (v) => [...v],
  };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds as a duration text: 60000 -> "60s". */
function durationText(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** A duration: "500ms", "60s", "1m30s", "2h"; a plain number is seconds. Kept in milliseconds. */
export function duration(fallback: string | undefined, text: string): Field<number> {
  const parse = (v: unknown): number | undefined => {
    if (typeof v === 'number') return Number.isFinite(v) && v > 0 ? Math.round(v * 1000) : undefined;
    if (typeof v !== 'string' || !/^(\d{1,9}(\.\d{1,6})?(ms|s|m|h))+$/.test(v)) return undefined;
    let ms = 0;
    for (const [, n, unit] of v.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) ms += Number(n) * UNITS[unit!]!;
    return ms > 0 ? Math.round(ms) : undefined;
  };
  return {
    type: 'duration',
    fallback: parse(fallback),
    text,
    unit: 'ms, s, m or h',
    range: '> 0',
    read(v, path, context) {
      const ms = parse(v);
      if (ms === undefined) context.fault(path, `${shown(v)} is not a duration such as "60s"`);
      return ms;
    },
    write: durationText,
  };
}

/** Reads the keys of `shape` out of a map; unknown keys are faults that name the nearest known one. */
export function readShape<T>(
  shape: Shape<T>,
  value: unknown,
  path: KeyPath,
  context: ReadContext,
): Partially<T> {
  const out: Record<string, unknown> = {};
  // `key:` with nothing behind it is YAML's way to write an empty block.
  if (value === null || value === undefined) return out as Partially<T>;
  if (!isMap(value)) {
    context.fault(path, `${shown(value)} is not a map`);
    return out as Partially<T>;
  }
  const known = new Map(Object.keys(shape).map((k) => [snake(k), k]));
  for (const [key, v] of Object.entries(value)) {
    const name = known.get(key);
    if (name === undefined) {
      context.fault(
        [...path, key],
        `unknown key; the nearest valid key is ${nearest(key, [...known.keys()])}`,
      );
      continue;
    }
    const read = (shape as Record<string, Field<unknown>>)[name]!.read(v, [...path, key], context);
    if (read !== undefined) out[name] = read;
  }
  return out as Partially<T>;
}

/** The block as it would stand in YAML; unset keys are left out. */
export function writeShape<T extends object>(shape: Shape<T>, value: T): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape as Record<string, Field<unknown>>)) {
    const v = (value as Record<string, unknown>)[name];
    if (v !== undefined) out[snake(name)] = field.write(v);
  }
  return out;
}

/** A block inside a block. A default of a part stands at the part. */
export function block<T extends object>(shape: Shape<T>, text: string): Field<T> {
  return {
    type: 'map',
    fallback: undefined,
    text,
    shape: shape as unknown as Shape<Record<string, unknown>>,
    // Parts that are not set come from lower layers, hence the cast: the merge completes it.
    read: (v, path, context) => readShape(shape, v, path, context) as T,
    write: (v) => writeShape(shape, v),
  };
}

/** A list of equal blocks; `check` has the last word on each. */
export function items<T extends object>(
  shape: Shape<T>,
  text: string,
  check: (item: Partially<T>, path: KeyPath, context: ReadContext) => void,
): Field<readonly T[]> {
  const keys = Object.keys(shape).map(snake).join(', ');
  return {
    type: `list of {${keys}}`,
    fallback: [],
    text,
    read(v, path, context) {
      if (!Array.isArray(v)) {
        context.fault(path, `${shown(v)} is not a list of maps with the keys ${keys}`);
        return undefined;
      }
      return v.map((x: unknown, i) => {
        const item = readShape(shape, x, [...path, i], context);
        check(item, [...path, i], context);
        return item as T;
      });
    },
    write: (v) => v.map((x) => writeShape(shape, x)),
  };
}

/** A map from free names to equal blocks. It replaces what a lower layer says. */
export function table<T extends object>(shape: Shape<T>, text: string): Field<Readonly<Record<string, T>>> {
  return {
    type: `map of name -> {${Object.keys(shape).map(snake).join(', ')}}`,
    fallback: {},
    text,
    read(v, path, context) {
      if (!isMap(v)) {
        context.fault(path, `${shown(v)} is not a map`);
        return undefined;
      }
      return Object.fromEntries(
        Object.entries(v).map(([k, x]) => [k, readShape(shape, x, [...path, k], context) as T]),
      );
    },
    write: (v) => Object.fromEntries(Object.entries(v).map(([k, x]) => [k, writeShape(shape, x)])),
  };
}

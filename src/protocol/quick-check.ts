// A yes for the usual case: params whose fields are all of the plainest kinds. Made from the same schemas, and only a yes
// counts: what is not surely right is left to the schema, which also says what is wrong. Pure.
import { z } from 'zod';

type Test = (value: unknown) => boolean;

interface Fields {
  tests: Map<string, Test>;
  required: readonly string[];
}

const known = new WeakMap<z.ZodType, Fields | null>();

/** True: the value is what the schema would give back, field by field. False: ask the schema. */
export function quickCheck(schema: z.ZodType, value: Record<string, unknown>): boolean {
  let fields = known.get(schema);
  if (fields === undefined) {
    fields = fieldsOf(schema);
    known.set(schema, fields);
  }
  if (fields === null) return false;
  let needed = 0;
  for (const key of Object.keys(value)) {
    const test = fields.tests.get(key);
    if (test === undefined || !test(value[key])) return false;
    if (fields.required.includes(key)) needed += 1;
  }
  return needed === fields.required.length;
}

/** Null where the schema is no plain object, or has rules of its own beside its fields'. */
function fieldsOf(schema: z.ZodType): Fields | null {
  if (!(schema instanceof z.ZodObject) || hasChecks(schema)) return null;
  const tests = new Map<string, Test>();
  const required: string[] = [];
  for (const [key, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const optional = field instanceof z.ZodOptional;
    if (!optional) required.push(key);
    tests.set(key, testOf(optional ? (field.unwrap() as z.ZodType) : field));
  }
  return { tests, required };
}

function hasChecks(schema: z.ZodType): boolean {
  return (schema.def.checks ?? []).length > 0;
}

function testOf(schema: z.ZodType): Test {
  if (schema instanceof z.ZodArray && !hasChecks(schema)) {
    const item = testOf(schema.element as z.ZodType);
    return (value) => Array.isArray(value) && value.every(item);
  }
  if (schema instanceof z.ZodEnum && !hasChecks(schema)) {
    const options = new Set<unknown>(schema.options);
    return (value) => options.has(value);
  }
  if (schema instanceof z.ZodCustom && !hasChecks(schema)) {
    const { fn } = schema.def;
    return (value) => fn(value) === true;
  }
  const text = schema instanceof z.ZodString ? textTest(schema) : undefined;
  if (text !== undefined) return text;
  // What comes back is what went in: nothing was set, cut or copied.
  return (value) => {
    const r = schema.safeParse(value);
    return r.success && r.data === value;
  };
}

/** Undefined where the text has rules of other kinds than its length and a pattern. */
function textTest(schema: z.ZodString): Test | undefined {
  let min = 0;
  let max = Number.POSITIVE_INFINITY;
  const patterns: RegExp[] = [];
  for (const check of schema.def.checks ?? []) {
    const rule = (check as z.core.$ZodCheck)._zod.def as TextRule;
    if (rule.check === 'min_length') min = Math.max(min, rule.minimum);
    else if (rule.check === 'max_length') max = Math.min(max, rule.maximum);
    else if (rule.check === 'string_format' && rule.format === 'regex' && !/[gy]/.test(rule.pattern.flags))
      patterns.push(rule.pattern);
    else return undefined;
  }
  return (value) =>
    typeof value === 'string' &&
    value.length >= min &&
    value.length <= max &&
    patterns.every((pattern) => pattern.test(value));
}

type TextRule =
  | { check: 'min_length'; minimum: number }
  | { check: 'max_length'; maximum: number }
  | { check: 'string_format'; format: 'regex'; pattern: RegExp };

// The seven assertions of a case (E-2): their shapes, read from YAML. An assertion that nothing could break is an error,
// as is a kind that nobody knows. Pure.
import { z } from 'zod';

const types = z.array(z.string().min(1));
const bounds = {
  min: z.number().int().nonnegative().optional(),
  max: z.number().int().nonnegative().optional(),
};
const limit = z.number().nonnegative().optional();

const KINDS = {
  /** Some event of the type, with these fields, so many times (by default at least once). */
  event_emitted: z
    .strictObject({
      type: z.string().min(1),
      where: z.record(z.string(), z.unknown()).default({}),
      count: z.strictObject(bounds).default({ min: 1 }),
    })
    .refine((a) => canFail(a.count), 'count allows any number: it could never fail'),
  /** How many events of a type there are; of all types without one. */
  event_count_bounds: z
    .strictObject({ type: z.string().min(1).optional(), ...bounds })
    .refine(canFail, 'needs min above 0 or max: it could never fail'),
  /** The events of these types come exactly in this order. */
  event_sequence_strict: z.strictObject({ filter: types.optional(), pattern: types.min(1) }),
  /** Levenshtein distance to the recorded order, as a share of the longer one. */
  event_sequence_distance: z.strictObject({
    threshold: z.number().min(0).lt(1),
    filter: types.optional(),
  }),
  /** The same tools are called as often as recorded, with the same values under these keys. */
  tool_invocation_parity: z.strictObject({
    count_tolerance: z.number().int().nonnegative().default(0),
    arg_keys: types.default([]),
  }),
  /** Prompt and answer tokens, over the whole run or in each turn. */
  token_budget: z
    .strictObject({
      max_input_tokens: limit,
      max_output_tokens: limit,
      per_turn: z.boolean().default(false),
    })
    .refine((a) => (a.max_input_tokens ?? a.max_output_tokens) !== undefined, 'needs a limit'),
  /** Of llm.prepare. */
  latency: z
    .strictObject({ p50_ms: limit, p95_ms: limit })
    .refine((a) => (a.p50_ms ?? a.p95_ms) !== undefined, 'needs a limit'),
} as const;

export type AssertionKind = keyof typeof KINDS;
export type Assertion = {
  [K in AssertionKind]: { kind: K; params: z.output<(typeof KINDS)[K]> };
}[AssertionKind];

function canFail(b: { min?: number | undefined; max?: number | undefined }): boolean {
  return (b.min ?? 0) > 0 || b.max !== undefined;
}

/**
 * From the value of assertions.yaml: a list, or a map with the list under `assertions`. Each is `{kind, ..params}` or
 * `{<kind>: params}`.
 * @throws Error that names the place, for anything else
 */
export function parseAssertions(value: unknown): Assertion[] {
  const list = Array.isArray(value) ? value : isMap(value) ? value['assertions'] : undefined;
  if (!Array.isArray(list)) throw new Error('a list of assertions is expected');
  if (list.length === 0) throw new Error('no assertion: the case could never fail');
  return list.map((item, i) => parseOne(item, `assertion ${i + 1}`));
}

function parseOne(item: unknown, place: string): Assertion {
  if (!isMap(item)) throw new Error(`${place}: a map is expected`);
  const keys = Object.keys(item);
  const { kind, ...rest } = item;
  const name = typeof kind === 'string' ? kind : keys.length === 1 ? keys[0]! : undefined;
  if (name === undefined) throw new Error(`${place}: kind is missing`);
  if (!Object.hasOwn(KINDS, name))
    throw new Error(
      `${place}: unknown kind ${JSON.stringify(name)}; there are ${Object.keys(KINDS).join(', ')}`,
    );
  const params = typeof kind === 'string' ? rest : (item[name] ?? {});
  const read = KINDS[name as AssertionKind].safeParse(params);
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = issue!.path.length === 0 ? '' : `${issue!.path.join('.')}: `;
    throw new Error(`${place}, ${name}: ${path}${issue!.message}`);
  }
  return { kind: name, params: read.data } as Assertion;
}

function isMap(v: unknown): v is Record<string, unknown> {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

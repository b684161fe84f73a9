// The scalar and verbatim shapes from which the methods' schemas are made. Pure; knows no method and no socket.
import { z } from 'zod';
import { Native } from '../json/native.js';
import { RawJson } from '../json/raw.js';

/** An integer of the wire: safe (|n| < 2^53), and never -0, which no two encoders spell alike. */
const integer = z.int().refine((n) => !Object.is(n, -0), { error: 'must not be -0' });
/** Integer >= 0: counts, tokens, bytes, turn and sequence numbers. */
export const count = integer.min(0);
/** Integer >= 1. */
export const positive = integer.min(1);
/** Integer of either sign: deltas. */
export const delta = integer;
/** Any finite number but -0: similarities, scores, money. */
export const real = z.number().refine((n) => !Object.is(n, -0), { error: 'must not be -0' });
/** Text of any length, the empty one included. */
export const text = z.string();
/**
 * A short name: 1 to 256 UTF-16 units without control characters (session ids, keys, handles, models). Half a surrogate pair is
 * refused: no store, path or MessagePack text can hold it, so that two such names would be one there.
 */
export const name = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\u0000-\u001f\u007f\p{Cs}]*$/u, {
    error: 'must not hold control characters or half a surrogate pair',
  });
/** Id of a tool call, as the provider or a proxy before it made it: some carry kilobytes of reasoning state in it. */
export const callId = z.string().min(1);
/** Folder of a project: absolute, for the daemon's working folder is not the client's. */
export const project = z
  .string()
  .max(4096)
  .regex(/^(?:\/|[A-Za-z]:[\\/])/, 'an absolute path is expected: the daemon has another working folder');
/** Epoch milliseconds. */
export const timestamp = count;

/** Any JSON value, decoded (not verbatim): the provider's usage, errors, config blocks. */
export const json = z.unknown().meta({ wire: 'json' });
/** A JSON object, decoded; its fields are not ours to name. */
export const jsonObject = z
  .custom<Record<string, unknown>>((v) => isPlainObject(v), { error: 'expected an object' })
  .meta({ wire: 'object' });

/** JSON Schema of the values whose own fields belong to someone else, by the `wire` mark in a schema's meta. */
export const WIRE_SCHEMAS: Readonly<Record<string, Record<string, unknown>>> = {
  json: {},
  object: { type: 'object' },
  message: { type: 'object', description: "A message in the session's own format; kept byte for byte." },
  system: { type: ['string', 'array'], description: 'The system prompt, as the provider takes it.' },
  tools: { type: 'array', items: { type: 'object' }, description: "The provider's own tool definitions." },
  tool_choice: { type: ['string', 'object'], description: "The provider's own tool_choice." },
  request: {
    type: 'object',
    properties: { system: {}, tools: { type: 'array' }, messages: { type: 'array' } },
    required: ['messages'],
    description: "The request in the session's own format; untouched parts byte for byte.",
  },
};

function verbatim(wire: string, test: (v: unknown) => boolean, expected: string) {
  return z
    .custom<Native>((v) => v instanceof Native && test(v.value), { error: `expected ${expected}` })
    .meta({ wire });
}

/** A provider's message inside params: its exact JSON text and its parsed value. */
export const message = verbatim('message', isPlainObject, 'an object');
/** A message of a history that comes again: it is not looked into here, but by who takes it in. */
export const resent = z
  .custom<Native>((v) => v instanceof Native && v.text.startsWith('{'), { error: 'expected an object' })
  .meta({ wire: 'message' });
/** The provider's system prompt: a string or a list of blocks. */
export const system = verbatim(
  'system',
  (v) => typeof v === 'string' || Array.isArray(v),
  'a string or an array',
);
/** The whole list of tool definitions as one verbatim value. */
export const tools = verbatim(
  'tools',
  (v) => Array.isArray(v) && v.every(isPlainObject),
  'an array of objects',
);
export const toolChoice = verbatim(
  'tool_choice',
  (v) => typeof v === 'string' || isPlainObject(v),
  'a string or an object',
);

/** A value inside a result that leaves as the exact text it holds; `wire` names its JSON Schema. */
export function raw(wire: 'json' | 'message' | 'request' | 'object') {
  return z.custom<RawJson>((v) => v instanceof RawJson).meta({ wire });
}

function isPlainObject(v: unknown): v is Record<string, unknown> {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

/** In the answer of a call of which something was redacted before it was stored. */
export const redactions = count.describe('places of the call that were redacted before anything was stored');

/** What the host knows of messages of the call beyond the provider's fields; `message` is the index in the call. */
export const hints = z.array(
  z.strictObject({
    message: count,
    usage: jsonObject.optional(),
    model: name.optional(),
    media: z
      .array(z.strictObject({ path: text, width: positive, height: positive }))
      .optional()
      .describe('pixels of an image, by its JSON pointer in the message'),
    vetoed: z
      .boolean()
      .optional()
      .describe('a guard of the host refused this input: it is stored, and not offered again after a crash'),
    veto_reason: text.optional(),
  }),
);

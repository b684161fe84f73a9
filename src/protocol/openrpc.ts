// The OpenRPC document that `rpc.discover` answers, made from the schemas that validate the frames. Pure.
import { z } from 'zod';
import { ERROR_KINDS } from '../errors.js';
import { ENTRIES } from './entries.js';
import { EVENTS, SIGNALS } from './events.js';
import { METHODS, type MethodName } from './methods.js';
import { scopeOf } from './scopes.js';
import { SERVER_REQUESTS } from './server-requests.js';
import { WIRE_SCHEMAS } from './values.js';
import { PROTOCOL_VERSION, SUBPROTOCOLS } from './vocabulary.js';

type JsonSchema = Record<string, unknown>;

/** JSON Schema of an object. */
export interface ObjectSchema extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

function schemaOf(schema: z.ZodType): ObjectSchema {
  const out = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const { wire } = jsonSchema as { wire?: string };
      if (wire === undefined) return;
      delete (jsonSchema as JsonSchema)['wire'];
      Object.assign(jsonSchema, WIRE_SCHEMAS[wire]);
    },
  }) as ObjectSchema;
  delete out['$schema'];
  return out;
}

function method(name: string, row: { summary: string; params: z.ZodType; result: z.ZodType }): JsonSchema {
  const params = schemaOf(row.params);
  const required = new Set(params.required ?? []);
  return {
    name,
    summary: row.summary,
    paramStructure: 'by-name',
    params: Object.entries(params.properties ?? {}).map(([key, schema]) => ({
      name: key,
      required: required.has(key),
      schema,
    })),
    result: { name: 'result', schema: schemaOf(row.result) },
  };
}

function notification(name: string, row: { summary: string; payload: z.ZodType }): JsonSchema {
  return { name, summary: row.summary, schema: schemaOf(row.payload) };
}

/** JSON Schemas of a method's params and result, as `rpc.discover` shows them. */
export function methodSchemas(name: MethodName): { params: ObjectSchema; result: ObjectSchema } {
  const { params, result } = METHODS[name];
  return { params: schemaOf(params), result: schemaOf(result) };
}

let document: JsonSchema | undefined;

/** OpenRPC 1.3.2. Server-to-client requests and notifications, for which it has no place, stand under `x-` keys. */
export function openRpcDocument(version: string): JsonSchema {
  document ??= {
    methods: Object.entries(METHODS).map(([name, row]) => ({
      ...method(name, row),
      'x-scope': scopeOf(name as MethodName),
    })),
    'x-server-requests': Object.entries(SERVER_REQUESTS).map(([name, row]) => method(name, row)),
    'x-notifications': Object.entries({ ...EVENTS, ...ENTRIES, ...SIGNALS }).map(([name, row]) =>
      notification(name, row),
    ),
    'x-errors': Object.entries(ERROR_KINDS).map(([kind, row]) => ({
      kind: 'wire' in row ? row.wire : kind,
      code: row.code,
      retryable: row.retryable,
      text: row.text,
    })),
    'x-subprotocols': SUBPROTOCOLS,
  };
  return {
    openrpc: '1.3.2',
    info: { title: 'curated', version, 'x-protocol': PROTOCOL_VERSION, license: { name: 'MIT' } },
    ...document,
  };
}

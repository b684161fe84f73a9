// Schemas of the calls that concern the connection and the daemon itself. Pure.
import { z } from 'zod';
import { count, json, jsonObject, name, positive, real, text, timestamp } from '../values.js';
import { PRESETS } from '../vocabulary.js';

const peer = z.strictObject({ name, version: name });

export const CONNECTION_METHODS = {
  initialize: {
    summary: 'Opens the conversation: versions, limits and what each side can do. Must be the first call.',
    params: z.strictObject({
      protocol: positive.describe('the version the client speaks; this daemon speaks 1'),
      client: peer,
      capabilities: z
        .strictObject({
          llm: jsonObject.optional().describe('the client answers llm.complete'),
          embeddings: z
            .strictObject({ model: name, dimensions: positive.max(65_536) })
            .optional()
            .describe('the client answers embeddings.create'),
        })
        .optional(),
    }),
    result: z.strictObject({
      protocol: positive,
      server: peer,
      limits: z.record(z.string(), z.number()).describe('every limit of the daemon by its name in config'),
      presets: z.array(z.enum(PRESETS)),
      capabilities: jsonObject,
    }),
  },
  'rpc.discover': {
    summary: 'The OpenRPC document of this protocol, made from the schemas that validate the frames.',
    params: z.strictObject({}),
    result: jsonObject,
  },
  'daemon.status': {
    summary: 'Version, uptime, and what sessions, worker pool and journal are doing.',
    params: z.strictObject({}),
    result: z.strictObject({
      version: text,
      pid: positive,
      started_at: timestamp,
      process: text.optional().describe('tells a process from a later one that has its pid'),
      uptime_ms: count,
      connections: count,
      sessions: z.strictObject({ open: count, stored: count }),
      draining: z.boolean(),
      pool: json,
      journal: json,
      memory: json.optional(),
      health: json.optional(),
    }),
  },
  'test.clock': {
    summary: 'Moves the clock forward; there only in a daemon started with CURATED_TEST_CLOCK=1.',
    params: z.strictObject({ advance_sec: real }),
    result: z.strictObject({ now: timestamp }),
  },
  'daemon.stop': {
    summary: 'Drains and stops the daemon; the answer leaves before the drain ends.',
    params: z.strictObject({}),
    result: z.strictObject({ stopping: z.literal(true) }),
  },
} as const;

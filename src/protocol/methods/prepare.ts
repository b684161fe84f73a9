// Schemas of the hook before each model call (PROTOCOL 4) and of the calls around it. Pure.
import { z } from 'zod';
import {
  callId,
  count,
  hints,
  json,
  message,
  name,
  raw,
  real,
  redactions,
  resent,
  system,
  text,
  toolChoice,
  tools,
} from '../values.js';
import { mentioned } from './context.js';

const session = name;
/** Of a request, as llm.prepare reports it. */
const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const tokens = z.strictObject({
  raw: count,
  curated: count,
  static: count,
  session: count,
  volatile: count,
  estimated: count.describe('after calibration by the usage the provider reported'),
  p95: count,
  window: count.describe("where neither host nor model table knows it, the gate's max_context_tokens"),
  threshold: count,
});

const prepared = z.strictObject({
  turn: count,
  seq: count,
  request: raw('request').optional(),
  patch: z
    .strictObject({
      base: hash
        .optional()
        .describe('hash of the answer whose request they are for; absent: the own history'),
      base_messages: count.describe('messages of what they are applied to'),
      ops: raw('json').describe('RFC 6902 operations'),
    })
    .optional()
    .describe("operations on the client's own {system, tools, messages}, or on the answer named by `base`"),
  hash,
  tokens,
  cache: z.strictObject({
    prefix_stable: z.boolean(),
    first_changed: count.optional(),
    recache_tokens: count,
    breakpoints: z.array(json),
    read_tokens: count.optional(),
    cost: real.optional(),
  }),
  curated: z.array(json).describe('memory.curated payloads of the envelopes issued by this call'),
  pending: z.array(json).describe('what waits for the turn boundary'),
  violations: z.array(z.looseObject({ rule: text, path: text })).optional(),
  fits: z.literal(true),
  on_demand: mentioned
    .optional()
    .describe(
      'what is known of topics that the newest input names; with `context.on_mention`, and never in `request`',
    ),
  redactions: redactions.optional(),
  context_management: json
    .optional()
    .describe('request field of native edits, when they are on: to be sent as it is'),
  truncation: z.literal('auto').optional().describe('the same for OpenAI Responses'),
  betas: z.array(text).optional().describe('values of anthropic-beta that these fields need'),
});

export const PREPARE_METHODS = {
  'llm.prepare': {
    summary: 'The hook before each model call: the curated request, valid and fitting, or a typed error.',
    params: z.strictObject({
      session,
      messages: z.array(resent).optional().describe('the whole history, for agents that resend it'),
      append: z.array(message).optional().describe('only what is new'),
      system: system.optional(),
      tools: tools.optional(),
      tool_choice: toolChoice.optional(),
      task_kind: name.optional(),
      max_tokens: count
        .optional()
        .describe(
          'limit of the answer that the host will ask for: so much of the window is kept free; 0 warms the cache alone',
        ),
      pending: z.array(callId).optional().describe('ids of tool calls in flight'),
      return: z.enum(['full', 'patch']).optional(),
      base: hash
        .optional()
        .describe(
          'with return "patch": hash of the answer that the client holds. The patch is for its request; where the daemon does not hold it, `request` comes in place of a patch',
        ),
      hints: hints.optional(),
      key: name.optional(),
    }),
    result: prepared,
  },
  'llm.error': {
    summary: 'The provider refused or overflowed: a request that fits (once an error), or a typed error.',
    params: z.strictObject({
      session,
      error: json.describe("the provider's error: an object or its text"),
      stop_reason: text.nullable().optional(),
      delivered: z.boolean().optional().describe('had any delta reached the user?'),
      key: name.optional(),
    }),
    result: prepared,
  },
  'memory.compact': {
    summary: 'Asks for a compaction cycle; it ends in memory.compacted or memory.compaction.failed.',
    params: z.strictObject({
      session,
      reason: text.optional(),
      target: name.optional(),
      pending: z
        .array(callId)
        .optional()
        .describe('calls in flight; absent: those of the newest llm.prepare'),
    }),
    result: z.strictObject({ started: z.boolean() }),
  },
  'tools.discover': {
    summary: 'Reveals the tools of a class.',
    params: z.strictObject({ session, class: name, subclass: name.optional() }),
    result: z.strictObject({ class: text, subclass: text.optional(), tools: z.array(json) }),
  },
  'approval.respond': {
    summary: 'Answers an approval request (hitl.requested).',
    params: z.strictObject({ session, request: name, decision: name }),
    result: z.strictObject({ accepted: z.boolean() }),
  },
} as const;

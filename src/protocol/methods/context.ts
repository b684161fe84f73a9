// Schemas of durable state, context packet, recall and counting (PROTOCOL 5). Pure.
import { z } from 'zod';
import {
  count,
  hints,
  json,
  jsonObject,
  message,
  name,
  positive,
  project,
  raw,
  real,
  system,
  text,
  timestamp,
  tools,
} from '../values.js';

const session = name;
const block = z.strictObject({ block: text, tokens: count });

/** The wake-up text: L0 identity and L1 topic map. */
export const packet = z.strictObject({
  layers: z.array(z.strictObject({ layer: z.enum(['L0', 'L1']), text, tokens: count })),
  text,
  tokens: count,
  stale_days: count,
});

/** L2: what is known of topics that a text names. */
export const mentioned = z.strictObject({
  topics: z.array(text).describe('labels of the topics that are named'),
  text: text.describe("'' when nothing is known of them"),
  tokens: count,
  entries: count,
});

const topic = z.looseObject({ label: text, prefix: text, count });

/** One row of a taxonomy that a client made itself. */
const taxonomyRow = z.strictObject({
  collection: name,
  label: z.string().min(1),
  doc_count: count,
  parent: text.nullable().optional(),
});

/** One memory entry (REQUIREMENTS 16). */
const entry = z.strictObject({
  id: name,
  text,
  wing: name.optional(),
  room: name.optional(),
  source_file: text.optional(),
  importance: real.optional(),
  filed_at: timestamp.optional(),
  supersedes: name.optional(),
});

export const CONTEXT_METHODS = {
  'durable.set_plan': {
    summary: 'Replaces the approved plan.',
    params: z.strictObject({ session, title: text, text, key: name.optional() }),
    result: block,
  },
  'durable.set_todos': {
    summary: 'Replaces the todo list: strings, {text, done} or {content, status}.',
    params: z.strictObject({
      session,
      items: z.array(z.union([text, jsonObject], { error: 'expected a string or an object' })),
      key: name.optional(),
    }),
    result: block,
  },
  'durable.set_manifest': {
    summary: 'Replaces the manifest.',
    params: z.strictObject({ session, text, key: name.optional() }),
    result: block,
  },
  'durable.add_decision': {
    summary: 'Adds a decision; decisions are never removed.',
    params: z.strictObject({ session, text, key: name.optional() }),
    result: block,
  },
  'durable.get': {
    summary: 'The durable state and its block as the model sees it.',
    params: z.strictObject({ session }),
    result: z.strictObject({
      plan: z.strictObject({ title: text, text }).nullable(),
      todos: z.array(json),
      manifest: text.nullable(),
      decisions: z.array(text),
      block: text,
      is_empty: z.boolean(),
      tokens: count.optional(),
    }),
  },
  'context.packet': {
    summary: 'The wake-up packet of a project.',
    params: z.strictObject({ project, budget: positive.optional(), wing: name.optional() }),
    result: packet,
  },
  'context.refresh': {
    summary: "Rebuilds the project's topic map.",
    params: z.strictObject({
      project,
      taxonomies: z
        .array(taxonomyRow)
        .optional()
        .describe("the client's own topics make the map from now on; [] gives it back to the builder"),
      labels: z
        .array(z.strictObject({ from: z.string().min(1), to: z.string().min(1) }))
        .optional()
        .describe('labels that a person gives; they survive rebuilds'),
      global: z.boolean().optional().describe('write the map of projects that have none'),
    }),
    result: z.strictObject({
      topics: count,
      tokens: count,
      path: text.nullable(),
      characters: count.optional(),
      warnings: z.array(text).optional(),
    }),
  },
  'context.topics': {
    summary: "The project's topics.",
    params: z.strictObject({ project, topic: name.optional() }),
    result: z.strictObject({ topics: z.array(topic) }),
  },
  'context.mention': {
    summary: 'L2: what is known of the topics of a project that a text names, in at most 500 tokens.',
    params: z.strictObject({ project, text, max_tokens: positive.optional() }),
    result: mentioned,
  },
  'context.ingest': {
    summary: 'Files memory entries, and takes invalid ones out of every layer.',
    params: z.strictObject({
      project,
      entries: z.array(entry).optional(),
      invalidate: z.array(name).optional().describe('ids of entries that are no longer true'),
    }),
    result: z.strictObject({ entries: count, invalidated: count }),
  },
  'recall.search': {
    summary: 'Finds what was cleared, and memory entries, by meaning and words.',
    params: z.strictObject({
      session: session.optional(),
      project: project.optional(),
      query: text,
      topic: name.optional(),
      wing: name.optional(),
      room: name.optional(),
      tool: name.optional().describe('results and calls of this tool alone'),
      k: positive.max(1000).optional(),
      max_tokens: positive
        .optional()
        .describe('of the originals of all hits together; what stands beside a hit may then be one'),
    }),
    result: z.strictObject({
      hits: z.array(
        z.strictObject({
          handle: text,
          score: real,
          session: text.optional(),
          turn: count.optional(),
          tool: text.optional(),
          snippet: text,
          tokens: count,
          neighbours: z
            .array(z.strictObject({ handle: text, snippet: text }))
            .optional()
            .describe('what was said right before and after it'),
        }),
      ),
    }),
  },
  'recall.get': {
    summary: 'The bytes that were cleared: a string as text, a block list as parts.',
    params: z.strictObject({
      handle: name,
      range: z
        .tuple([count, count])
        .optional()
        .describe(
          '[from, to) in UTF-8 bytes of the text, or of the lines that `grep` leaves: the characters that begin there',
        ),
      grep: text.optional().describe('only lines that hold this text; plain, ignoring case'),
      max_tokens: positive.optional(),
    }),
    result: z.strictObject({
      text: text.optional(),
      parts: raw('json').optional(),
      total_bytes: count.describe(
        'of the original; where a limit is given, of its texts, one on each line, which is what the limits work on',
      ),
      original: z.literal(true),
    }),
  },
  'tokens.count': {
    summary: 'Counts tokens of a text or of a request.',
    params: z.strictObject({
      model: name.optional(),
      encoding: name.optional(),
      text: text.optional(),
      messages: z.array(message).optional(),
      hints: hints.optional(),
      tools: tools.optional(),
      system: system.optional(),
    }),
    result: z.strictObject({ tokens: count, encoding: text, exact: z.boolean(), p95: count.optional() }),
  },
} as const;

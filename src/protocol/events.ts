// The events that leave as notifications (PROTOCOL 7, REQUIREMENTS 2): a payload schema each. Pure.
import { z } from 'zod';
import { count, delta, name, real, text, timestamp } from './values.js';
import { SCHEMA_VERSION } from './vocabulary.js';

/** Every curation payload carries its version; another one is an error (P-11). */
export const version = { _schema_version: z.literal(SCHEMA_VERSION) };
const section = z.strictObject({
  section_id: text.describe('<full plugin id>/<scope>'),
  kind: z.enum(['volatile', 'session']).describe('"static" is never emitted'),
  tokens_delta: delta.describe('tokens after minus tokens before, exact'),
});
const turns = z.tuple([count, count]);
const toolDefinition = { ...version, tool_id: text, last_used_turn: count, definition_size: count };

export const EVENTS = {
  'memory.curated': {
    summary: 'One pass of one layer: what it touched and what that costs the cache.',
    payload: z.looseObject({
      ...version,
      layer: text,
      sections_touched: z.array(section),
      cache_invalidates: z.boolean(),
      at_turn: count,
      first_message: count.optional().describe('index in request.messages of the first touched message'),
      recache_tokens: count.optional(),
      saves_per_request: real.optional(),
      break_even_requests: real.optional(),
      reason: text.optional(),
      forced: z.boolean().optional(),
    }),
  },
  'memory.tool_result_cleared': {
    summary: 'A tool result (or call input) was cleared or shaped; recall.get gives it back by handle.',
    payload: z.looseObject({
      ...version,
      tool_call_id: text,
      tool: text,
      original_size: count,
      cleared_at_turn: count,
      reason: text,
      handle: text,
      message: count.optional().describe('the stored message'),
      path: text.optional().describe('what of it, as a JSON pointer'),
      tokens_delta: delta.optional().describe('tokens after minus tokens before, exact'),
      tokens_delta_estimate: delta.optional(),
    }),
  },
  'memory.tool_result_restored': {
    summary: 'What was cleared stands in the request again: it was needed, or a user took the decision back.',
    payload: z.looseObject({
      ...version,
      tool_call_id: text,
      tool: text,
      handle: text,
      reason: text,
      undoes: z.array(count).optional().describe('seqs of the decisions that a user took back'),
    }),
  },
  'memory.undo.requested': {
    summary: 'A user wants a decision taken back; done at the next turn boundary.',
    payload: z.looseObject({ ...version, seq_of: count, type_of: text, layer: text }),
  },
  'memory.summary_undone': {
    summary: 'A user took a summary back: the messages that it stood for are in the request again.',
    payload: z.looseObject({
      ...version,
      handle: text,
      covers: z.tuple([count, count]).describe('first and last stored message'),
      reason: text,
      undoes: z.array(count).describe('seqs of the decisions that were taken back'),
    }),
  },
  'memory.tool_def_pruned': {
    summary: 'A tool definition left the list.',
    payload: z.looseObject(toolDefinition),
  },
  'memory.tool_def_restored': {
    summary: 'A pruned tool definition came back.',
    payload: z.looseObject({ ...toolDefinition, reason: text.optional() }),
  },
  'memory.native_edit': {
    summary: 'What the provider says it has edited by itself in a request, beside what was expected.',
    payload: z.looseObject({
      ...version,
      edit: text,
      cleared_tool_uses: count.optional(),
      cleared_thinking_turns: count.optional(),
      cleared_input_tokens: count.optional(),
      request: count,
      predicted: z.strictObject({ cleared_tool_uses: count, cleared_input_tokens: count }).optional(),
      agrees: z.boolean().optional(),
    }),
  },
  'memory.cache_miss': {
    summary: "The provider's own reason for a cache miss, beside what we know to have changed.",
    payload: z.looseObject({
      ...version,
      reason: text,
      missed_tokens: count.optional(),
      request: count,
      changed: z.enum(['tools', 'system', 'messages', 'nothing']),
      agrees: z.boolean(),
    }),
  },
  'memory.topic_shift_detected': {
    summary: 'The user moved to another topic.',
    payload: z.looseObject({
      ...version,
      from_turn: count,
      to_turn: count,
      similarity: real,
      signal: z.enum(['user_explicit', 'phrase', 'embedding', 'lexical', 'reply']),
      provisional: z.boolean().optional(),
      returned_to: count.optional(),
    }),
  },
  'memory.topic_shift_retracted': {
    summary: 'A provisional shift that the reply did not confirm.',
    payload: z.looseObject({ ...version, seq_of: count }),
  },
  'memory.summary_replaced': {
    summary: 'A summary stands for a range of turns.',
    payload: z.looseObject({
      ...version,
      from_turns: turns,
      original_tokens: count,
      summary_tokens: count,
      preserved_kinds: z.array(text).nullable(),
    }),
  },
  'memory.compact.request': {
    summary: 'The window gate or a client asked for a compaction.',
    payload: z.looseObject({
      ...version,
      reason: text.optional(),
      estimated_tokens: count.optional(),
      threshold: count.optional(),
      target: text.optional(),
    }),
  },
  'memory.compaction.triggered': {
    summary: 'A compaction cycle began.',
    payload: z.looseObject({
      ...version,
      reason: text,
      message_count: count,
      backup_path: text.nullable().optional(),
    }),
  },
  'memory.compacted': {
    summary: 'A compaction cycle ended well.',
    payload: z.looseObject({
      ...version,
      message_count: count,
      prev_count: count,
      tokens_before: count,
      tokens_after: count,
      covers: turns.describe('[first, last] message that the summary replaces'),
      backup_path: text.nullable().optional(),
      messages: z
        .array(text)
        .optional()
        .describe('ids of the stored messages that stay in the view, in order'),
    }),
  },
  'memory.capped': {
    summary: 'The view was cut to its newest messages; recall.get gives the others back by handle.',
    payload: z.looseObject({
      ...version,
      max_messages: count,
      message_count: count.describe('messages that left by this cut'),
      covers: turns.describe('[first, last] message that is left out by the cap'),
      handle: text,
    }),
  },
  'memory.compaction.failed': {
    summary: 'A compaction cycle ended without effect; the history is intact.',
    payload: z.looseObject({
      ...version,
      reason: text,
      detail: text.optional(),
      view_tokens: count.optional(),
    }),
  },
  Compacted: {
    summary: 'Tokens before and after a compaction.',
    payload: z.looseObject({ ...version, tokens_before: count, tokens_after: count }),
  },
  'gate.llm.retry': {
    summary: 'The held call runs again after a compaction.',
    payload: z.looseObject({ ...version, source: text, reason: text }),
  },
  'embeddings.request': {
    summary: 'Texts were embedded; the vectors are not in the event.',
    payload: z.looseObject({ ...version, model: text, count, purpose: text }),
  },
  'hitl.requested': {
    summary: 'A summary waits for approval.',
    payload: z.looseObject({
      ...version,
      request_id: name,
      preview: text,
      _truncated: z.literal(true).optional(),
    }),
  },
  'hitl.responded': {
    summary: 'An approval was answered.',
    payload: z.looseObject({ ...version, request_id: name, choice: text }),
  },
  'io.status': {
    summary: 'thinking while a summary is written, idle after it.',
    payload: z.looseObject({ state: text, message: text.optional() }),
  },
  'io.output': {
    summary: 'A word from the daemon to the user.',
    payload: z.looseObject({ role: text, content: text }),
  },
} as const;

export type EventName = keyof typeof EVENTS;

/** What every event notification carries beside its payload. */
export const eventHead = z.looseObject({
  session: name,
  seq: count.describe('per session, from 1, gap-free'),
  turn: count,
  ts: timestamp,
  observed: z.literal(true).optional().describe('preset observe: what would have been done'),
});
export type EventHead = z.output<typeof eventHead>;

/** Notifications that are no journal entries: they have no seq. */
export const SIGNALS = {
  'session.superseded': {
    summary: 'Another connection took the session; this one may no longer write to it.',
    payload: z.looseObject({ session: name, epoch: count.optional() }),
  },
  'session.rewound': {
    summary: 'The journal was rewound or restored: the next event has the seq after `to_seq`.',
    payload: z.looseObject({ session: name, to_seq: count, epoch: count, archived: text }),
  },
} as const;

// Schemas of the session calls (PROTOCOL 3), `llm.prepare` aside. Pure.
import { z } from 'zod';
import {
  callId,
  count,
  delta,
  hints,
  json,
  jsonObject,
  message,
  name,
  positive,
  project,
  raw,
  real,
  redactions,
  system,
  text,
  timestamp,
  tools,
} from '../values.js';
import { FORMATS, PRESETS } from '../vocabulary.js';
import { packet } from './context.js';

const session = name;
const newSession = name.refine((s) => s !== '*', { error: '"*" means all sessions' });

export const SESSION_METHODS = {
  'session.open': {
    summary: 'Makes a session, or resumes one and takes its writing lease.',
    params: z.strictObject({
      session: newSession.optional().describe('made up by the daemon when absent'),
      format: z.enum(FORMATS),
      model: name,
      context_window: positive.optional(),
      max_output_tokens: positive.optional(),
      system: system.optional(),
      tools: tools.optional(),
      preset: z.enum(PRESETS).optional(),
      config: jsonObject.optional().describe('the shape of the YAML file; same validation'),
      project: project.optional(),
      parent: name
        .optional()
        .describe('the session that this one works for: a tree of sessions gets one packet'),
      last_seq: count.optional().describe('the last seq the client saw; a gap is SEQ_GAP'),
    }),
    result: z.strictObject({
      session,
      resumed: z.boolean(),
      epoch: count,
      turn: count,
      seq: count,
      messages: count,
      config: jsonObject,
      partial_turn: z
        .strictObject({
          turn: count,
          inputs: z.array(z.strictObject({ seq: count, id: text, position: count, message: raw('message') })),
          pending: z.array(text),
        })
        .optional()
        .describe('of a resumed session whose last turn has no end: what was asked in it, to be asked again'),
      packet: packet.optional(),
      redactions: redactions.optional(),
    }),
  },
  'session.append': {
    summary: 'Appends messages to the stored history; acknowledged when the operating system has them.',
    params: z.strictObject({
      session,
      messages: z.array(message),
      results: z
        .array(z.strictObject({ id: callId, output: text.optional(), error: text.optional() }))
        .optional()
        .describe('answers to calls in plain words, written in the format; they go before the rest'),
      preload: z
        .array(message)
        .optional()
        .describe('context that goes before `input`: nobody typed it, so it is no input of the user'),
      input: text.optional().describe('what the user typed; empty adds no message. It goes last'),
      key: name.optional(),
      parent_call_id: callId
        .optional()
        .describe('the call inside which these were made; they stay out of the history'),
      hints: hints.optional(),
      sent: z
        .boolean()
        .optional()
        .describe(
          'the provider has seen all messages so far as they are: the host joins in mid-conversation',
        ),
    }),
    result: z.strictObject({
      ids: z.array(text),
      tokens: z.array(count),
      total_tokens: count,
      turn: count,
      seq: count,
      redactions: redactions.optional(),
    }),
  },
  'turn.end': {
    summary: 'Ends a turn (final) or a model round (final: false); acknowledged when synced to disk.',
    params: z.strictObject({
      session,
      final: z.boolean().optional(),
      usage: jsonObject.optional().describe("the provider's own usage object"),
      stop_reason: text.nullable().optional(),
      pending: z
        .array(callId)
        .optional()
        .describe('calls in flight at this boundary; absent: those of the newest llm.prepare'),
      context_management: json
        .optional()
        .describe("the response's own report of native edits (applied_edits)"),
      diagnostics: json.optional().describe("the response's own word on why its cache was missed"),
      key: name.optional(),
    }),
    result: z.strictObject({
      turn: count,
      seq: count,
      decisions: z.array(z.looseObject({ type: text, seq: count })),
    }),
  },
  'session.state': {
    summary: 'Where the session stands: tokens by section, topic, what is cleared, pruned and pending.',
    params: z.strictObject({
      session,
      at_seq: positive.optional().describe('as it was there; absent: as it is'),
      trace: z.boolean().optional().describe('with the spans of the newest llm.prepare or turn.end'),
    }),
    result: z.strictObject({
      session,
      turn: count,
      seq: count,
      messages: count,
      tokens: z.strictObject({ static: count, session: count, volatile: count, total: count }),
      topic: jsonObject,
      pending: z.array(json),
      cleared: z.array(json),
      rereads: count.optional().describe('calls that asked again for what was cleared'),
      pruned_tools: z.array(json),
      undo: z.array(count).optional().describe('decisions that are taken back at the next turn boundary'),
      durable: jsonObject,
      round: count.optional(),
      trace: z
        .array(
          z.strictObject({
            layer: text,
            start_ms: real,
            ms: real,
            tokens: count,
            tokens_delta: delta,
            decision: z.enum(['none', 'waits', 'edits', 'holds']),
            decisions: count,
          }),
        )
        .optional()
        .describe(
          'the newest llm.prepare or turn.end: a span for each layer, in the order in which they ran',
        ),
    }),
  },
  'session.messages': {
    summary: 'The stored history, which is never edited, or the curated view of it.',
    params: z.strictObject({
      session,
      from: count.optional(),
      limit: positive.optional(),
      view: z.enum(['stored', 'curated']).optional(),
      at_seq: positive.optional().describe('as they were there; absent: as they are'),
    }),
    result: z.strictObject({
      messages: z.array(z.strictObject({ id: text, seq: count, message: raw('message') })),
    }),
  },
  'session.list': {
    summary: 'All sessions of this token.',
    params: z.strictObject({}),
    result: z.strictObject({
      sessions: z.array(
        z.strictObject({
          session,
          model: text,
          turn: count,
          seq: count,
          tokens: count,
          connected: z.boolean(),
          updated_at: timestamp,
        }),
      ),
    }),
  },
  'session.fork': {
    summary: 'A new session whose history is a prefix of this one.',
    params: z.strictObject({ session, at_seq: positive.optional(), as: newSession.optional() }),
    result: z.strictObject({ session, seq: count }),
  },
  'session.rewind': {
    summary: 'Goes back to a seq; what came after is archived.',
    params: z.strictObject({ session, to_seq: count }),
    result: z.strictObject({
      seq: count,
      epoch: count,
      archived: text.describe('name of the archive that holds the whole journal as it was'),
      archive_name: text.optional().describe('the same name (REQUIREMENTS J-11)'),
      truncated_seq: count.optional().describe('the seq at which the journal ended before'),
      kept: count.optional(),
    }),
  },
  'session.archives': {
    summary: 'The archives that rewinds and restores have left, sorted by name.',
    params: z.strictObject({ session }),
    result: z.strictObject({ archives: z.array(text) }),
  },
  'session.restore': {
    summary: 'Swaps an archive back, after archiving the current journal.',
    params: z.strictObject({
      session,
      archive: name.regex(/^[^/\\]+$/, { error: 'must not hold a path separator' }),
    }),
    result: z.strictObject({ seq: count, epoch: count, archived: text }),
  },
  'session.files': {
    summary: 'The files of a session that people can read, made again from its journal, and where they are.',
    params: z.strictObject({ session }),
    result: z.strictObject({
      folder: text.describe("absolute path on the daemon's machine"),
      files: z.array(text).describe('paths below it: the working buffer and the archives of compactions'),
    }),
  },
  'session.undo': {
    summary:
      'Takes one decision back: the original stands in the request again from the next turn boundary, and no layer decides so again.',
    params: z.strictObject({
      session,
      seq: positive.describe('of the decision: a clearing, a shortening, a pruned tool'),
      key: name.optional(),
    }),
    result: z.strictObject({
      seq: count.describe('of the journalled wish'),
      undoes: z.array(count).describe('the decision, and what was decided on top of it'),
      applies: z.enum(['next_request', 'turn_end']),
    }),
  },
  'session.close': {
    summary: 'Releases the session; it is kept on disk.',
    params: z.strictObject({ session }),
    result: z.strictObject({ seq: count }),
  },
  'session.forget': {
    summary: 'Erases the session: journal, blobs, handles and caches.',
    params: z.strictObject({
      session,
      force: z.boolean().optional().describe('also while another connection holds it; that one is told'),
    }),
    result: z.strictObject({ erased: z.literal(true) }),
  },
  'session.subscribe': {
    summary: 'Events as notifications, gap-free, from a seq or from now.',
    params: z.strictObject({
      session: session.describe('a session id, or "*" for all of this token'),
      from_seq: positive.optional().describe('1 = all; absent = from now'),
    }),
    result: z.strictObject({ seq: count }),
  },
  'session.unsubscribe': {
    summary:
      'Ends what session.subscribe began; the end of a connection, and of a session by session.forget, does it too.',
    params: z.strictObject({
      session: session.describe('a session id, or "*"; one without a subscription is no error'),
    }),
    result: z.strictObject({ ended: z.boolean().describe('was there a subscription?') }),
  },
} as const;

// Schemas of the journal's calls (PROTOCOL 6). Pure.
import { z } from 'zod';
import { count, delta, json, name, positive, raw, real, text, timestamp } from '../values.js';

const price = z.strictObject({
  seq: count,
  reason: text.optional(),
  cache_invalidates: z.boolean(),
  recache_tokens: count.optional(),
  saves_per_request: real.optional(),
  break_even_requests: real.optional(),
  tokens_delta: delta,
});

const told = z.strictObject({
  seq: count,
  type: text,
  turn: count,
  ts: timestamp,
  layer: text.optional(),
  reason: text.optional(),
  handle: text.optional(),
  tool: text.optional(),
  tool_call_id: text.optional(),
  message: count.optional(),
  envelope: price.optional().describe('what the pass as a whole did to the cache, and what it saves'),
});

export const JOURNAL_METHODS = {
  'journal.read': {
    summary: 'Journal entries from a seq on.',
    params: z.strictObject({
      session: name,
      from_seq: positive.optional(),
      limit: positive.max(10_000).optional(),
    }),
    result: z.strictObject({ events: z.array(json), next_seq: positive }),
  },
  'journal.replay': {
    summary: 'Rebuilds every prepared request from the recorded decisions alone and compares the hashes.',
    params: z.strictObject({ session: name, to_seq: positive.optional() }),
    result: z.strictObject({
      requests: count.describe('how many prepared requests the journal holds'),
      identical: z.boolean(),
      mismatches: z.array(z.strictObject({ seq: count, hash: text, replayed: text })),
    }),
  },
  'journal.export': {
    summary: 'A session as JSON lines with its texts and its hash chain, page by page.',
    params: z.strictObject({ session: name, from_seq: positive.optional(), to_seq: positive.optional() }),
    result: z.strictObject({
      lines: z.array(text).describe('a header before record 1, texts before the records that name them'),
      next_seq: positive.optional().describe('from_seq of the next page; absent on the last'),
    }),
  },
  'journal.import': {
    summary: "Reads an export on the daemon's machine into a new session; whole and verified, or not at all.",
    params: z.strictObject({ session: name, path: text.describe('absolute') }),
    result: z.strictObject({
      session: name,
      events: count,
      torn: z.boolean().describe('the last line was torn and left out'),
    }),
  },
  'journal.verify': {
    summary:
      "Reads a session's journal, or all of the token's, archives too, with every text; compares every hash, and snapshots with the events.",
    params: z.strictObject({ session: name.optional() }),
    result: z.strictObject({
      sessions: count,
      archives: count.describe('journals that rewinds put aside'),
      events: count,
      texts: count,
      snapshots: count.describe('snapshots that were compared with what the events give'),
      broken: z.array(z.strictObject({ session: text, archive: text.optional(), seq: count, reason: text })),
      differing: z
        .array(z.strictObject({ session: text, seq: count, reason: text }))
        .describe('snapshots that were another state: they have been made anew from the events'),
      structure: z
        .array(text)
        .describe('faults of the file itself; for the owner, where no session is named'),
    }),
  },
  'journal.backup': {
    summary: 'A consistent copy of the whole journal while writing goes on.',
    params: z.strictObject({ path: text.describe("absolute, on the daemon's machine; must not exist") }),
    result: z.strictObject({ path: text, bytes: count }),
  },
  'journal.bisect': {
    summary:
      'Which decision took a text out of the request: a binary search with the rendered request at each point.',
    params: z.strictObject({ session: name, text: text.min(1) }),
    result: z.strictObject({
      found: z.enum(['present', 'removed', 'never']),
      came: z
        .strictObject({ seq: count, turn: count, message: count })
        .optional()
        .describe('the newest message that brought it'),
      removed: told.optional(),
      last_request: count.optional().describe('seq of the last request with it'),
      first_without: count.optional().describe('seq of the first request without it'),
      looked: count.describe('points whose request was rendered'),
    }),
  },
  'journal.diff': {
    summary: 'One request before and after curation, with the decision behind each difference.',
    params: z.strictObject({
      session: name,
      turn: count.optional().describe('its last main request; without turn and seq the newest of all'),
      seq: positive.optional().describe('of an llm.request'),
    }),
    result: z.strictObject({
      seq: count,
      turn: count,
      hash: text,
      messages: z.strictObject({ before: count, after: count, unchanged: count }),
      tokens: z.strictObject({ before: count, after: count }),
      hidden_tools: z.array(text),
      changes: z.array(
        z.strictObject({
          message: count.describe('stored position'),
          before: raw('message').optional().describe('absent: something of ours'),
          after: raw('message').optional().describe('absent: left out'),
          tokens_before: count,
          tokens_after: count,
          decisions: z.array(told),
        }),
      ),
    }),
  },
} as const;

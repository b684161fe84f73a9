// Schemas of the journal's calls (PROTOCOL 6). Pure.
import { z } from 'zod';
import { count, json, name, positive, text } from '../values.js';

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
} as const;

// What the daemon may ask of a client that declared the capability (PROTOCOL 2). Pure.
import { z } from 'zod';
import type { Wire } from './methods.js';
import { json, jsonObject, name, positive, raw, text } from './values.js';

export const SERVER_REQUESTS = {
  'llm.complete': {
    summary: "Asks the client's model for a summary; needs the capability llm.",
    params: z.strictObject({
      session: name,
      purpose: z.enum(['summary', 'compaction']),
      system: text,
      messages: z.array(raw('message')),
      max_tokens: positive,
    }),
    result: z.looseObject({ text, stop_reason: text.nullable(), usage: jsonObject.optional() }),
  },
  'embeddings.create': {
    summary: "Asks the client's embedder for vectors; needs the capability embeddings.",
    params: z.strictObject({ session: name, input: z.array(text) }),
    // The vectors are checked where they are used, one by one, so that a bad one harms its own input only.
    result: z.looseObject({ model: text, vectors: z.array(json), usage: json.optional() }),
  },
} as const;

export type ServerRequestName = keyof typeof SERVER_REQUESTS;
/** Params as the daemon makes them. */
export type ServerParams<M extends ServerRequestName> = z.input<(typeof SERVER_REQUESTS)[M]['params']>;
/** The client's answer, after its check. */
export type ServerResult<M extends ServerRequestName> = z.output<(typeof SERVER_REQUESTS)[M]['result']>;
/** Params as the client reads them. */
export type WireServerParams<M extends ServerRequestName> = Wire<ServerParams<M>>;

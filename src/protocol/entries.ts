// The journal's entries of what happened (PROTOCOL 7), which leave as notifications like the decisions of events.ts: what a
// reader of each may rely on. Their payloads may hold more. Pure.
import { z } from 'zod';
import { version } from './events.js';
import { count, delta, json, jsonObject, name, positive, real, text } from './values.js';

const integer = delta;
/** As the accounts keep what a provider reported. */
const tokens = z.looseObject({ prompt: count, cached: count, written: count, output: count });

export const ENTRIES = {
  'session.opened': {
    summary: 'A session was made: format, model, system, tools, configuration.',
    payload: z.looseObject({
      format: text,
      model: name,
      context_window: positive.optional(),
      max_output_tokens: positive.optional(),
      system: json.optional(),
      system_tokens: count.optional(),
      tools: json.optional(),
      tools_tokens: count.optional(),
      config: jsonObject,
      project: text.optional(),
    }),
  },
  'session.resumed': {
    summary: 'It was opened again: a new epoch of the writing lease.',
    payload: z.looseObject({ epoch: count, model: name.optional() }),
  },
  'session.config': {
    summary: 'Its configuration changed, from a turn boundary on.',
    payload: z.looseObject({ config: jsonObject }),
  },
  'session.message': {
    summary: 'A message came in; its exact text is kept.',
    payload: z.looseObject({
      id: text,
      at: count.describe('its place in the history'),
      role: text,
      message: jsonObject,
      tokens: count,
    }),
  },
  'session.usage': {
    summary: 'A report that the host recorded with a message, for the request that the message answers.',
    payload: z.looseObject({ message: count, usage: tokens }),
  },
  'session.notice': {
    summary: 'Something that the host should know; `path` is a pointer into the params of the call.',
    payload: z.looseObject({ path: text, text }),
  },
  'session.attached': {
    summary: 'The host joined in mid-conversation: the provider has seen these messages as they are.',
    payload: z.looseObject({ messages: count, tokens: count }),
  },
  'session.remarked': {
    summary: 'The host moved its cache markers in messages that it resent.',
    payload: z.looseObject({
      messages: z.array(z.looseObject({ at: count, text: text.describe('exact JSON text of the message') })),
    }),
  },
  'session.system': {
    summary: 'Another system prompt, from here on.',
    payload: z.looseObject({ message: json.describe('the system prompt; null: none'), tokens: count }),
  },
  'session.tools': {
    summary: 'Another list of tools, from here on.',
    payload: z.looseObject({ message: json.describe('the list of tools; null: none'), tokens: count }),
  },
  'session.diverged': {
    summary: 'The host sent another history than the stored one: what it sent holds.',
    payload: z.looseObject({
      index: count,
      dropped_messages: count,
      dropped_decisions: z.array(count),
      reason: text.optional(),
    }),
  },
  'session.held': {
    summary: 'A call has brought what it names, and waits for a summary before it is answered.',
    payload: z.looseObject({ call: text, before: count, messages: count, key: text.optional() }),
  },
  'session.repaired': {
    summary: 'What would have been refused was mended: by which rule, and where.',
    payload: z.looseObject({
      what: text,
      rule: text,
      tool_call_id: text.optional(),
      message: integer.optional(),
    }),
  },
  'session.key': {
    summary: 'The answer of a call with an idempotency key.',
    payload: z.looseObject({ key: text, method: text, result: json }),
  },
  'session.closed': {
    summary: 'Its connection released it.',
    payload: z.looseObject({}),
  },
  'io.input': {
    summary: 'A person typed it: a turn begins.',
    payload: z.looseObject({ message: count, tokens: count }),
  },
  'llm.response': {
    summary: "A model's answer came in.",
    payload: z.looseObject({ message: count, stop_reason: text.optional() }),
  },
  'tool.invoke': {
    summary: 'A tool was called.',
    payload: z.looseObject({
      id: text,
      name: text,
      message: count,
      part: count,
      parent_call_id: text.optional(),
    }),
  },
  'tool.result': {
    summary: "A tool's result came in.",
    payload: z.looseObject({
      id: text,
      tool: text,
      message: count,
      part: count,
      size: count,
      error: z.boolean().optional(),
    }),
  },
  'llm.request': {
    summary: 'A request went out: its hash, its tokens, and what was known of the cache.',
    payload: z.looseObject({
      hash: text,
      request: count,
      task_kind: text,
      messages: count,
      tokens: count,
      pending: z.array(text).optional(),
      changed: z.enum(['tools', 'system', 'messages']).optional(),
    }),
  },
  'llm.error': {
    summary: 'The provider refused the request, or it overflowed.',
    payload: z.looseObject({
      status: count.optional(),
      message: text,
      overflow: z.boolean(),
      delivered: z.boolean().optional(),
    }),
  },
  'agent.turn.end': {
    summary: 'A turn (final) or a model round ended, with the usage that the provider reported.',
    payload: z.looseObject({
      turn_id: text,
      iteration: count,
      session_id: text,
      final: z.boolean(),
      boundary: z.boolean().describe('history edits may be made before the next main request'),
      stop_reason: text.optional(),
      overflow: z.literal(true).optional(),
      usage: tokens.optional(),
    }),
  },
  'tools.indexed': {
    summary: 'The index of hidden tools as it stands from here on, and the message that it was put into.',
    payload: z.looseObject({ index: text, message: integer, tokens: count.optional() }),
  },
  'tools.index_removed': {
    summary: 'Superseded copies of it left the request.',
    payload: z.looseObject({ copies: count }),
  },
  'tools.added': {
    summary: 'Deferred tools that a message of ours loads from here on.',
    payload: z.looseObject({ tools: z.array(text), message: count }),
  },
  'topic.vector': {
    summary: 'The vector of an input moved the mean of the running topic.',
    payload: z.looseObject({
      message: count,
      model: text,
      dims: count,
      similarity: real,
      reset: z.boolean(),
      closes: count.optional(),
    }),
  },
  'topic.reset': {
    summary: 'That mean is void: the next vector begins it.',
    payload: z.looseObject({ message: count }),
  },
  'durable.changed': {
    summary: 'Plan, todos, manifest or decisions changed.',
    payload: z.looseObject({ field: z.enum(['plan', 'todos', 'manifest', 'decision']), value: json }),
  },
  'durable.placed': {
    summary: 'The durable block as it stands in the request from here on.',
    payload: z.looseObject({ block: text, message: integer }),
  },
  'durable.removed': {
    summary: 'Superseded copies of it left the request.',
    payload: z.looseObject({ copies: count }),
  },
  'memory.reread': {
    summary: 'What had been cleared was asked for again, or a name of it was needed.',
    payload: z.looseObject({
      ...version,
      of: text,
      tool: text,
      tool_call_id: text,
      how: z.enum(['same_call', 'same_path', 'identifier']),
      tokens: count,
      message: count,
      path: text,
    }),
  },
  'memory.thinking_cleared': {
    summary: 'Thinking of older turns left the request.',
    payload: z.looseObject({
      ...version,
      message: count,
      path: text,
      handle: text,
      cleared_at_turn: count,
      tokens_delta: delta,
    }),
  },
  'tools.discovered': {
    summary: 'Tools of a class were revealed.',
    payload: z.looseObject({
      class: text.optional(),
      subclass: text.optional(),
      tools: z.array(text),
      reason: text,
    }),
  },
  'memory.irreducible': {
    summary: 'The request cannot be made to fit.',
    payload: z.looseObject({ ...version, floor: count, needed: count, view_tokens: count }),
  },
  'memory.text_shortened': {
    summary: 'A text was shortened so that the request fits; recall.get gives it back.',
    payload: z.looseObject({
      ...version,
      message: count,
      path: text,
      original_size: count,
      handle: text,
      tokens_delta: delta,
    }),
  },
  'memory.diagnostic': {
    summary:
      'What an operator may want to know: something beside the request failed, its curation did, or a request over budget was let through.',
    payload: z.looseObject({ ...version, what: text, detail: json.optional() }),
  },
} as const;

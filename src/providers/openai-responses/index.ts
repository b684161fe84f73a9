// The OpenAI Responses format; its messages are the items of `input`.
import { fail } from '../../errors.js';
import type { FormatSpec } from '../types.js';
import { checkItem } from './check.js';
import { readItem } from './read.js';
import { ResponsesWalk } from './walk.js';

export const openaiResponses: FormatSpec = {
  format: 'openai-responses',
  read: readItem,
  check: checkItem,
  walk: (profile) => new ResponsesWalk(profile),
  marker(part, body) {
    if (part.bodyPath === undefined) fail('INTERNAL', `the output of a ${part.type ?? 'part'} takes no text`);
    return { op: 'set', path: part.bodyPath, json: JSON.stringify(body) };
  },
  textMessage: (role, text) =>
    JSON.stringify({
      type: 'message',
      role,
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    }),
  toolError: (callId, text) =>
    JSON.stringify({ type: 'function_call_output', call_id: callId, output: text }),
  toolResults: (results) =>
    results.map(({ callId, text }) =>
      JSON.stringify({ type: 'function_call_output', call_id: callId, output: text }),
    ),
};

// The OpenAI Chat Completions format, also spoken by most compatible and self-hosted servers.
import { fail } from '../../errors.js';
import type { FormatSpec } from '../types.js';
import { checkChat } from './check.js';
import { readChat } from './read.js';
import { ChatWalk } from './walk.js';

export const openaiChat: FormatSpec = {
  format: 'openai-chat',
  read: readChat,
  check: checkChat,
  walk: (profile) => new ChatWalk(profile),
  marker(part, body) {
    if (part.bodyPath === undefined) fail('INTERNAL', 'only a tool result has a body to replace');
    return { op: 'set', path: part.bodyPath, json: JSON.stringify(body) };
  },
  textMessage: (role, text) => JSON.stringify({ role, content: text }),
  toolError: (callId, text) => JSON.stringify({ role: 'tool', tool_call_id: callId, content: text }),
  toolResults: (results) =>
    results.map(({ callId, text }) => JSON.stringify({ role: 'tool', tool_call_id: callId, content: text })),
};

// The Anthropic Messages format: reading, rules and edits.

import { fail } from '../../errors.js';
import type { TextEdit } from '../../json/index.js';
import type { FormatSpec, Part } from '../types.js';
import { checkAnthropic } from './check.js';
import { readAnthropic } from './read.js';
import { AnthropicWalk } from './walk.js';

export const anthropic: FormatSpec = {
  format: 'anthropic',
  read: readAnthropic,
  check: checkAnthropic,
  walk: (profile) => new AnthropicWalk(profile),
  marker(part: Part, body: string): TextEdit {
    if (part.bodyPath === undefined) fail('INTERNAL', 'only a tool result has a body to replace');
    return { op: 'set', path: part.bodyPath, json: JSON.stringify(body) };
  },
  textMessage: (role, text) => JSON.stringify({ role, content: [{ type: 'text', text }] }),
  toolError: (callId, text) =>
    JSON.stringify({ type: 'tool_result', tool_use_id: callId, content: text, is_error: true }),
  // All results of a round stand in one message (PV-A5).
  toolResults: (results) =>
    results.length === 0
      ? []
      : [
          JSON.stringify({
            role: 'user',
            content: results.map(({ callId, text, isError }) => ({
              type: 'tool_result',
              tool_use_id: callId,
              content: text,
              ...(isError ? { is_error: true } : {}),
            })),
          }),
        ],
};

// The roles that a message of each format may have.
import type { Format } from './types.js';

export const ROLES: Readonly<Record<Format, ReadonlySet<string>>> = {
  anthropic: new Set(['user', 'assistant', 'system']),
  'openai-chat': new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  'openai-responses': new Set(['system', 'developer', 'user', 'assistant']),
};

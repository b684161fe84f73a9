// The three formats by name.
import { anthropic } from './anthropic/index.js';
import { openaiChat } from './openai-chat/index.js';
import { openaiResponses } from './openai-responses/index.js';
import type { Format, FormatSpec } from './types.js';

export const SPECS: Readonly<Record<Format, FormatSpec>> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
};

export function specOf(format: Format): FormatSpec {
  return SPECS[format];
}

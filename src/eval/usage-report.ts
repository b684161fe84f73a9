// Usage in the provider's own shape, for `turn.end`. Pure.
import type { TokenClasses } from '../economics/index.js';
import type { Format } from '../providers/types.js';
import type { RecordedUsage } from './conversation.js';

export function usageReport(format: Format, t: TokenClasses): Record<string, unknown> {
  const written = t.write5m + t.write1h;
  if (format === 'anthropic') {
    return {
      input_tokens: t.uncached,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: t.read,
      output_tokens: t.output,
    };
  }
  const prompt = t.uncached + t.read + written;
  const details = { cached_tokens: t.read, ...(written > 0 ? { cache_write_tokens: written } : {}) };
  if (format === 'openai-chat') {
    return { prompt_tokens: prompt, completion_tokens: t.output, prompt_tokens_details: details };
  }
  return { input_tokens: prompt, output_tokens: t.output, input_tokens_details: details };
}

export function recordedClasses(u: RecordedUsage): TokenClasses {
  return { uncached: u.in, read: u.cr, write5m: u.cw, write1h: 0, output: u.out };
}

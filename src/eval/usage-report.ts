// Usage in the provider's own shape, for `turn.end`. Pure.
import type { TokenClasses } from '../economics/index.js';
import type { Format } from '../providers/types.js';
import { type ReportedUsage, readUsage } from '../providers/usage.js';
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

/** What a provider reported, as disjoint classes; several passes count as their sum (PV-A48). */
export function classesOf(u: ReportedUsage): TokenClasses {
  if (u.iterations !== undefined && u.iterations.length > 0) {
    return u.iterations.map(classesOf).reduce((a, b) => ({
      uncached: a.uncached + b.uncached,
      read: a.read + b.read,
      write5m: a.write5m + b.write5m,
      write1h: a.write1h + b.write1h,
      output: a.output + b.output,
    }));
  }
  return {
    uncached: u.prompt - u.cached - u.written,
    read: u.cached,
    write5m: u.written - u.written1h,
    write1h: u.written1h,
    output: u.output,
  };
}

/** The same of a usage object as the provider sent it; undefined where it is none or says nothing plausible. */
export function classesOfUsage(format: Format, usage: unknown): TokenClasses | undefined {
  const read = readUsage(format, usage);
  return read.ok ? classesOf(read.usage) : undefined;
}

export function recordedClasses(u: RecordedUsage): TokenClasses {
  return { uncached: u.in, read: u.cr, write5m: u.cw, write1h: 0, output: u.out };
}

// A provider's usage object as four numbers that mean the same for every format. Implausible reports are refused:
// they would calibrate the token estimate and the cache model wrongly.
import type { Format } from './types.js';
import { isObject, type Json, member } from './values.js';

export interface ReportedUsage {
  /** Tokens of the whole prompt, cached ones included. */
  prompt: number;
  /** Part of the prompt that was read from the cache. */
  cached: number;
  /** Part of the prompt that was written to the cache, and of it what lives an hour (PV-A47). */
  written: number;
  written1h: number;
  /** Tokens of the answer, reasoning included. */
  output: number;
  /** PV-A48: passes that the numbers above leave out of the cost; the cost is their sum. Anthropic with compaction. */
  iterations?: ReportedUsage[];
}

export type UsageReading = { ok: true; usage: ReportedUsage } | { ok: false; reason: string };

/**
 * PV-A47: Anthropic's three input numbers add up. PV-C8, PV-R11: OpenAI's prompt already includes the cached tokens.
 * `window` in tokens, where known, bounds the prompt. Any JSON value may be given.
 */
export function readUsage(format: Format, usage: unknown, o: { window?: number } = {}): UsageReading {
  if (!isObject(usage)) return { ok: false, reason: 'usage is no object' };
  const read = reader(format, usage);
  if (typeof read === 'string') return { ok: false, reason: read };
  const reason = implausible(read, o.window);
  return reason === undefined ? { ok: true, usage: read } : { ok: false, reason };
}

/** Compatible servers answer either format's names; the object says which it speaks. */
function reader(format: Format, u: Json): ReportedUsage | string {
  if (format === 'anthropic') return 'input_tokens' in u ? readAnthropic(u) : 'input_tokens is missing';
  if ('prompt_tokens' in u) return readOpenAi(u, 'prompt', 'completion');
  if ('input_tokens' in u) return readOpenAi(u, 'input', 'output');
  return 'prompt_tokens or input_tokens is missing';
}

function readAnthropic(u: Json): ReportedUsage | string {
  const input = count(u, 'input_tokens');
  const cached = count(u, 'cache_read_input_tokens');
  const written = count(u, 'cache_creation_input_tokens');
  const output = count(u, 'output_tokens');
  const written1h = count(member(u, 'cache_creation'), 'ephemeral_1h_input_tokens');
  if (input === BAD || cached === BAD || written === BAD || output === BAD || written1h === BAD)
    return NOT_COUNTS;
  const out: ReportedUsage = { prompt: input + cached + written, cached, written, written1h, output };
  const passes = member(u, 'iterations');
  if (!Array.isArray(passes)) return out;
  const iterations: ReportedUsage[] = [];
  for (const pass of passes) {
    const { iterations: _, ...flat } = isObject(pass) ? pass : {};
    const read = readAnthropic(flat);
    if (typeof read === 'string') return read;
    iterations.push(read);
  }
  return { ...out, iterations };
}

function readOpenAi(
  u: Json,
  prompt: 'prompt' | 'input',
  output: 'completion' | 'output',
): ReportedUsage | string {
  const details = member(u, `${prompt}_tokens_details`);
  const total = count(u, `${prompt}_tokens`);
  const cached = count(details, 'cached_tokens');
  const written = count(details, 'cache_write_tokens');
  const answer = count(u, `${output}_tokens`);
  if (total === BAD || cached === BAD || written === BAD || answer === BAD) return NOT_COUNTS;
  return { prompt: total, cached, written, written1h: 0, output: answer };
}

const BAD = -1;
const NOT_COUNTS = 'a count of tokens is not a non-negative integer';

/** A count; absent and null are 0; anything else that is no count is BAD. */
function count(u: unknown, key: string): number {
  const v = member(u, key);
  if (v === undefined || v === null) return 0;
  return typeof v === 'number' && Number.isSafeInteger(v) && v >= 0 ? v : BAD;
}

function implausible(u: ReportedUsage, window: number | undefined): string | undefined {
  if (u.prompt === 0) return 'the prompt has no tokens';
  if (u.cached + u.written > u.prompt) return 'more tokens cached and written than the prompt has';
  if (u.written1h > u.written) return 'more tokens written for an hour than written at all';
  if (window !== undefined && u.prompt > window)
    return `a prompt of ${u.prompt} tokens does not fit the window of ${window}`;
  return undefined;
}

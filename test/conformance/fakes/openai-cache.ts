// OpenAI's automatic prompt cache (PV-C10, C11): exact prefix from 1,024 tokens; 128-token steps, or exact breakpoints.
import { createHash } from 'node:crypto';
import { isObj, type Obj, objs } from '../types.js';
import { sizeOf, textSize } from './count.js';
import type { PromptCache } from './prompt-cache.js';

const STEP = 128;
const MINIMUM = 1024;
const EXPLICIT_MAX = 3;
const LOOK_BACK = 80;

export interface OpenAiUsage {
  prompt: number;
  cached: number;
  written: number;
}

function digest(before: string, v: string): string {
  return createHash('sha256').update(`${before}\n${v}`).digest('hex');
}

function parts(request: Obj): { value: unknown; message: boolean }[] {
  return [
    ...objs(request['tools']).map((value) => ({ value, message: false })),
    ...(request['instructions'] === undefined ? [] : [{ value: request['instructions'], message: false }]),
    ...objs(request['messages'] ?? request['input']).map((value) => ({ value, message: true })),
  ];
}

/** Models up to 5.5: whole steps of 128 tokens of the longest prefix that any earlier request had; no write fee. */
export function stepCache(cache: PromptCache, request: Obj, ttlMs: number): OpenAiUsage {
  const key = String(request['prompt_cache_key'] ?? '');
  const text = parts(request)
    .map((p) => JSON.stringify(p.value))
    .join('\n');
  const prompt = textSize(text);
  let hash = digest(`model ${String(request['model'])}`, key);
  const bytes = Buffer.from(text);
  let cached = 0;
  let hit = true;
  for (let end = STEP; end <= prompt; end += STEP) {
    hash = digest(hash, bytes.subarray((end - STEP) * 4, end * 4).toString('latin1'));
    if (end < MINIMUM) continue;
    hit = hit && cache.read(hash);
    if (hit) cached = end;
    else cache.write(hash, ttlMs);
  }
  return { prompt, cached, written: 0 };
}

function marked(v: unknown): boolean {
  if (Array.isArray(v)) return v.some(marked);
  if (!isObj(v)) return false;
  return v['prompt_cache_breakpoint'] !== undefined || marked(v['content']) || marked(v['output']);
}

function unmarked(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(unmarked);
  if (!isObj(v)) return v;
  return Object.fromEntries(
    Object.entries(v).flatMap(([k, x]) => (k === 'prompt_cache_breakpoint' ? [] : [[k, unmarked(x)]])),
  );
}

/** Models from 5.6: exact breakpoints, one of them implicit at the newest user or tool message; writes are charged. */
export function breakpointCache(cache: PromptCache, request: Obj, ttlMs: number): OpenAiUsage {
  const options = request['prompt_cache_options'];
  const explicitOnly = isObj(options) && options['mode'] === 'explicit';
  let hash = digest(`model ${String(request['model'])}`, String(request['prompt_cache_key'] ?? ''));
  let upTo = 0;
  const places = parts(request).map((p) => {
    hash = digest(hash, JSON.stringify(unmarked(p.value)));
    upTo += sizeOf(p.value);
    return { hash, upTo, explicit: marked(p.value), value: p.value };
  });
  const explicit = places
    .filter((p) => p.explicit && !fromModel(p.value))
    .slice(-(explicitOnly ? EXPLICIT_MAX + 1 : EXPLICIT_MAX));
  const implicit = explicitOnly ? [] : places.filter((p) => !fromModel(p.value)).slice(-1);
  const ends = [...new Set([...explicit, ...implicit])]
    .sort((a, b) => a.upTo - b.upTo)
    .filter((p) => p.upTo >= MINIMUM);
  let cached = 0;
  if (ends.length > 0) {
    for (const p of places.slice(-LOOK_BACK)) if (p.upTo >= MINIMUM && cache.read(p.hash)) cached = p.upTo;
  }
  let written = 0;
  for (const p of ends) {
    if (p.upTo <= cached) continue;
    cache.write(p.hash, ttlMs);
    written = p.upTo - cached;
  }
  return { prompt: upTo, cached, written };
}

function fromModel(v: unknown): boolean {
  if (!isObj(v)) return false;
  return v['role'] === 'assistant' || v['type'] === 'reasoning' || String(v['type']).endsWith('_call');
}

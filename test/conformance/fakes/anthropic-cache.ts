// The Anthropic prompt cache (PV-A38 to A44): positions, marks, look-back of 20, minimum size, two lifetimes.
import { createHash } from 'node:crypto';
import { arr, isObj, type Obj, objs, str } from '../types.js';
import { sizeOf } from './count.js';
import type { PromptCache } from './prompt-cache.js';

export const LOOK_BACK = 20;
const TTL_MS = { '5m': 300_000, '1h': 3_600_000 } as const;
type Ttl = keyof typeof TTL_MS;

/** One place where a cached prefix may end. */
export interface Position {
  hash: string;
  /** Tokens of the prompt up to and including this position. */
  upTo: number;
  ttl?: Ttl;
}

export interface CacheUsage {
  read: number;
  write5m: number;
  write1h: number;
  uncached: number;
}

function unmarked(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(unmarked);
  if (!isObj(v)) return v;
  return Object.fromEntries(
    Object.entries(v).flatMap(([k, x]) => (k === 'cache_control' ? [] : [[k, unmarked(x)]])),
  );
}

function ttlOf(v: unknown): Ttl | undefined {
  if (Array.isArray(v)) return v.map(ttlOf).find((t) => t !== undefined);
  if (!isObj(v)) return undefined;
  const own = v['cache_control'];
  if (isObj(own)) return own['ttl'] === '1h' ? '1h' : '5m';
  return Array.isArray(v['content']) ? ttlOf(v['content']) : undefined;
}

function blocks(content: unknown): unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : arr(content);
}

const GROUPED = new Set(['tool_use', 'tool_result']);

/** All positions of a request: tools, system, messages; a run of parallel calls or results is one (PV-A42). */
export function positionsOf(request: Obj): Position[] {
  const out: Position[] = [];
  let hash = `model ${String(request['model'])}`;
  let upTo = 0;
  const push = (v: unknown, join: boolean): void => {
    hash = createHash('sha256')
      .update(`${hash}\n${JSON.stringify(unmarked(v))}`)
      .digest('hex');
    upTo += sizeOf(v);
    const ttl = ttlOf(v) ?? (join ? out.at(-1)?.ttl : undefined);
    if (join) out.pop();
    out.push({ hash, upTo, ...(ttl === undefined ? {} : { ttl }) });
  };
  for (const t of objs(request['tools'])) push(t, false);
  for (const b of blocks(request['system'])) push(b, false);
  // What changes the last tier only (PV-A41).
  hash += JSON.stringify([request['tool_choice'], request['thinking'], request['output_config']]);
  for (const m of objs(request['messages'])) {
    let before = '';
    hash += String(m['role']);
    for (const b of blocks(m['content'])) {
      const type = isObj(b) ? (str(b['type']) ?? '') : '';
      push(b, GROUPED.has(type) && type === before);
      before = type;
    }
  }
  const last = out.at(-1);
  if (last !== undefined && isObj(request['cache_control'])) {
    last.ttl ??= request['cache_control']['ttl'] === '1h' ? '1h' : '5m';
  }
  return out;
}

/** Reads and writes the cache for one request. Below `minTokens` nothing is cached and nothing is said (PV-A43). */
export function useCache(cache: PromptCache, request: Obj, minTokens: number): CacheUsage {
  const positions = positionsOf(request);
  const total = positions.at(-1)?.upTo ?? 0;
  const marks = positions.flatMap((p, i) => (p.ttl !== undefined && p.upTo >= minTokens ? [i] : []));
  let read = 0;
  for (const i of marks) {
    for (let k = i; k >= 0 && k > i - LOOK_BACK; k--) {
      const p = positions[k]!;
      if (p.upTo > read && cache.read(p.hash)) {
        read = p.upTo;
        break;
      }
    }
  }
  const usage: CacheUsage = { read, write5m: 0, write1h: 0, uncached: total - read };
  let from = read;
  for (const i of marks) {
    const p = positions[i]!;
    if (p.upTo <= read) continue;
    cache.write(p.hash, TTL_MS[p.ttl!]);
    usage[p.ttl === '1h' ? 'write1h' : 'write5m'] += p.upTo - from;
    usage.uncached -= p.upTo - from;
    from = p.upTo;
  }
  return usage;
}

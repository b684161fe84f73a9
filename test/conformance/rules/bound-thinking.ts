// PV-A25 and PV-A26: on AB models a thinking block is valid only behind the prefix that it was produced from. Pure.
import { isObj, type Obj, objs } from '../types.js';
import { blocksOf, typeOf, type Violation } from './violation.js';

function isThinking(b: Obj): boolean {
  return typeOf(b) === 'thinking' || typeOf(b) === 'redacted_thinking';
}

function keyOf(b: Obj): string {
  return String(b['signature'] ?? b['data']);
}

/** Comparison text: thinking blocks, cache marks and key order do not count; a string is one text block. */
function plain(v: unknown): unknown {
  if (Array.isArray(v)) return v.filter((x) => !(isObj(x) && isThinking(x))).map(plain);
  if (!isObj(v)) return v;
  const out: Obj = {};
  for (const k of Object.keys(v).sort()) {
    if (k === 'cache_control') continue;
    const x = v[k];
    out[k] = k === 'content' && typeof x === 'string' && 'role' in v ? [{ text: x, type: 'text' }] : plain(x);
  }
  return out;
}

/** What a block is bound to: system, the tools that are not deferred, and the messages before `index`. */
export function boundPrefix(request: Obj, index: number): string {
  const list = objs(request['messages']).slice(0, index);
  const tools = objs(request['tools']).filter((t) => t['defer_loading'] !== true);
  return JSON.stringify([plain(request['system'] ?? null), plain(tools), list.map(plain)]);
}

interface Placed {
  key: string;
  message: number;
  path: string;
}

export function thinkingOf(request: Obj): Placed[] {
  return objs(request['messages']).flatMap((m, message) =>
    blocksOf(m, `/messages/${message}`)
      .filter((b) => isThinking(b.block))
      .map((b) => ({ key: keyOf(b.block), message, path: b.path })),
  );
}

/** What the request that produced a block carried: the prefix, and the blocks in order. */
interface Origin {
  prefix: string;
  before: string[];
}

/** For each block seen so far: where it comes from; undefined where that is not known. */
function origins(requests: readonly Obj[]): Map<string, Origin | undefined> {
  const out = new Map<string, Origin | undefined>();
  requests.forEach((r, k) => {
    const before = requests[k - 1];
    for (const b of thinkingOf(r)) {
      if (out.has(b.key)) continue;
      // A block that was not in the request before is its answer, if that request ends where the block's message begins.
      const n = objs(before?.['messages']).length;
      const known = before !== undefined && n === b.message;
      const list = known ? thinkingOf(before).map((x) => x.key) : [];
      out.set(b.key, known ? { prefix: boundPrefix(before, n), before: list } : undefined);
    }
  });
  return out;
}

/** Violations in `request` given the earlier requests of the same session, oldest first. */
export function boundThinking(request: Obj, earlier: readonly Obj[]): Violation[] {
  const all = [...earlier, request];
  const known = origins(all);
  const now = thinkingOf(request);
  for (const b of now) {
    const want = known.get(b.key)?.prefix;
    if (want !== undefined && boundPrefix(request, b.message) !== want) {
      return [
        {
          rule: 'PV-A25',
          path: b.path,
          message: 'Invalid signature, the block is bound to a different conversation',
        },
      ];
    }
  }
  return gapRule(now, known, earlier.at(-1));
}

/**
 * PV-A26: what is kept before a block is an unbroken run of the blocks that it was produced behind, up to the newest of them, and
 * nothing that was removed comes back. What was removed from the end, and for good, is no gap for what is thought later.
 */
function gapRule(
  now: readonly Placed[],
  known: ReadonlyMap<string, Origin | undefined>,
  before: Obj | undefined,
): Violation[] {
  const sequence = [...known.keys()];
  for (let i = 1; i < now.length; i++) {
    const origin = known.get(now[i]!.key);
    if (origin === undefined) continue;
    const kept = now.filter((b) => b.message < now[i]!.message).map((b) => b.key);
    const run = kept.length === 0 ? [] : origin.before.slice(-kept.length);
    if (kept.length > 0 && kept.join() !== run.join()) {
      return [
        { rule: 'PV-A26', path: now[i]!.path, message: 'a gap in the thinking blocks before this one' },
      ];
    }
  }
  if (before === undefined) return [];
  const kept = new Set(thinkingOf(before).map((b) => b.key));
  const newest = Math.max(-1, ...thinkingOf(before).map((b) => sequence.indexOf(b.key)));
  const back = now.find((b) => !kept.has(b.key) && sequence.indexOf(b.key) <= newest);
  return back === undefined
    ? []
    : [{ rule: 'PV-A26', path: back.path, message: 'a removed thinking block came back' }];
}

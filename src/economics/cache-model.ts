// What the provider holds cached, as far as we can tell: breakpoints with one clock each.
// Pure; positions and token counts are handed in, so each step costs what the request's marks cost, not its length.
import { NO_TOKENS, type TokenClasses } from './cost.js';

/** How a provider caches (PV-A38..A44, PV-C10, PV-C11, PV-S11). */
export interface CacheRules {
  /** `marks`: only where the request says so. `automatic`: any equal prefix. `none`: never. */
  kind: 'marks' | 'automatic' | 'none';
  /** Shorter prefixes are not cached. */
  minTokens: number;
  /** A read looks back so many positions from each mark, the mark's own included. */
  lookBack: number;
  /** Life of an entry from the start of the request that wrote or read it, in milliseconds; a mark may say otherwise. */
  ttl: number;
  /** Cached length is a multiple of this. */
  step: number;
  /** Writing costs more than plain input. */
  writeFee: boolean;
}

const MINUTE = 60_000;

export const CACHE_RULES = {
  anthropic: { kind: 'marks', minTokens: 1024, lookBack: 20, ttl: 5 * MINUTE, step: 1, writeFee: true },
  openai: { kind: 'automatic', minTokens: 1024, lookBack: 0, ttl: 30 * MINUTE, step: 1, writeFee: true },
  openaiOld: { kind: 'automatic', minTokens: 1024, lookBack: 0, ttl: 5 * MINUTE, step: 128, writeFee: false },
  local: { kind: 'automatic', minTokens: 16, lookBack: 0, ttl: 60 * MINUTE, step: 16, writeFee: false },
  none: { kind: 'none', minTokens: 0, lookBack: 0, ttl: 0, step: 1, writeFee: false },
} as const satisfies Record<string, CacheRules>;

/** A cache mark of a request. Positions count blocks from 0 over tools, system and messages. */
export interface Mark {
  position: number;
  /** Tokens of the prefix that ends here, this block included. */
  tokens: number;
  /** Milliseconds; absent: the rules' own. */
  ttl?: number;
}

/** A prefix that was written or read. */
export interface CacheEntry {
  position: number;
  tokens: number;
  ttl: number;
  /** Start of the request that used it last, epoch ms. */
  usedAt: number;
}

export interface CacheState {
  readonly entries: readonly CacheEntry[];
  /** Anything known at all: a mark or a usage report was seen. */
  readonly known: boolean;
}

export const EMPTY_CACHE: CacheState = { entries: [], known: false };

/** Entries that are kept; more than any look-back can reach from four marks. */
const MAX_ENTRIES = 64;
const HOUR = 3_600_000;

/** The next request as the cache sees it. */
export interface PlannedRequest {
  /** Start, epoch ms; absent: age unknown, which counts as warm. */
  at?: number;
  /** Tokens of the whole prompt. */
  tokens: number;
  /** Blocks of the whole prompt. */
  positions: number;
  /** Leading blocks that are byte-identical to the request before, and their tokens. */
  unchangedPositions: number;
  unchangedTokens: number;
  marks: readonly Mark[];
}

export interface CachePrediction {
  classes: TokenClasses;
  /** State after the request. */
  next: CacheState;
  /** `cold`: there was a usable entry, but its time was over. `none`: there was no usable entry. */
  age: 'warm' | 'cold' | 'unknown' | 'none';
}

function alive(e: CacheEntry, at: number | undefined): boolean {
  return at === undefined || at - e.usedAt < e.ttl;
}

/** What the request will read, write and pay in full, and what is cached after it. */
export function predictCache(state: CacheState, rules: CacheRules, p: PlannedRequest): CachePrediction {
  const at = p.at;
  const same = state.entries.filter(
    (e) => e.position < p.unchangedPositions && e.tokens <= p.unchangedTokens,
  );
  const usable = same.filter((e) => alive(e, at) && e.tokens >= rules.minTokens);
  const prediction =
    rules.kind === 'marks'
      ? withMarks(usable, rules, p)
      : rules.kind === 'automatic'
        ? automatic(state, rules, p)
        : { classes: { ...NO_TOKENS, uncached: p.tokens }, entries: [] as CacheEntry[] };
  const read = prediction.classes.read > 0;
  const age = read ? (at === undefined ? 'unknown' : 'warm') : same.length > 0 ? 'cold' : 'none';
  return {
    classes: prediction.classes,
    next: {
      entries: prediction.entries.slice(-MAX_ENTRIES),
      known: state.known || p.marks.length > 0,
    },
    age,
  };
}

function withMarks(
  usable: readonly CacheEntry[],
  rules: CacheRules,
  p: PlannedRequest,
): { classes: TokenClasses; entries: CacheEntry[] } {
  const used = new Map<number, CacheEntry>(usable.map((e) => [e.position, e]));
  const now = p.at ?? Math.max(0, ...usable.map((e) => e.usedAt));
  let read = 0;
  for (const mark of p.marks) {
    const hit = usable
      .filter((e) => e.position <= mark.position && e.position > mark.position - rules.lookBack)
      .reduce<CacheEntry | undefined>((a, e) => (a === undefined || e.tokens > a.tokens ? e : a), undefined);
    if (hit === undefined) continue;
    read = Math.max(read, hit.tokens);
    used.set(hit.position, { ...hit, usedAt: now });
  }
  // Tokens between two marks are written for the life of the later one.
  let from = read;
  let write5m = 0;
  let write1h = 0;
  for (const mark of [...p.marks].sort((a, b) => a.tokens - b.tokens)) {
    if (mark.tokens < rules.minTokens) continue;
    const ttl = mark.ttl ?? rules.ttl;
    const fresh = Math.max(0, mark.tokens - from);
    if (ttl >= HOUR) write1h += fresh;
    else write5m += fresh;
    from = Math.max(from, mark.tokens);
    used.set(mark.position, { position: mark.position, tokens: mark.tokens, ttl, usedAt: now });
  }
  return {
    classes: { uncached: p.tokens - read - write5m - write1h, read, write5m, write1h, output: 0 },
    entries: [...used.values()].sort((a, b) => a.position - b.position),
  };
}

function automatic(
  state: CacheState,
  rules: CacheRules,
  p: PlannedRequest,
): { classes: TokenClasses; entries: CacheEntry[] } {
  // Any equal prefix of an earlier request counts, so what an edit left unchanged is still there.
  const last = state.entries[state.entries.length - 1];
  let read = 0;
  if (last !== undefined && alive(last, p.at)) {
    read = Math.min(last.tokens, p.unchangedTokens);
    read -= read % rules.step;
    if (read < rules.minTokens) read = 0;
  }
  const rest = p.tokens - read;
  const written = rules.writeFee && p.tokens >= rules.minTokens ? rest : 0;
  const entry: CacheEntry = {
    position: p.positions - 1,
    tokens: p.tokens,
    ttl: p.marks[0]?.ttl ?? rules.ttl,
    usedAt: p.at ?? last?.usedAt ?? 0,
  };
  return {
    classes: { uncached: rest - written, read, write5m: written, write1h: 0, output: 0 },
    entries: p.tokens >= rules.minTokens ? [entry] : [],
  };
}

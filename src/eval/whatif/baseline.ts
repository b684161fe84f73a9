// What the session used as it was: the provider's reports where there are any, else our count under the provider's cache
// rules. With that, how our tokens relate to the provider's. Pure.
import {
  type CacheRules,
  type CacheState,
  EMPTY_CACHE,
  predictCache,
  promptTokens,
  type TokenClasses,
  tariffOf,
} from '../../economics/index.js';
import { DEFAULT_MODEL } from '../bill.js';
import { answerTokens, type MeasuredSession } from './measured.js';

export interface Baseline {
  /** One per request. */
  classes: TokenClasses[];
  recorded: boolean[];
  rules: CacheRules;
  /** Provider's tokens per token of ours. */
  scale: number;
  /** Provider's tokens before the first message that the log does not show: prompts and tools of the agent. */
  overhead: number;
  /** The session reads or writes a cache at all. */
  caches: boolean;
  /** Its writes live an hour. */
  hour: boolean;
}

/** Bounds of the scale; outside of them the log lacks messages or holds too many. */
const SCALE = { least: 0.8, most: 1.6 } as const;
/** Growth in tokens from which the scale can be told. */
const ENOUGH = 2000;

/** @param now day of the rules where the log has no times, epoch ms */
export function baselineOf(m: MeasuredSession, now: number): Baseline {
  const { logged, profile } = m;
  const { rules } = tariffOf({
    format: logged.format,
    model: logged.model ?? DEFAULT_MODEL[logged.format],
    at: logged.requests[0]?.at ?? now,
    selfHosted: profile.modelClass === 'SH',
    minCacheTokens: profile.minCacheTokens,
  });
  const recorded = logged.requests.map((r) => r.usage !== undefined && promptTokens(r.usage) > 0);
  const classes: TokenClasses[] = [];
  let state: CacheState = EMPTY_CACHE;
  for (const [i, request] of logged.requests.entries()) {
    const prompt = m.before[request.carried]!;
    const sent = i === 0 ? 0 : logged.requests[i - 1]!.carried;
    const { classes: predicted, next } = predictCache(state, rules, {
      ...(request.at === undefined ? {} : { at: request.at }),
      tokens: prompt,
      positions: 2 + m.blocks[request.carried]!,
      unchangedPositions: i === 0 ? 0 : 2 + m.blocks[sent]!,
      unchangedTokens: i === 0 ? 0 : m.before[sent]!,
      marks:
        rules.kind === 'marks'
          ? [sent, request.carried].map((n) => ({ position: 1 + m.blocks[n]!, tokens: m.before[n]! }))
          : [],
    });
    state = next;
    classes.push(recorded[i] ? request.usage! : { ...predicted, output: answerTokens(m, i) });
  }
  const { scale, overhead } = relation(m, recorded);
  return {
    classes,
    recorded,
    rules,
    scale,
    overhead,
    caches: classes.some((c) => c.read + c.write5m + c.write1h > 0),
    hour: classes.some((c) => c.write1h > 0),
  };
}

/** From the growth of the prompts: what lies before the first message cancels out. */
function relation(m: MeasuredSession, recorded: readonly boolean[]): { scale: number; overhead: number } {
  const { requests } = m.logged;
  const first = recorded.indexOf(true);
  const last = recorded.lastIndexOf(true);
  if (first < 0) return { scale: 1, overhead: 0 };
  const ours = (i: number) => m.before[requests[i]!.carried]!;
  const theirs = (i: number) => promptTokens(requests[i]!.usage!);
  const grown = ours(last) - ours(first);
  const told = grown >= ENOUGH ? (theirs(last) - theirs(first)) / grown : 1;
  const scale = Math.min(SCALE.most, Math.max(SCALE.least, told));
  return { scale, overhead: Math.max(0, theirs(first) - scale * ours(first)) };
}

/** A request that read much less than the one before had left in the cache. */
export interface CacheBreak {
  request: number;
  why: 'idle' | 'model' | 'prefix';
  /** Provider's tokens that were paid for again. */
  tokens: number;
}

/** Smaller misses are rounding, or the last block that is never cached. */
const BREAK = { tokens: 1024, share: 0.1 } as const;

export function breaksOf(m: MeasuredSession, b: Baseline): CacheBreak[] {
  const { requests } = m.logged;
  const found: CacheBreak[] = [];
  for (let i = 1; i < requests.length; i++) {
    const before = b.classes[i - 1]!;
    const left = before.read + before.write5m + before.write1h;
    const lost = Math.min(left, promptTokens(b.classes[i]!)) - b.classes[i]!.read;
    if (lost < Math.max(BREAK.tokens, BREAK.share * left)) continue;
    const gap = (requests[i]!.at ?? 0) - (requests[i - 1]!.at ?? 0);
    const ttl = b.hour ? 3_600_000 : b.rules.ttl;
    const why = requests[i]!.model !== requests[i - 1]!.model ? 'model' : gap > ttl ? 'idle' : 'prefix';
    found.push({ request: i, why, tokens: lost });
  }
  return found;
}

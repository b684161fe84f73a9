// One logged session as it was and under each preset: a report of this session alone. Pure but for the counter it is handed;
// what it takes and gives can cross a thread.
import {
  lookupPrice,
  type PriceRow,
  promptTokens,
  ratiosOf,
  requestCost,
  type TokenClasses,
} from '../../economics/index.js';
import type { CountText } from '../tally.js';
import { type Baseline, baselineOf, breaksOf } from './baseline.js';
import type { LoggedSession } from './logged.js';
import { findNames, type MeasuredSession, measure } from './measured.js';
import { type PlayedLog, playLog } from './play-log.js';
import { referencesOf } from './references.js';
import {
  addClasses,
  addMoney,
  countedAsInput,
  newReport,
  type PresetReport,
  WHATIF_PRESETS,
  type WhatIfReport,
} from './report.js';
import { Retention } from './retention.js';
import { addSpread } from './spread.js';

export interface JudgeOptions {
  /** Exact tokens of a text. */
  count: CountText;
  /** Day of the prices where a log has no times, epoch ms. */
  now: number;
  /** False: only what was used, no preset is played. Default true. */
  plays?: boolean;
}

export async function judge(logged: LoggedSession, options: JudgeOptions): Promise<WhatIfReport> {
  const r = newReport();
  const o = { ...options, count: remembering(options.count) };
  const m = measure(logged, o.count);
  const b = baselineOf(m, o.now);
  const prices = pricesOf(logged, o.now);
  r.sessions = logged.isPart ? 0 : 1;
  r.requests = logged.requests.length;
  sumBaseline(r, logged, b, prices);
  addSpread(r, m);
  const own = addBreaks(r, m, b, prices);
  if (o.plays === false) return r;
  r.played = { sessions: r.sessions, requests: r.requests };
  findNames(m);
  const references = referencesOf(m);
  const needed = references.reduce((n, names) => n + names.length, 0);
  for (const preset of WHATIF_PRESETS) r.presets[preset].names.needed = needed;
  r.presets.off.names.kept = needed;
  addArm(r.presets.off, b.classes, prices, own);
  for (const preset of WHATIF_PRESETS) {
    if (preset === 'off') continue;
    const retention = new Retention(m);
    const played = await playLog(m, b, {
      ...o,
      preset,
      onRequest: ({ index, decider }) =>
        retention.take(index, references[index] ?? [], (name) => decider.shows(name)),
    });
    r.presets[preset].names.kept = retention.needles.kept;
    addPlayed(r.presets[preset], played, prices, own);
  }
  return r;
}

function sumBaseline(
  r: WhatIfReport,
  logged: LoggedSession,
  b: Baseline,
  prices: readonly (PriceRow | undefined)[],
): void {
  const unpriced = new Set<string>();
  for (const [i, request] of logged.requests.entries()) {
    if (!b.recorded[i]) r.counted_requests++;
    if (prices[i] === undefined) {
      r.unpriced_requests++;
      unpriced.add(request.model ?? logged.model ?? '');
    } else r.cost = addMoney(r.cost, requestCost(prices[i]!, b.classes[i]!));
    addClasses(r.totals, b.recorded[i] ? b.classes[i]! : countedAsInput(b.classes[i]!));
  }
  r.unpriced_models = [...unpriced];
}

/** @returns how often the cache broke without any preset */
function addBreaks(
  r: WhatIfReport,
  m: MeasuredSession,
  b: Baseline,
  prices: readonly (PriceRow | undefined)[],
): number {
  const found = breaksOf(m, b);
  for (const { request, why, tokens } of found) {
    const sum = r.breaks[why];
    sum.times++;
    sum.tokens += tokens;
    sum.cost = addMoney(sum.cost, rewriteCost(prices[request], b.classes[request]!, tokens));
  }
  return found.length;
}

function addPlayed(
  p: PresetReport,
  played: PlayedLog,
  prices: readonly (PriceRow | undefined)[],
  own: number,
): void {
  p.cleared = played.decisions.get('memory.tool_result_cleared') ?? 0;
  p.refused = played.refused;
  const edits = played.rewritten.filter((t) => t > 0).length;
  addArm(p, played.classes, prices, own + edits, played.rewritten);
}

function addArm(
  p: PresetReport,
  classes: readonly TokenClasses[],
  prices: readonly (PriceRow | undefined)[],
  breaks: number,
  rewritten?: readonly number[],
): void {
  p.cache_breaks += breaks;
  for (const [i, c] of classes.entries()) {
    addClasses(p, c);
    const row = prices[i];
    if (row !== undefined) p.cost = addMoney(p.cost, requestCost(row, c));
    const again = rewritten?.[i] ?? 0;
    p.rewritten_tokens += again;
    if (again > 0) p.rewrite_cost = addMoney(p.rewrite_cost, rewriteCost(row, c, again));
  }
}

/** Price row of each request, by its model and day. */
export function pricesOf(logged: LoggedSession, now: number): (PriceRow | undefined)[] {
  const known = new Map<string, PriceRow | undefined>();
  return logged.requests.map((request) => {
    const at = request.at ?? now;
    const model = request.model ?? logged.model ?? '';
    const key = `${model} ${Math.floor(at / 86_400_000)}`;
    if (!known.has(key)) known.set(key, lookupPrice(model, at));
    return known.get(key);
  });
}

/** USD that writing cached tokens again cost more than reading them. */
function rewriteCost(row: PriceRow | undefined, c: TokenClasses, tokens: number): number | undefined {
  if (row === undefined) return undefined;
  const { r, w } = ratiosOf(row, promptTokens(c), c.write1h > c.write5m ? '1h' : '5m');
  const tier = row.tier !== undefined && promptTokens(c) > row.tier.above ? row.tier.input : 1;
  return (tokens * (w - r) * row.input * tier) / 1e6;
}

/** Each preset counts the same texts. */
export function remembering(count: CountText): CountText {
  const known = new Map<string, number>();
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) {
      tokens = count(text);
      known.set(text, tokens);
    }
    return tokens;
  };
}

// Logs in, report out: each session as it was and under each preset, summed. Holds one session at a time.
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
import { type MeasuredSession, measure } from './measured.js';
import { playLog } from './play-log.js';
import { newRun, readLog } from './read-log.js';
import { referencesOf } from './references.js';
import {
  addClasses,
  addMoney,
  countedAsInput,
  newReport,
  type PresetReport,
  promptOf,
  WHATIF_PRESETS,
  type WhatIfReport,
} from './report.js';
import { Spread } from './spread.js';

export interface WhatIfOptions {
  /** Exact tokens of a text. */
  count: CountText;
  /** Day of the prices where a log has no times, epoch ms. */
  now: number;
  onSession?: (session: LoggedSession, bytes: number) => void;
}

/** Rejects only when a file cannot be read. */
export async function whatIf(files: readonly string[], o: WhatIfOptions): Promise<WhatIfReport> {
  const sum = new Sum(o);
  const run = newRun();
  for (const file of files) {
    for await (const session of readLog(file, run)) {
      o.onSession?.(session, run.counts.bytes);
      await sum.add(session);
    }
  }
  return sum.report({ files: files.length, ...run.counts });
}

class Sum {
  readonly #o: WhatIfOptions;
  readonly #report = newReport();
  readonly #spread = new Spread();
  readonly #unpriced = new Set<string>();

  constructor(o: WhatIfOptions) {
    this.#o = o;
  }

  async add(logged: LoggedSession): Promise<void> {
    const r = this.#report;
    const o = { ...this.#o, count: remembering(this.#o.count) };
    const m = measure(logged, o.count);
    const b = baselineOf(m, o.now);
    const prices = pricesOf(logged, o.now);
    if (!logged.isPart) r.sessions++;
    r.requests += logged.requests.length;
    for (const [i, request] of logged.requests.entries()) {
      if (!b.recorded[i]) r.counted_requests++;
      if (prices[i] === undefined) {
        r.unpriced_requests++;
        this.#unpriced.add(request.model ?? logged.model ?? '');
      }
      addClasses(r.totals, b.recorded[i] ? b.classes[i]! : countedAsInput(b.classes[i]!));
    }
    this.#spread.add(m);
    const own = this.#breaks(m, b, prices);
    const references = referencesOf(m);
    const needed = references.reduce((n, names) => n + names.length, 0);
    for (const preset of WHATIF_PRESETS) r.presets[preset].names.needed += needed;
    r.presets.off.names.kept += needed;
    this.#add(r.presets.off, b.classes, prices, own, undefined);
    for (const preset of WHATIF_PRESETS) {
      if (preset === 'off') continue;
      const played = await playLog(m, b, { ...o, preset, references });
      const p = r.presets[preset];
      p.cleared += cleared(played.decisions);
      p.refused += played.refused;
      p.names.kept += played.needles.kept;
      const edits = played.rewritten.filter((t) => t > 0).length;
      this.#add(p, played.classes, prices, own + edits, played.rewritten);
    }
  }

  report(counts: { files: number; lines: number; skipped: number; bytes: number }): WhatIfReport {
    const r = this.#report;
    const { off } = r.presets;
    for (const preset of WHATIF_PRESETS) {
      const p = r.presets[preset];
      p.saved_tokens = promptOf(off) - promptOf(p);
      if (p.cost === null || off.cost === null) continue;
      p.saved = off.cost - p.cost;
      p.saved_share = off.cost === 0 ? 0 : p.saved / off.cost;
    }
    r.kinds = Object.fromEntries([...this.#spread.kinds].sort((a, b) => b[1] - a[1]));
    r.tools = this.#spread.tools;
    r.unpriced_models = [...this.#unpriced].sort();
    return { ...r, ...counts };
  }

  #add(
    p: PresetReport,
    classes: readonly TokenClasses[],
    prices: readonly (PriceRow | undefined)[],
    breaks: number,
    rewritten: readonly number[] | undefined,
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

  /** @returns how often the cache broke without any preset */
  #breaks(m: MeasuredSession, b: Baseline, prices: readonly (PriceRow | undefined)[]): number {
    const found = breaksOf(m, b);
    for (const { request, why, tokens } of found) {
      const sum = this.#report.breaks[why];
      sum.times++;
      sum.tokens += tokens;
      sum.cost = addMoney(sum.cost, rewriteCost(prices[request], b.classes[request]!, tokens));
    }
    return found.length;
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

function cleared(decisions: ReadonlyMap<string, number>): number {
  return decisions.get('memory.tool_result_cleared') ?? 0;
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

// Reports of single sessions added up, in their order, so that the sums are the same whichever thread made them.
import { shareBootstrap, type Weighed } from '../stats.js';
import {
  addMoney,
  newReport,
  newToolShare,
  type PresetReport,
  promptOf,
  type ToolShare,
  type Totals,
  WHATIF_PRESETS,
  type WhatIfPreset,
  type WhatIfReport,
} from './report.js';

export class Sum {
  readonly #report = newReport();
  readonly #tools = new Map<string, ToolShare>();
  readonly #unpriced = new Set<string>();
  /** What each session saved, and of what. */
  readonly #savings: Record<WhatIfPreset, Weighed[]> = {
    off: [],
    conservative: [],
    balanced: [],
    aggressive: [],
  };

  add(part: WhatIfReport): void {
    const r = this.#report;
    r.sessions += part.sessions;
    r.requests += part.requests;
    r.counted_requests += part.counted_requests;
    r.unpriced_requests += part.unpriced_requests;
    for (const model of part.unpriced_models) this.#unpriced.add(model);
    addTotals(r.totals, part.totals);
    r.cost = addMoney(r.cost, part.cost ?? undefined);
    r.played.sessions += part.played.sessions;
    r.played.requests += part.played.requests;
    this.#keepSavings(part);
    for (const preset of WHATIF_PRESETS) addPreset(r.presets[preset], part.presets[preset]);
    for (const [kind, tokens] of Object.entries(part.kinds)) r.kinds[kind] = (r.kinds[kind] ?? 0) + tokens;
    for (const share of part.tools) this.#tool(share);
    for (const why of ['idle', 'model', 'prefix'] as const) {
      const { times, tokens, cost } = part.breaks[why];
      const sum = r.breaks[why];
      sum.times += times;
      sum.tokens += tokens;
      sum.cost = addMoney(sum.cost, cost ?? undefined);
    }
  }

  report(counts: { files: number; lines: number; skipped: number; bytes: number }): WhatIfReport {
    const r = this.#report;
    const { off } = r.presets;
    const isSample = r.played.requests < r.requests;
    for (const preset of WHATIF_PRESETS) {
      const p = r.presets[preset];
      p.saved_tokens = promptOf(off) - promptOf(p);
      if (p.cost === null || off.cost === null) continue;
      p.saved = off.cost - p.cost;
      p.saved_share = off.cost === 0 ? 0 : p.saved / off.cost;
      const interval = isSample && preset !== 'off' ? shareBootstrap(this.#savings[preset]) : undefined;
      if (interval !== undefined) p.saved_interval = { low: interval.low, high: interval.high };
    }
    r.kinds = Object.fromEntries(Object.entries(r.kinds).sort((a, b) => b[1] - a[1]));
    // By what their results cost over all requests, the most expensive first.
    r.tools = [...this.#tools.values()].sort((a, b) => b.carried - a.carried || (a.tool < b.tool ? -1 : 1));
    r.unpriced_models = [...this.#unpriced].sort();
    return { ...r, ...counts };
  }

  #keepSavings(part: WhatIfReport): void {
    const was = part.presets.off.cost;
    if (was === null) return;
    for (const preset of WHATIF_PRESETS) {
      const { cost } = part.presets[preset];
      if (cost !== null) this.#savings[preset].push({ sum: was - cost, weight: was });
    }
  }

  #tool(share: ToolShare): void {
    let sum = this.#tools.get(share.tool);
    if (sum === undefined) {
      sum = newToolShare(share.tool);
      this.#tools.set(share.tool, sum);
    }
    sum.results += share.results;
    sum.tokens += share.tokens;
    sum.carried += share.carried;
    sum.reread.results += share.reread.results;
    sum.reread.tokens += share.reread.tokens;
  }
}

function addPreset(sum: PresetReport, part: PresetReport): void {
  addTotals(sum, part);
  sum.cost = addMoney(sum.cost, part.cost ?? undefined);
  sum.cleared += part.cleared;
  sum.cache_breaks += part.cache_breaks;
  sum.rewritten_tokens += part.rewritten_tokens;
  sum.rewrite_cost = addMoney(sum.rewrite_cost, part.rewrite_cost ?? undefined);
  sum.refused += part.refused;
  sum.names.needed += part.names.needed;
  sum.names.kept += part.names.kept;
}

function addTotals(sum: Totals, part: Totals): void {
  sum.input += part.input;
  sum.cache_read += part.cache_read;
  sum.cache_write += part.cache_write;
  sum.output += part.output;
}

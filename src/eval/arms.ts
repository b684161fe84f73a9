// The same conversations under several presets (E-5): tokens, net cost, names kept, time to prepare; each against `off`
// per conversation, with intervals over the conversations.
import { promptTokens, requestCost } from '../economics/index.js';
import type { PresetName } from '../settings/index.js';
import { type Interval, pairedBootstrap, quantile } from './stats.js';
import type { CountText } from './tally.js';
import { type Baseline, baselineOf, breaksOf } from './whatif/baseline.js';
import { pricesOf, remembering } from './whatif/judge.js';
import type { LoggedSession } from './whatif/logged.js';
import { type MeasuredSession, measure } from './whatif/measured.js';
import { playLog } from './whatif/play-log.js';
import { newRun, readLog } from './whatif/read-log.js';
import { referencesOf } from './whatif/references.js';
import { addMoney } from './whatif/report.js';

/** Figures of one arm over one conversation, or over all. */
export interface ArmFigures {
  requests: number;
  /** Prompt tokens over all requests, the provider's where it reported any. */
  tokens: number;
  /** USD, cache reads and writes included; null without a price. */
  cost: number | null;
  needles: { needed: number; kept: number };
  cleared: number;
  compactions: number;
  cache_breaks: number;
  refused: number;
}

export interface Arm {
  preset: PresetName;
  total: ArmFigures;
  conversations: (ArmFigures & { id: string })[];
  /** Of llm.prepare, in this process, ms. */
  latency: { p50_ms: number | null; p95_ms: number | null };
  /** Share of off's tokens and cost that is saved, mean over the conversations. */
  saved_tokens: Interval | null;
  saved_cost: Interval | null;
}

export interface ArmsReport {
  schema_version: '1';
  seed: number;
  conversations: number;
  skipped: number;
  arms: Arm[];
}

export interface ArmsOptions {
  presets: readonly PresetName[];
  count: CountText;
  now: number;
  seed: number;
  onStep?: (what: string) => void;
}

export async function runArms(files: readonly string[], o: ArmsOptions): Promise<ArmsReport> {
  const run = newRun();
  const off = new Collected('off');
  const arms = o.presets.map((preset) => (preset === 'off' ? off : new Collected(preset)));
  for (const file of files) {
    for await (const logged of readLog(file, run)) {
      const count = remembering(o.count);
      const m = measure(logged, count);
      const b = baselineOf(m, o.now);
      const references = referencesOf(m);
      const needed = references.reduce((n, r) => n + r.length, 0);
      off.add(logged, figuresOf(m, b, b.classes, o.now, { needles: { needed, kept: needed } }));
      for (const arm of arms) {
        if (arm === off) continue;
        o.onStep?.(`${logged.id}, ${arm.preset}`);
        const played = await playLog(m, b, {
          count,
          now: o.now,
          preset: arm.preset,
          references,
          onRequest: (r) => arm.latencies.push(r.ms),
        });
        arm.add(
          logged,
          figuresOf(m, b, played.classes, o.now, {
            needles: played.needles,
            cleared: played.decisions.get('memory.tool_result_cleared') ?? 0,
            compactions: played.decisions.get('memory.compacted') ?? 0,
            cache_breaks: breaksOf(m, b).length + played.rewritten.filter((t) => t > 0).length,
            refused: played.refused,
          }),
        );
      }
    }
  }
  return {
    schema_version: '1',
    seed: o.seed,
    conversations: off.size,
    skipped: run.counts.skipped,
    arms: arms.map((arm) => arm.against(off, o.seed)),
  };
}

function figuresOf(
  m: MeasuredSession,
  b: Baseline,
  classes: Baseline['classes'],
  now: number,
  more: Partial<ArmFigures>,
): ArmFigures {
  const prices = pricesOf(m.logged, now);
  let cost: number | null = null;
  for (const [i, c] of classes.entries())
    cost = addMoney(cost, prices[i] === undefined ? undefined : requestCost(prices[i], c));
  return {
    requests: classes.length,
    tokens: classes.reduce((n, c) => n + promptTokens(c), 0),
    cost,
    needles: { needed: 0, kept: 0 },
    cleared: 0,
    compactions: 0,
    cache_breaks: breaksOf(m, b).length,
    refused: 0,
    ...more,
  };
}

/** One arm while it runs. */
class Collected {
  readonly preset: PresetName;
  readonly latencies: number[] = [];
  readonly #conversations = new Map<string, ArmFigures>();

  constructor(preset: PresetName) {
    this.preset = preset;
  }

  get size(): number {
    return this.#conversations.size;
  }

  /** Parts of one conversation are added up. */
  add(logged: LoggedSession, figures: ArmFigures): void {
    const id = logged.isPart ? logged.id.replace(/[#/][^#/]*$/, '') : logged.id;
    const sum = this.#conversations.get(id);
    this.#conversations.set(id, sum === undefined ? figures : together(sum, figures));
  }

  against(off: Collected, seed: number): Arm {
    const all = [...this.#conversations.values()];
    const sorted = [...this.latencies].sort((a, b) => a - b);
    const at = (q: number) => (sorted.length === 0 ? null : Math.round(quantile(sorted, q) * 100) / 100);
    const saved = (of: (f: ArmFigures) => number | null): Interval | null => {
      const shares: number[] = [];
      for (const [id, f] of this.#conversations) {
        const was = of(off.#conversations.get(id)!);
        const is = of(f);
        if (was !== null && is !== null && was > 0) shares.push(1 - is / was);
      }
      return pairedBootstrap(shares, { seed }) ?? null;
    };
    return {
      preset: this.preset,
      total: all.reduce(together, { ...EMPTY, needles: { ...EMPTY.needles } }),
      conversations: [...this.#conversations].map(([id, f]) => ({ id, ...f })),
      latency: { p50_ms: at(0.5), p95_ms: at(0.95) },
      saved_tokens: this === off ? null : saved((f) => f.tokens),
      saved_cost: this === off ? null : saved((f) => f.cost),
    };
  }
}

const EMPTY: ArmFigures = {
  requests: 0,
  tokens: 0,
  cost: null,
  needles: { needed: 0, kept: 0 },
  cleared: 0,
  compactions: 0,
  cache_breaks: 0,
  refused: 0,
};

function together(a: ArmFigures, b: ArmFigures): ArmFigures {
  return {
    requests: a.requests + b.requests,
    tokens: a.tokens + b.tokens,
    cost: b.cost === null ? a.cost : (a.cost ?? 0) + b.cost,
    needles: { needed: a.needles.needed + b.needles.needed, kept: a.needles.kept + b.needles.kept },
    cleared: a.cleared + b.cleared,
    compactions: a.compactions + b.compactions,
    cache_breaks: a.cache_breaks + b.cache_breaks,
    refused: a.refused + b.refused,
  };
}

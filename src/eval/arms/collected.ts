// One arm while it runs: its figures by conversation, and in the end what it saved against `off`, with intervals.
import { type Interval, pairedBootstrap, quantile } from '../stats.js';
import type { LoggedSession } from '../whatif/logged.js';
import { type ArmFigures, noFigures, together } from './figures.js';
import type { ArmResult, Point } from './play-arms.js';

export interface Arm {
  /** A preset's name, a configuration file's, or `native`. */
  preset: string;
  total: ArmFigures;
  conversations: (ArmFigures & { id: string })[];
  /** Of llm.prepare, in this process, ms. */
  latency: { p50_ms: number | null; p95_ms: number | null };
  /** Share of off's tokens and cost that is saved, mean over the conversations. */
  saved_tokens: Interval | null;
  saved_cost: Interval | null;
  /** Share of the needed names that is kept, less off's; mean over the conversations that need any. */
  kept_names: Interval | null;
}

export class Collected {
  readonly name: string;
  readonly #latencies: number[] = [];
  readonly #conversations = new Map<string, ArmFigures>();
  readonly #points = new Map<string, Point[]>();

  constructor(name: string) {
    this.name = name;
  }

  get size(): number {
    return this.#conversations.size;
  }

  /** Parts of one conversation are added up. */
  add(logged: LoggedSession, { figures, latencies, points }: ArmResult): void {
    const id = logged.isPart ? logged.id.replace(/[#/][^#/]*$/, '') : logged.id;
    const sum = this.#conversations.get(id);
    this.#conversations.set(id, sum === undefined ? figures : together(sum, figures));
    for (const ms of latencies) this.#latencies.push(ms);
    this.#points.set(id, [...(this.#points.get(id) ?? []), ...points]);
  }

  points(id: string): readonly Point[] {
    return this.#points.get(id) ?? [];
  }

  /** The conversation with the most prompt tokens; undefined of none. */
  get longest(): string | undefined {
    let most: [string, ArmFigures] | undefined;
    for (const entry of this.#conversations)
      if (most === undefined || entry[1].tokens > most[1].tokens) most = entry;
    return most?.[0];
  }

  against(off: Collected, seed: number): Arm {
    const all = [...this.#conversations.values()];
    const sorted = [...this.#latencies].sort((a, b) => a - b);
    const at = (q: number) => (sorted.length === 0 ? null : Math.round(quantile(sorted, q) * 100) / 100);
    const over = (of: (is: ArmFigures, was: ArmFigures) => number | undefined): Interval | null => {
      if (this === off) return null;
      const shares: number[] = [];
      for (const [id, f] of this.#conversations) {
        const share = of(f, off.#conversations.get(id)!);
        if (share !== undefined) shares.push(share);
      }
      return pairedBootstrap(shares, { seed }) ?? null;
    };
    return {
      preset: this.name,
      total: all.reduce(together, noFigures()),
      conversations: [...this.#conversations].map(([id, f]) => ({ id, ...f })),
      latency: { p50_ms: at(0.5), p95_ms: at(0.95) },
      saved_tokens: over((is, was) => saved(is.tokens, was.tokens)),
      saved_cost: over((is, was) => saved(is.cost, was.cost)),
      kept_names: over(({ needles: { needed, kept } }) => (needed === 0 ? undefined : kept / needed - 1)),
    };
  }
}

function saved(is: number | null, was: number | null): number | undefined {
  return is === null || was === null || was <= 0 ? undefined : 1 - is / was;
}

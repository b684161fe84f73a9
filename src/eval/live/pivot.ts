// Live pivots: an agent of the user's own at the same tasks under several arms, interleaved, so that what drifts drifts for
// all. Each arm has a daemon of its own. Pure but for what it is handed.

import { seeded } from '../../random.js';
import { SequentialTest, type Verdict } from '../sequential.js';
import { type Interval, isNonInferior, type McNemar, mcNemar, pairedBootstrap } from '../stats.js';
import type { Attempt } from './attempt.js';
import type { SessionBill } from './session-bill.js';
import type { Task } from './task.js';

export interface LiveTrial extends Omit<Attempt, 'output'> {
  task: string;
  arm: string;
  trial: number;
  /** By the provider's reports; null where none was told or no price is known. */
  tokens: number | null;
  cost: number | null;
}

export interface LiveArm {
  preset: string;
  attempts: number;
  successes: number;
  /** Against the first arm on the same tasks; null for the first arm itself. */
  against: {
    success: McNemar;
    /** Share of successes, this arm less the first. */
    difference: Interval | null;
    non_inferior: boolean;
    /** Share of the first arm's tokens and cost that is saved. */
    saved_tokens: Interval | null;
    saved_cost: Interval | null;
    verdict: Verdict;
  } | null;
}

export interface LiveReport {
  schema_version: '1';
  seed: number;
  margin: number;
  /** Every arm was told apart from the first, or found no worse, before all attempts were made. */
  stopped_early: boolean;
  arms: LiveArm[];
  trials: LiveTrial[];
}

export interface LiveOptions {
  tasks: readonly Task[];
  /** Names; the first is what the others are held against. */
  arms: readonly string[];
  trials: number;
  seed: number;
  /** Loss of success, as a share, that is acceptable. */
  margin: number;
  stopEarly: boolean;
  run: (task: Task, arm: string) => Promise<{ attempt: Attempt; bills: readonly SessionBill[] }>;
  onTrial?: (trial: LiveTrial) => void;
}

export async function livePivot(o: LiveOptions): Promise<LiveReport> {
  const next = seeded(o.seed);
  const trials: LiveTrial[] = [];
  const tests = new Map(
    o.arms.slice(1).map((arm) => [arm, new SequentialTest({ margin: o.margin, seed: o.seed })]),
  );
  let stopped = false;
  for (let trial = 1; trial <= o.trials && !stopped; trial++) {
    for (const task of o.tasks) {
      const round = new Map<string, LiveTrial>();
      for (const arm of shuffled(o.arms, next)) {
        const { attempt, bills } = await o.run(task, arm);
        const { output: _, ...rest } = attempt;
        const one: LiveTrial = { task: task.name, arm, trial, ...rest, ...usedBy(bills) };
        round.set(arm, one);
        o.onTrial?.(one);
      }
      for (const arm of o.arms) trials.push(round.get(arm)!);
      const base = round.get(o.arms[0]!)!.success ? 1 : 0;
      for (const [arm, test] of tests) test.add((round.get(arm)!.success ? 1 : 0) - base);
      stopped = o.stopEarly && tests.size > 0 && [...tests.values()].every((t) => t.verdict !== 'open');
      if (stopped) break;
    }
  }
  return {
    schema_version: '1',
    seed: o.seed,
    margin: o.margin,
    stopped_early: stopped,
    arms: o.arms.map((arm) => armOf(trials, arm, o, tests.get(arm)?.verdict)),
    trials,
  };
}

function armOf(
  trials: readonly LiveTrial[],
  arm: string,
  o: LiveOptions,
  verdict: Verdict | undefined,
): LiveArm {
  const own = trials.filter((t) => t.arm === arm);
  const base = trials.filter((t) => t.arm === o.arms[0]);
  const total = {
    preset: arm,
    attempts: own.length,
    successes: own.filter((t) => t.success).length,
  };
  if (verdict === undefined) return { ...total, against: null };
  const differences = own.map((t, i) => Number(t.success) - Number(base[i]!.success));
  const saved = (of: (t: LiveTrial) => number | null): Interval | null => {
    const shares: number[] = [];
    for (const [i, t] of own.entries()) {
      const [is, was] = [of(t), of(base[i]!)];
      if (is !== null && was !== null && was > 0) shares.push(1 - is / was);
    }
    return pairedBootstrap(shares, { seed: o.seed }) ?? null;
  };
  return {
    ...total,
    against: {
      success: mcNemar(
        base.map((t) => t.success),
        own.map((t) => t.success),
      ),
      difference: pairedBootstrap(differences, { seed: o.seed }) ?? null,
      non_inferior: isNonInferior(differences, o.margin, { seed: o.seed }),
      saved_tokens: saved((t) => t.tokens),
      saved_cost: saved((t) => t.cost),
      verdict,
    },
  };
}

function usedBy(bills: readonly SessionBill[]): { tokens: number | null; cost: number | null } {
  let tokens: number | null = null;
  let cost: number | null = null;
  for (const b of bills) {
    if (b.requests > 0) tokens = (tokens ?? 0) + b.tokens;
    if (b.cost !== null) cost = (cost ?? 0) + b.cost;
  }
  return { tokens, cost };
}

function shuffled(names: readonly string[], next: () => number): string[] {
  const list = [...names];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

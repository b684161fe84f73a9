// One logged session under every arm. Pure but for the counter it is handed and its own stop watch; what it takes and gives
// can cross a thread.
import type { CountText } from '../tally.js';
import { type Baseline, baselineOf, breaksOf } from '../whatif/baseline.js';
import { remembering } from '../whatif/judge.js';
import type { LoggedSession } from '../whatif/logged.js';
import { findNames, type MeasuredSession, measure } from '../whatif/measured.js';
import { playLog } from '../whatif/play-log.js';
import { type Reference, referencesOf } from '../whatif/references.js';
import { Retention } from '../whatif/retention.js';
import { resultsIn, sameCalls } from '../whatif/same-calls.js';
import { type ArmFigures, figuresOf } from './figures.js';
import { playNative } from './native-arm.js';
import { type ArmSpec, OFF } from './spec.js';
import { Survival } from './survival.js';

/** A request of an arm, as a plot shows it: tokens by section, and decisions taken since the one before. */
export interface Point {
  static: number;
  session: number;
  volatile: number;
  decisions: number;
}

export interface ArmResult {
  figures: ArmFigures;
  /** Of llm.prepare, ms; none where the arm has no such call. */
  latencies: number[];
  /** One per request; none where the arm's requests were not made. */
  points: Point[];
}

export interface PlayArmsOptions {
  count: CountText;
  now: number;
}

/** @returns one result per arm, in order */
export async function playArms(
  logged: LoggedSession,
  arms: readonly ArmSpec[],
  o: PlayArmsOptions,
): Promise<ArmResult[]> {
  const count = remembering(o.count);
  const m = measure(logged, count);
  const b = baselineOf(m, o.now);
  findNames(m);
  const references = referencesOf(m);
  const results: ArmResult[] = [];
  for (const arm of arms) {
    if (arm.name === OFF.name) results.push(untouched(m, b, references, o.now));
    else if (arm.kind === 'native')
      results.push({ figures: playNative(m, b, references, o.now), latencies: [], points: [] });
    else results.push(await played(m, b, references, arm, { ...o, count }));
  }
  return results;
}

/** As it was: nothing is lost, nothing decided. */
function untouched(
  m: MeasuredSession,
  b: Baseline,
  references: readonly (readonly Reference[])[],
  now: number,
): ArmResult {
  const retention = new Retention(m);
  for (const [i, names] of references.entries()) retention.take(i, names, () => true);
  const { needles, depths } = retention;
  const fixed = m.systemTokens + m.toolTokens;
  return {
    figures: figuresOf(m, b, b.classes, now, {
      needles,
      depths,
      rereads: { of: resultsIn(m), again: sameCalls(m).reduce((n, again) => n + again.length, 0) },
    }),
    latencies: [],
    points: m.logged.requests.map((r) => ({
      static: fixed,
      session: 0,
      volatile: m.before[r.carried]! - fixed,
      decisions: 0,
    })),
  };
}

async function played(
  m: MeasuredSession,
  b: Baseline,
  references: readonly (readonly Reference[])[],
  arm: Exclude<ArmSpec, { kind: 'native' }>,
  o: PlayArmsOptions,
): Promise<ArmResult> {
  const retention = new Retention(m);
  const survival = new Survival(m);
  const latencies: number[] = [];
  const points: Point[] = [];
  let decided = 0;
  const p = await playLog(m, b, {
    ...o,
    ...(arm.kind === 'preset' ? { preset: arm.preset } : { config: arm.config }),
    onRequest: ({ index, ms, decider }) => {
      latencies.push(ms);
      retention.take(index, references[index] ?? [], (r) => decider.shows(r));
      survival.take(index, decider.decisions.get('memory.compacted') ?? 0, (name) => decider.holds(name));
      const all = total(decider.decisions);
      points.push({ ...decider.sections, decisions: all - decided });
      decided = all;
    },
  });
  const of = (type: string): number => p.decisions.get(type) ?? 0;
  return {
    figures: figuresOf(m, b, p.classes, o.now, {
      needles: retention.needles,
      depths: retention.depths,
      cleared: of('memory.tool_result_cleared'),
      rereads: p.decider.rereads.cleared,
      compactions: of('memory.compacted'),
      survived: survival.names,
      cache_breaks: breaksOf(m, b).length + p.rewritten.filter((t) => t > 0).length,
      refused: p.refused,
    }),
    latencies,
    points,
  };
}

function total(decisions: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const n of decisions.values()) sum += n;
  return sum;
}

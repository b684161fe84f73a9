// The cost of a turn must not depend on how long the session is: CPU of the daemon per turn around turn 100 and around turn
// 10,000, with `return: "patch"` and `base`, as the client asks. A turn is prepare with 1.5 KB and a final turn.end. `--last N`
// compares turn N in place of turn 10,000. A patch without `base` tells every edit of the session, so it grows: measured
// beside it, up to turn 2,000.
import { daemonChild } from './daemon/child.js';
import { type LoadedSession, loadedSession, took, turnParams } from './daemon/load.js';
import { Wire } from './daemon/wire.js';
import { type BenchOptions, type BenchResult, machineLine, round } from './harness.js';

const SESSIONS = 2;
/** Turns before anything is measured, in sessions of their own. */
const WARM_TURNS = 300;
const EARLY = [100, 300] as const;
const LAST = 10_000;
const WINDOW = 200;
/** The last turn with patches that name no base. */
const PLAIN_LAST = 2_000;

export default async function run({ args }: BenchOptions): Promise<BenchResult> {
  const at = args.indexOf('--last');
  const last = at < 0 ? LAST : Number(args[at + 1]);
  const daemon = await daemonChild({ limits: { turn_messages: 1_000_000 } });
  try {
    const wire = await Wire.open(daemon.socket);
    const open = (name: string, holds: boolean) =>
      Promise.all(
        Array.from({ length: SESSIONS }, (_, i) => loadedSession(wire, `${name}${i}`, { tokens: 0, holds })),
      );
    const turns = (sessions: readonly LoadedSession[], n: number) =>
      Promise.all(
        sessions.map(async (s) => {
          for (let i = 0; i < n; i++) {
            const answer = await wire.call('llm.prepare', turnParams(s));
            took(s, answer);
            await wire.call('turn.end', `{"session":"${s.id}"}`);
          }
        }),
      );
    const window = async (sessions: readonly LoadedSession[], [from, to]: readonly [number, number]) => {
      await turns(sessions, from - sessions[0]!.rounds);
      await daemon.collected();
      const before = await daemon.gauge();
      await turns(sessions, to - from);
      const after = await daemon.gauge();
      const count = (to - from) * sessions.length;
      return {
        cpu: (after.cpuMicros - before.cpuMicros) / count,
        main: (after.mainMicros - before.mainMicros) / count,
      };
    };
    // The early turns come last: by then their code is as well compiled as that of the late ones.
    const between = async (name: string, end: number, holds: boolean) => {
      const late = await window(await open(`${name}-late`, holds), [end - WINDOW, end]);
      return { late, early: await window(await open(`${name}-early`, holds), EARLY) };
    };
    await turns(await open('warm', true), WARM_TURNS);
    const { early, late } = await between('flat', last, true);
    const plainLast = Math.min(last, PLAIN_LAST);
    const plain = await between('plain', plainLast, false);
    await wire.close();
    return {
      name: 'flatness',
      figures: {
        machine: machineLine(),
        cpu_us_turn_100: round(early.cpu),
        [`cpu_us_turn_${last}`]: round(late.cpu),
        [`cpu_ratio_turn_${last}_to_100`]: round(late.cpu / early.cpu),
        [`main_ratio_turn_${last}_to_100`]: round(late.main / early.main),
        [`cpu_ratio_turn_${plainLast}_to_100_without_base`]: round(plain.late.cpu / plain.early.cpu),
      },
    };
  } finally {
    await daemon.stop();
  }
}

// The same conversations under several arms (E-5): tokens, net cost, names kept, time to prepare; each against `off` per
// conversation, with intervals over the conversations.
import { inOrder } from '../in-order.js';
import { logWork } from '../log-work.js';
import type { LoggedSession } from '../whatif/logged.js';
import { newRun } from '../whatif/read-log.js';
import { type Arm, Collected } from './collected.js';
import type { ArmResult, Point } from './play-arms.js';
import { type ArmSpec, OFF } from './spec.js';

export { DEPTHS } from '../whatif/retention.js';
export { keptCells, savedCell } from './cells.js';
export type { Arm } from './collected.js';
export type { ArmFigures } from './figures.js';
export { type ArmResult, type Point, playArms } from './play-arms.js';
export { type ArmSpec, armOf, NATIVE, OFF } from './spec.js';

export interface ArmsReport {
  schema_version: '1';
  seed: number;
  /** ISO day of the prices of conversations without times. */
  day: string;
  conversations: number;
  skipped: number;
  arms: Arm[];
  /** The longest conversation, request by request, of each arm that made requests. */
  example: { id: string; arms: { name: string; points: readonly Point[] }[] } | null;
}

export interface ArmsOptions {
  arms: readonly ArmSpec[];
  /** Plays one session under all of these arms, here or on another thread. */
  play: (session: LoggedSession, arms: readonly ArmSpec[]) => Promise<ArmResult[]>;
  /** Text of sessions that may be played at once, UTF-16 units. Default 0: one after the other. */
  ahead?: number;
  seed: number;
  /** Day of the prices of conversations without times, epoch ms: the one that `play` was told. */
  now: number;
  /** A session was played; `bytes` of the files are read so far. */
  onSession?: (session: LoggedSession, bytes: number) => void;
}

/** Rejects when a file cannot be read or a session cannot be played. */
export async function runArms(files: readonly string[], o: ArmsOptions): Promise<ArmsReport> {
  const run = newRun();
  const off = new Collected(OFF.name);
  const specs = [OFF, ...o.arms.filter((a) => a.name !== OFF.name)];
  const all = specs.map((spec) => (spec === OFF ? off : new Collected(spec.name)));
  const work = logWork(files, run, { play: (session) => o.play(session, specs), onSession: o.onSession });
  for await (const { session, result } of inOrder(work, o.ahead ?? 0))
    for (const [i, one] of result.entries()) all[i]!.add(session, one);
  const shown = o.arms.map((a) => all[specs.findIndex((s) => s.name === a.name)]!);
  const id = off.longest;
  return {
    schema_version: '1',
    seed: o.seed,
    day: new Date(o.now).toISOString().slice(0, 10),
    conversations: off.size,
    skipped: run.counts.skipped,
    arms: shown.map((arm) => arm.against(off, o.seed)),
    example:
      id === undefined
        ? null
        : {
            id,
            arms: shown
              .map((arm) => ({ name: arm.name, points: arm.points(id) }))
              .filter((arm) => arm.points.length > 0),
          },
  };
}

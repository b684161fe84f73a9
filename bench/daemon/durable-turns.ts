// What durability costs a turn and the main loop: the same turns, one after the other, on a daemon whose every answer waits for the
// disk, one whose answers do not, and one that keeps its journal in memory. In turns, so that all share the machine's moods.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { round } from '../harness.js';
import { type DaemonChild, daemonChild } from './child.js';
import { type LoadedSession, loadedSession, quantile, turnParams } from './load.js';
import { Wire } from './wire.js';

const TURNS = 600;
const WARM = 100;
/** Turns of each session, so that histories stay near 50,000 tokens. */
const TURNS_A_SESSION = 100;

const KINDS = ['synced', 'unsynced', 'memory'] as const;
type Kind = (typeof KINDS)[number];

interface Side {
  daemon: DaemonChild;
  wire: Wire;
  session: LoadedSession | undefined;
  /** Milliseconds of each turn. */
  times: number[];
}

async function side(kind: Kind): Promise<Side> {
  const daemon = await daemonChild(
    kind === 'memory'
      ? { memory: true, watchLoop: true }
      : { watchLoop: true, config: `journal:\n  fsync: ${kind === 'synced' ? 'every-event' : 'none'}\n` },
  );
  return { daemon, wire: await Wire.open(daemon.socket), session: undefined, times: [] };
}

/**
 * @returns p50 and p99 of a turn (one `llm.prepare` that brings 1.5 KB) of each kind and of an fdatasync on the same disk, ms; what
 * the synced turns cost more; p99 of the delay of each daemon's main loop
 */
export async function durableTurns(): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'curated-bench-'));
  const sides = {} as Record<Kind, Side>;
  for (const kind of KINDS) sides[kind] = await side(kind);
  const fd = openSync(join(folder, 'fsync.log'), 'w');
  const bytes = Buffer.alloc(3 * 4096, 1);
  const fsyncs: number[] = [];
  try {
    for (let i = 0; i < TURNS + WARM; i++) {
      // What comes from here on is looked at by the last gauge.
      if (i === WARM) for (const s of Object.values(sides)) await s.daemon.gauge();
      for (const kind of KINDS) {
        const s = sides[kind];
        if (i % TURNS_A_SESSION === 0) s.session = await loadedSession(s.wire, `${kind}-${i}`);
        const params = turnParams(s.session!);
        const from = performance.now();
        await s.wire.call('llm.prepare', params);
        if (i >= WARM) s.times.push(performance.now() - from);
      }
      const from = performance.now();
      writeSync(fd, bytes);
      fdatasyncSync(fd);
      if (i >= WARM) fsyncs.push(performance.now() - from);
    }
    const figures: Record<string, number> = {};
    for (const [name, times] of [
      ...KINDS.map((k) => [k, sides[k].times] as const),
      ['fdatasync', fsyncs] as const,
    ])
      for (const q of [50, 99]) figures[`${name}_p${q}_ms`] = round(quantile(times, q / 100));
    for (const q of [50, 99]) {
      const [synced, unsynced, sync] = ['synced', 'unsynced', 'fdatasync'].map(
        (n) => figures[`${n}_p${q}_ms`]!,
      );
      figures[`synced_over_unsynced_and_fdatasync_p${q}_ms`] = round(synced! - unsynced! - sync!);
    }
    for (const kind of KINDS) {
      const { loopP99Micros } = await sides[kind].daemon.gauge();
      figures[`main_loop_p99_${kind}_ms`] = round(loopP99Micros / 1000);
    }
    figures['journal_adds_main_loop_p99_ms'] = round(
      figures['main_loop_p99_synced_ms']! - figures['main_loop_p99_memory_ms']!,
    );
    return figures;
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
    for (const s of Object.values(sides)) {
      await s.wire.close();
      await s.daemon.stop();
    }
  }
}

// Turns while summaries are being written: in other sessions by the built-in summariser, in the session of the turn itself by
// that and by a model that takes its time, and (`cores`) while another process makes the same extracts, which costs the cores
// and nothing of the daemon. Each kind in short blocks, each block beside a quiet one of as many turns on as many sessions,
// so that both share the machine's moods and the ages of their sessions.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { round } from '../harness.js';
import type { DaemonChild } from './child.js';
import {
  appendParams,
  codeText,
  type LoadedSession,
  loadedSession,
  prepareParams,
  quantile,
} from './load.js';
import { Wire } from './wire.js';

const BLOCKS = 24;
const WARM_BLOCKS = 2;
/** Turns of a block at most; a block beside built-in summaries ends with them. */
const TURNS = 30;
/** Sessions of 50,000 tokens whose summaries are begun at once, and how often in a block. */
const OTHERS = 3;
const BURSTS = 3;

type Kind = 'others' | 'same_built_in' | 'same_model' | 'cores';
const KINDS: readonly Kind[] = ['others', 'same_built_in', 'same_model', 'cores'];

/** What the turns of a kind took, and what they cost the daemon's main thread. Microseconds. */
interface Measured {
  times: number[];
  /** Main thread: ran, and was ready without a core. */
  ran: number;
  waited: number;
  /** The longest that the loop was late, by block. */
  delays: number[];
}

const none = (): Measured => ({ times: [], ran: 0, waited: 0, delays: [] });

/**
 * @returns by kind: p50 and p99 of its turns and of the quiet ones beside them in microseconds and their ratios, what a turn took
 * of the main thread, how long that was ready without a core, and how late its loop was
 */
export async function besideSummaries(
  daemon: DaemonChild,
  o: { blocks?: number; kinds?: readonly string[] } = {},
): Promise<Record<string, number>> {
  const kinds = KINDS.filter((k) => o.kinds?.includes(k) ?? true);
  const blocks = WARM_BLOCKS + (o.blocks ?? BLOCKS);
  const running = new Set<string>();
  const told = (method: string, text: string) => {
    if (!method.startsWith('memory.compact')) return;
    const session = /"session":"([^"]+)"/.exec(text)?.[1] ?? '';
    if (method !== 'memory.compaction.triggered' && method !== 'memory.compact.request')
      running.delete(session);
  };
  const asks: string[] = [];
  const wire = await Wire.open(daemon.socket, { told });
  const modelled = await Wire.open(daemon.socket, { told, asked: (id) => asks.push(id) });
  const burner = await extracts();
  const measured = new Map(kinds.map((k) => [k, { busy: none(), quiet: none() }]));
  /** Turns of a kind's last block: those of the quiet one beside it. */
  const lengths = new Map<Kind, number>();
  let sessions = 0;
  const load = async (w: Wire): Promise<LoadedSession> => {
    const s = await loadedSession(w, `s-${sessions++}`);
    await w.call('session.subscribe', `{"session":"${s.id}"}`);
    return s;
  };
  const compact = async (w: Wire, { id }: LoadedSession) => {
    running.add(id);
    await w.call('memory.compact', `{"session":"${id}"}`);
  };
  const turn = async (w: Wire, s: LoadedSession, into: number[]) => {
    const append = appendParams(s);
    const start = performance.now();
    await w.call('session.append', append);
    await w.call('llm.prepare', prepareParams(s, 'patch'));
    into.push((performance.now() - start) * 1000);
  };
  const over = async () => {
    while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  /** Runs turns and takes what they cost into `into`. */
  const watched = async (into: Measured | undefined, turns: (times: number[]) => Promise<void>) => {
    const times: number[] = [];
    const before = await daemon.gauge();
    await turns(times);
    const after = await daemon.gauge();
    if (into === undefined) return times.length;
    into.times.push(...times);
    into.ran += after.mainMicros - before.mainMicros;
    into.waited += after.mainWaitMicros - before.mainWaitMicros;
    into.delays.push(after.loopDelayMicros);
    return times.length;
  };

  const busy: Record<
    Kind,
    (w: Wire, s: LoadedSession, beside: LoadedSession[], times: number[]) => Promise<void>
  > = {
    others: async (w, s, beside, times) => {
      for (let n = 0; n < BURSTS; n++) {
        // Begun together, and not waited for: the turns are what runs meanwhile.
        const begun = beside.splice(0, OTHERS).map((other) => compact(w, other));
        do await turn(w, s, times);
        while (running.size > 0 && times.length < TURNS);
        await Promise.all(begun);
        await over();
      }
    },
    same_built_in: async (w, s, _beside, times) => {
      const begun = compact(w, s);
      do await turn(w, s, times);
      while (running.size > 0 && times.length < TURNS);
      await begun;
      await over();
    },
    same_model: async (w, s, _beside, times) => {
      await compact(w, s);
      while (times.length < TURNS) await turn(w, s, times);
      for (const id of asks.splice(0))
        modelled.answer(id, JSON.stringify({ text: codeText(4000, times.length), stop_reason: 'end_turn' }));
      await over();
    },
    cores: async (w, s, _beside, times) => {
      for (let n = 0; n < BURSTS; n++) {
        let done = false;
        const made = burner.make(OTHERS).then(() => {
          done = true;
        });
        do await turn(w, s, times);
        while (!done && times.length < TURNS);
        await made;
      }
    },
  };

  for (let b = 0; b < blocks; b++) {
    for (const kind of kinds) {
      const w = kind === 'same_model' ? modelled : wire;
      const at = b < WARM_BLOCKS ? undefined : measured.get(kind);
      const beside: LoadedSession[] = [];
      for (let i = 0; i < (kind === 'others' ? BURSTS * OTHERS : 0); i++) beside.push(await load(w));
      const [one, other] = [await load(w), await load(w)];
      const quiet = async (n: number) => {
        await watched(at?.quiet, async (times) => {
          while (times.length < n) await turn(w, other, times);
        });
      };
      // Now one, now the other is first: the collector still works on what loading the sessions left.
      if (b % 2 === 1) await quiet(lengths.get(kind)!);
      lengths.set(kind, await watched(at?.busy, (times) => busy[kind](w, one, beside, times)));
      if (b % 2 === 0) await quiet(lengths.get(kind)!);
    }
  }
  burner.stop();
  await wire.close();
  await modelled.close();
  return Object.fromEntries([...measured].flatMap(([kind, m]) => figuresOf(kind, m.busy, m.quiet)));
}

function figuresOf(kind: Kind, busy: Measured, quiet: Measured): [string, number][] {
  const figures: [string, number][] = [];
  for (const [name, q] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [a, b] = [quantile(busy.times, q), quantile(quiet.times, q)];
    figures.push(
      [`${kind}_${name}_us`, a],
      [`${kind}_quiet_${name}_us`, b],
      [`${kind}_${name}_ratio`, a / b],
    );
  }
  for (const [name, m] of [
    ['', busy],
    ['quiet_', quiet],
  ] as const) {
    const turns = m.times.length;
    figures.push(
      [`${kind}_${name}main_us_per_turn`, m.ran / turns],
      [`${kind}_${name}no_core_us_per_turn`, m.waited / turns],
      [`${kind}_${name}loop_delay_p50_us`, quantile(m.delays, 0.5)],
      [`${kind}_${name}loop_delay_max_us`, quantile(m.delays, 1)],
    );
  }
  return [...figures.map(([k, v]): [string, number] => [k, round(v)]), [`${kind}_turns`, busy.times.length]];
}

/** The process that makes extracts. */
async function extracts(): Promise<{ make(n: number): Promise<void>; stop(): void }> {
  const child = fork(fileURLToPath(new URL('./extracts.js', import.meta.url)));
  const next = () => new Promise<void>((resolve) => child.once('message', () => resolve()));
  await next();
  return {
    make: (n) => {
      const done = next();
      child.send(n);
      return done;
    },
    stop: () => child.disconnect(),
  };
}

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
import type { Span } from './spans.js';
import { Wire } from './wire.js';

const BLOCKS = 16;
const WARM_BLOCKS = 2;
/** Turns beside one burst of summaries at most; beside built-in ones they end with those. */
const TURNS = 60;
/** Sessions of 50,000 tokens whose summaries are begun at once, and how often in a block. */
const OTHERS = 3;
const BURSTS = 4;
/** Sessions of a block that are summarised one after the other, with turns in them meanwhile. */
const SAME = 4;
/** Bytes of a round's 4,000 that the model says: what a summary is made from. */
const SAID = 600;
/** Runs of the resampling that tells how far a ratio can be trusted. */
const RESAMPLED = 400;

type Kind = 'others' | 'same_built_in' | 'same_model' | 'cores';
const KINDS: readonly Kind[] = ['others', 'same_built_in', 'same_model', 'cores'];

/** What the turns of a kind took, and what they cost the daemon's main thread. Microseconds. */
interface Measured {
  /** Of each block. */
  blocks: number[][];
  /** Main thread: ran, and was ready without a core. */
  ran: number;
  waited: number;
  /** The longest that the loop was late, by block. */
  delays: number[];
  /** What the thread did at one stretch, where that was looked at. */
  spans: Span[];
}

const none = (): Measured => ({ blocks: [], ran: 0, waited: 0, delays: [], spans: [] });

/**
 * @param o.spans looks at what the main thread did at one stretch, which makes the turns slower
 * @returns by kind: p50, p95 and p99 of its turns and of the quiet ones beside them in microseconds and their ratios (that of p99
 * with the interval that nine in ten resamplings of the blocks give), what a turn took of the main thread, how long that was
 * ready without a core, how late its loop was, and its longest stretches
 */
export async function besideSummaries(
  daemon: DaemonChild,
  o: { blocks?: number; kinds?: readonly string[]; spans?: boolean } = {},
): Promise<Record<string, number | string>> {
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
    const s = await loadedSession(w, `s-${sessions++}`, { said: SAID });
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
  /** Runs turns and takes what they cost into `into`. @returns how many */
  const watched = async (into: Measured | undefined, turns: (times: number[]) => Promise<void>) => {
    const times: number[] = [];
    if (o.spans) await daemon.profile();
    const before = await daemon.gauge();
    await turns(times);
    const after = await daemon.gauge();
    const spans = o.spans ? await daemon.profiled() : [];
    if (into === undefined) return times.length;
    into.blocks.push(times);
    into.ran += after.mainMicros - before.mainMicros;
    into.waited += after.mainWaitMicros - before.mainWaitMicros;
    into.delays.push(after.loopDelayMicros);
    into.spans.push(...spans);
    return times.length;
  };
  /** Turns of a session until something is over. */
  const turnsUntil = async (w: Wire, s: LoadedSession, times: number[], ended: () => boolean) => {
    const most = times.length + TURNS;
    do await turn(w, s, times);
    while (!ended() && times.length < most);
  };

  const busy: Record<
    Kind,
    (w: Wire, own: LoadedSession[], beside: LoadedSession[], times: number[]) => Promise<void>
  > = {
    others: async (w, [s], beside, times) => {
      for (let n = 0; n < BURSTS; n++) {
        // Begun together, and not waited for: the turns are what runs meanwhile.
        const begun = beside.splice(0, OTHERS).map((other) => compact(w, other));
        await turnsUntil(w, s!, times, () => running.size === 0);
        await Promise.all(begun);
        await over();
      }
    },
    same_built_in: async (w, own, _beside, times) => {
      for (const s of own) {
        const begun = compact(w, s);
        await turnsUntil(w, s, times, () => running.size === 0);
        await begun;
        await over();
      }
    },
    same_model: async (w, [s], _beside, times) => {
      await compact(w, s!);
      await turnsUntil(w, s!, times, () => false);
      for (const id of asks.splice(0))
        modelled.answer(id, JSON.stringify({ text: codeText(4000, times.length), stop_reason: 'end_turn' }));
      await over();
    },
    cores: async (w, [s], _beside, times) => {
      for (let n = 0; n < BURSTS; n++) {
        let done = false;
        const made = burner.make(OTHERS).then(() => {
          done = true;
        });
        await turnsUntil(w, s!, times, () => done);
        await made;
      }
    },
  };
  const loaded = async (w: Wire, n: number): Promise<LoadedSession[]> => {
    const list: LoadedSession[] = [];
    while (list.length < n) list.push(await load(w));
    return list;
  };

  for (let b = 0; b < blocks; b++) {
    for (const kind of kinds) {
      const w = kind === 'same_model' ? modelled : wire;
      const at = b < WARM_BLOCKS ? undefined : measured.get(kind);
      const beside = await loaded(w, kind === 'others' ? BURSTS * OTHERS : 0);
      const sessions = kind === 'same_built_in' ? SAME : 1;
      const [own, others] = [await loaded(w, sessions), await loaded(w, sessions)];
      const quiet = async (n: number) => {
        await watched(at?.quiet, async (times) => {
          while (times.length < n) await turn(w, others[Math.floor((times.length * sessions) / n)]!, times);
        });
      };
      // Now one, now the other is first: the collector still works on what loading the sessions left.
      if (b % 2 === 1) await quiet(lengths.get(kind)!);
      lengths.set(kind, await watched(at?.busy, (times) => busy[kind](w, own, beside, times)));
      if (b % 2 === 0) await quiet(lengths.get(kind)!);
    }
  }
  burner.stop();
  await wire.close();
  await modelled.close();
  return Object.fromEntries([...measured].flatMap(([kind, m]) => figuresOf(kind, m.busy, m.quiet)));
}

function figuresOf(kind: Kind, busy: Measured, quiet: Measured): [string, number | string][] {
  const figures: [string, number][] = [];
  const [times, quietTimes] = [busy.blocks.flat(), quiet.blocks.flat()];
  for (const [name, q] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', P99],
  ] as const) {
    const [a, b] = [quantile(times, q), quantile(quietTimes, q)];
    figures.push(
      [`${kind}_${name}_us`, a],
      [`${kind}_quiet_${name}_us`, b],
      [`${kind}_${name}_ratio`, a / b],
    );
  }
  const ratios = resampled(busy.blocks, quiet.blocks);
  figures.push(
    [`${kind}_p99_ratio_from`, quantile(ratios, 0.05)],
    [`${kind}_p99_ratio_to`, quantile(ratios, 0.95)],
  );
  for (const [name, m] of [
    ['', busy],
    ['quiet_', quiet],
  ] as const) {
    const turns = m.blocks.flat().length;
    figures.push(
      [`${kind}_${name}main_us_per_turn`, m.ran / turns],
      [`${kind}_${name}no_core_us_per_turn`, m.waited / turns],
      [`${kind}_${name}loop_delay_p50_us`, quantile(m.delays, 0.5)],
      [`${kind}_${name}loop_delay_max_us`, quantile(m.delays, 1)],
    );
  }
  return [
    ...figures.map(([k, v]): [string, number] => [k, round(v)]),
    [`${kind}_turns`, times.length],
    ...spanFigures(kind, busy.spans),
    ...spanFigures(`${kind}_quiet`, quiet.spans),
  ];
}

const P99 = 0.99;

/** Ratios of p99 over as many blocks drawn again, a block with the quiet one beside it. */
function resampled(busy: readonly number[][], quiet: readonly number[][]): number[] {
  let state = 1;
  return Array.from({ length: RESAMPLED }, () => {
    const drawn = busy.map(() => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return (state >> 8) % busy.length;
    });
    const p99 = (blocks: readonly number[][]) =>
      quantile(
        drawn.flatMap((i) => blocks[i]!),
        P99,
      );
    return p99(busy) / p99(quiet);
  });
}

/** Stretches told by name, of those that came more than by chance. */
const NAMED = 8;
const MORE_THAN_CHANCE = 3;

/** The functions that took the longest stretches: how often, median and maximum. */
function spanFigures(kind: string, spans: readonly Span[]): [string, string][] {
  const by = new Map<string, number[]>();
  for (const { name, micros } of spans) by.set(name, [...(by.get(name) ?? []), micros]);
  return [...by]
    .filter(([, all]) => all.length >= MORE_THAN_CHANCE)
    .map(([name, all]) => ({ name, all, most: quantile(all, 1) }))
    .sort((a, b) => b.most - a.most)
    .slice(0, NAMED)
    .map(({ name, all, most }, i) => [
      `${kind}_span_${i + 1}`,
      `${most} us at most, ${quantile(all, 0.5)} in the middle of ${all.length}: ${name}`,
    ]);
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

// Turns while summaries are being written: in other sessions by the built-in summariser, and in the session of the turn
// itself, by that and by a model that takes its time. In blocks, so that all four share the machine's moods.
import { round } from '../harness.js';
import {
  appendParams,
  codeText,
  type LoadedSession,
  loadedSession,
  prepareParams,
  quantile,
} from './load.js';
import { Wire } from './wire.js';

const BLOCKS = 14;
const WARM_BLOCKS = 2;
/** Turns of a block at most; a block beside built-in summaries ends with them. */
const TURNS = 30;
/** Sessions of 50,000 tokens whose summaries are written at once. */
const OTHERS = 3;

type Kind = 'quiet' | 'others' | 'same_built_in' | 'same_model';
const KINDS: readonly Kind[] = ['quiet', 'others', 'same_built_in', 'same_model'];

/** @returns p50 and p99 of each kind in microseconds, their ratios to the quiet turns, and how many turns were measured */
export async function besideSummaries(socket: string): Promise<Record<string, number>> {
  const running = new Set<string>();
  const told = (method: string, text: string) => {
    if (!method.startsWith('memory.compact')) return;
    const session = /"session":"([^"]+)"/.exec(text)?.[1] ?? '';
    if (method !== 'memory.compaction.triggered' && method !== 'memory.compact.request')
      running.delete(session);
  };
  const asks: string[] = [];
  const wire = await Wire.open(socket, { told });
  const modelled = await Wire.open(socket, { told, asked: (id) => asks.push(id) });
  const times: Record<Kind, number[]> = { quiet: [], others: [], same_built_in: [], same_model: [] };
  const compact = async (w: Wire, id: string) => {
    running.add(id);
    await w.call('memory.compact', `{"session":"${id}"}`);
  };
  for (let b = 0; b < BLOCKS; b++) {
    for (const kind of KINDS) {
      const w = kind === 'same_model' ? modelled : wire;
      const load = async (id: string): Promise<LoadedSession> => {
        const s = await loadedSession(w, id);
        await w.call('session.subscribe', `{"session":"${id}"}`);
        return s;
      };
      const session = await load(`${kind}-${b}`);
      const beside: string[] = [];
      if (kind === 'others') for (let i = 0; i < OTHERS; i++) beside.push((await load(`other-${b}-${i}`)).id);
      if (kind.startsWith('same')) beside.push(session.id);
      // Begun together, and not waited for: the turns are what runs meanwhile.
      const begun = beside.map((id) => compact(w, id));
      for (let i = 0; i < TURNS; i++) {
        if (i > 0 && kind !== 'quiet' && running.size === 0) break;
        const append = appendParams(session);
        const start = performance.now();
        await w.call('session.append', append);
        await w.call('llm.prepare', prepareParams(session, 'patch'));
        if (b >= WARM_BLOCKS) times[kind].push((performance.now() - start) * 1000);
      }
      await Promise.all(begun);
      for (const id of asks.splice(0)) {
        const text = codeText(4000, b);
        modelled.answer(id, JSON.stringify({ text, stop_reason: 'end_turn' }));
      }
      while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  await wire.close();
  await modelled.close();
  const figures: Record<string, number> = {};
  for (const kind of KINDS) {
    for (const [name, q] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const value = quantile(times[kind], q);
      figures[`${kind}_${name}_us`] = round(value);
      if (kind !== 'quiet') figures[`${kind}_${name}_ratio`] = round(value / quantile(times.quiet, q));
    }
    figures[`${kind}_turns`] = times[kind].length;
  }
  return figures;
}

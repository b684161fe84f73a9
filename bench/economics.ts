// What the cost rule saves (COSTS 8 and 11): calibration of the simulator, the synthetic grid, the length mix, and the recorded
// coding sessions of the development half of the data. Skips the recorded part, visibly, where the data is absent.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { get_encoding, type Tiktoken } from '@dqbd/tiktoken';
import { MOST_LOSS } from '../src/economics/spending.js';
import { seeded } from '../src/random.js';
import {
  curatedPolicy,
  fixedBatch,
  never,
  rentOrBuy,
  type SimBlock,
  type SimOptions,
  type SimPolicy,
  type SimRequest,
  type SimSession,
  simulateAll,
} from './economics/simulate.js';
import { lengthMix, REFERENCE_MIX, SYNTHETIC, syntheticSession, WORKLOADS } from './economics/workloads.js';
import { transcriptsFolder } from './estimates.js';

/** (r, w) of the six price columns. */
export const PRICES = [
  { name: 'r.025', r: 0.025, w: 1.25 },
  { name: 'r.05', r: 0.05, w: 1.25 },
  { name: 'r.1', r: 0.1, w: 1.25 },
  { name: 'r.1w2', r: 0.1, w: 2 },
  { name: 'r.1w1', r: 0.1, w: 1 },
  { name: 'r.5w1', r: 0.5, w: 1 },
] as const;
const MIX_PRICES = [PRICES[0], PRICES[1], PRICES[2], PRICES[4]] as const;

/** The twelve fixed batches that hindsight may choose from, in thousands of tokens. */
const BATCHES = [2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 160, 192].map((k) => k * 1000);
const RECORDED = { prefix: 20_000, keep: 5, stub: 15 };
/** Share of requests after a gap that outlived the cache; the seed gives gaps as harsh as the reference's. */
const COLD = { share: 0.05, seed: 7 };

/** Haiku 5.5: larger prompts cost five times as much. */
const CLIFF = 100_000;

type Figures = Record<string, number | string>;

const round = (v: number, digits = 1): number => Number(v.toFixed(digits));

interface RecordedMessage {
  role: string;
  content: string | Record<string, unknown>[] | null;
}
interface RecordedConversation {
  id: string;
  messages: RecordedMessage[];
  meta?: { compactions?: { msg: number }[] };
}

function blocksOf(m: RecordedMessage, count: (text: string) => number): SimBlock[] {
  if (typeof m.content === 'string') return [{ tokens: count(m.content), result: false }];
  return (m.content ?? []).flatMap((b): SimBlock[] => {
    if (b['type'] === 'text') return [{ tokens: count(String(b['text'])), result: false }];
    if (b['type'] === 'tool_use') {
      const tokens = count(JSON.stringify(b['input'])) + count(String(b['name']));
      return [{ tokens, result: false }];
    }
    if (b['type'] === 'tool_result') {
      const body = b['content'];
      const texts = typeof body === 'string' ? [{ text: body }] : ((body ?? []) as { text?: string }[]);
      return [{ tokens: texts.reduce((a, x) => a + count(x.text ?? ''), 0), result: true }];
    }
    return []; // thinking is left out, recorded images are one pixel
  });
}

/** One request before each assistant message; a recorded compaction starts a new history. */
export function sessionOf(c: RecordedConversation, count: (text: string) => number): SimSession {
  const out: SimRequest[] = [];
  const resets = new Set((c.meta?.compactions ?? []).map((x) => x.msg));
  let add: SimBlock[] = [];
  let reset = false;
  let boundary = false;
  c.messages.forEach((m, i) => {
    if (resets.has(i)) {
      add = [];
      reset = true;
    }
    if (m.role === 'assistant') {
      out.push({ add, reset, boundary });
      add = [];
      reset = false;
      boundary = false;
    } else if (typeof m.content === 'string' || (m.content ?? []).some((b) => b['type'] === 'text')) {
      boundary = true; // a user message with text of its own: the turn before it has ended
    }
    add.push(...blocksOf(m, count));
  });
  return out;
}

/** The ten recorded coding sessions, or undefined where the data is absent. */
export function recordedSessions(): SimSession[] | undefined {
  const folder = transcriptsFolder();
  if (folder === undefined) return undefined;
  const encoding: Tiktoken = get_encoding('o200k_base');
  try {
    const count = (text: string) => (text === '' ? 0 : encoding.encode_ordinary(text).length);
    return ['cc.jsonl', 'pi.jsonl'].flatMap((file) =>
      readFileSync(resolve(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => sessionOf(JSON.parse(line) as RecordedConversation, count)),
    );
  } finally {
    encoding.free();
  }
}

const anywhere = (s: SimSession): SimSession => s.map((q) => ({ ...q, boundary: true }));

export function recordedFigures(atTurns: readonly SimSession[]): Figures {
  const sessions = atTurns.map(anywhere);
  const run = (
    p: SimPolicy,
    price: { r: number; w: number },
    extra: Partial<SimOptions> = {},
    of = sessions,
  ) => simulateAll(of, p, { ...RECORDED, ...extra, r: price.r, w: price.w });
  const f: Figures = {};
  const base = PRICES[2];
  f['calibration_every_request'] = round(run(fixedBatch(1), base).saved);
  f['calibration_fixed_5k'] = round(run(fixedBatch(5000), base).saved);
  f['calibration_rent_or_buy'] = round(run(rentOrBuy(), base).saved);
  f['calibration_breaks'] = [fixedBatch(1), fixedBatch(5000), rentOrBuy()]
    .map((p) => run(p, base).breaks)
    .join(' ');
  f['recorded_requests'] = run(never, base).requests;
  let worst = Number.POSITIVE_INFINITY;
  let margin = Number.POSITIVE_INFINITY;
  for (const price of PRICES) {
    const ours = run(curatedPolicy(), price);
    const best = Math.max(0, ...BATCHES.map((b) => run(fixedBatch(b), price).saved));
    f[`recorded_${price.name}`] = round(ours.saved);
    f[`recorded_${price.name}_best_fixed`] = round(best);
    margin = Math.min(margin, ours.saved - best);
    worst = Math.min(worst, ours.worstSaved);
    // As the daemon does it: with the bound on what a session that ends early may have lost.
    f[`recorded_${price.name}_bounded`] = round(run(curatedPolicy({ loss: MOST_LOSS }), price).saved);
  }
  f['recorded_margin_points'] = round(margin, 2);
  f['worst_transcript_points'] = round(worst, 2);
  const ours = run(curatedPolicy(), base);
  f['cache_breaks'] = ours.breaks;
  f['tokens_saved'] = round(ours.tokensSaved);
  f['recorded_turns_only'] = round(run(curatedPolicy({ rare: true }), base, {}, [...atTurns]).saved);
  const shape = { shape: { above: 2000, share: 0.3 } };
  f['recorded_shape'] = round(run(never, base, shape).saved);
  f['recorded_shape_and_batches'] = round(run(curatedPolicy(), base, shape).saved);
  f['recorded_shape_and_batches_bounded'] = round(run(curatedPolicy({ loss: MOST_LOSS }), base, shape).saved);
  return f;
}

/** 48 cells of five seeds, against the better of no clearing and the best fixed batch in hindsight. */
export function gridFigures(): Figures {
  const excess: Record<'estimate' | 'known', number[]> = { estimate: [], known: [] };
  for (const load of Object.values(WORKLOADS)) {
    for (const requests of [80, 200]) {
      const sessions = [1, 2, 3, 4, 5].map((seed) =>
        syntheticSession(load, requests, seeded(seed * 7919 + requests)),
      );
      for (const price of PRICES) {
        const o = { ...SYNTHETIC, keep: load.keep, r: price.r, w: price.w };
        const saved = (p: SimPolicy) => simulateAll(sessions, p, o).saved;
        const best = Math.max(0, ...BATCHES.map((b) => saved(fixedBatch(b))));
        for (const future of ['estimate', 'known'] as const) {
          excess[future].push(best - saved(curatedPolicy({ future })));
        }
      }
    }
  }
  const within = (list: number[]) => list.filter((x) => x <= 1).length;
  return {
    cells: excess.estimate.length,
    cells_within_1_point: within(excess.estimate),
    worst_cell_points: round(Math.max(...excess.estimate), 2),
    known_cells_within_1_point: within(excess.known),
    known_worst_cell_points: round(Math.max(...excess.known), 2),
  };
}

/** The length mix: change of cost in percent, negative is cheaper, one figure a price (r .025, .05, .1, and .1 with w 1). */
export function mixFigures(): Figures {
  const warm = lengthMix(REFERENCE_MIX);
  const gaps = lengthMix(REFERENCE_MIX, COLD);
  const row = (of: readonly SimSession[], p: SimPolicy) =>
    MIX_PRICES.map((price) =>
      round(-simulateAll(of, p, { ...SYNTHETIC, keep: 5, r: price.r, w: price.w }).saved),
    ).join(' ');
  const cold = MIX_PRICES.map((price) => {
    const o = { ...SYNTHETIC, keep: 5, r: price.r, w: price.w };
    const [without, withTrigger] = [false, true].map(
      (coldTrigger) => simulateAll(gaps, curatedPolicy({ coldTrigger }), o).saved,
    );
    return withTrigger! - without!;
  });
  return {
    mix_every_request: row(warm, fixedBatch(1)),
    mix_fixed_20k: row(warm, fixedBatch(20_000)),
    mix_fixed_50k: row(warm, fixedBatch(50_000)),
    mix_curated: row(warm, curatedPolicy()),
    mix_curated_known: row(warm, curatedPolicy({ future: 'known' })),
    mix_cold_without_trigger: row(gaps, curatedPolicy()),
    mix_cold_with_trigger: row(gaps, curatedPolicy({ coldTrigger: true })),
    cold_trigger_gain_points: round(Math.min(...cold)),
  };
}

/** A session that grows past a price cliff at 100k tokens: its largest request, and what is left of the bill. */
export function cliffFigures(): Figures {
  const session = syntheticSession(WORKLOADS.mixed, 60, seeded(3));
  const o = { ...SYNTHETIC, keep: 5, r: 0.1, w: 1.25 };
  return {
    cliff_limit: CLIFF,
    cliff_largest_without: simulateAll([session], never, o).largest,
    cliff_largest_with: simulateAll([session], curatedPolicy({ cliff: CLIFF }), o).largest,
  };
}

/** `npm run bench -- economics` */
export default function run(): { name: string; figures: Figures } {
  const recorded = recordedSessions();
  return {
    name: 'economics',
    figures: {
      ...(recorded === undefined
        ? { recorded: 'skipped: the transcripts are not there' }
        : recordedFigures(recorded)),
      ...gridFigures(),
      ...mixFigures(),
      ...cliffFigures(),
    },
  };
}

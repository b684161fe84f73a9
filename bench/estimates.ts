// How close estimates come to what providers reported: every recorded request of the transcripts with usage is
// estimated before its report is learned from. Figures are of the development half of the data.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool, type Pool } from '../src/pool/pool.js';
import { anthropic } from '../src/providers/anthropic/index.js';
import { profileOf } from '../src/providers/profile.js';
import { encodingOf } from '../src/tokens/encoding.js';
import { estimate, type Fit, observe, priorFor } from '../src/tokens/estimator.js';
import { addFeatures, noFeatures } from '../src/tokens/features.js';
import { combine, measureMessage } from '../src/tokens/request-count.js';

/** Reports a segment learns from before its estimates count. */
const WARM = 5;
const MODEL = 'claude-opus-4-5';
const WINDOW = 200_000;

interface Usage {
  msg: number;
  in: number;
  cr: number;
  cw: number;
  out: number;
  model?: string;
}
interface Conversation {
  id: string;
  messages: unknown[];
  meta: { usage?: Usage[]; compactions?: { msg: number }[] };
}

export interface EstimateScore {
  id: string;
  /** |estimate - reported| / reported, per request after the warm-up. */
  errors: number[];
  /** Was the report at most the P95 bound? */
  covered: boolean[];
  /** (bound - estimate) / reported. */
  widths: number[];
  refused: string[];
}

/** The folder of recorded transcripts, or undefined where it is absent. */
export function transcriptsFolder(): string | undefined {
  const root = resolve(fileURLToPath(import.meta.url), '../../..');
  const shared = process.env['CURATED_SHARED'] ?? resolve(root, '../shared');
  const folder = resolve(shared, 'data/transcripts');
  return existsSync(resolve(folder, 'cc.jsonl')) && existsSync(resolve(folder, 'pi.jsonl'))
    ? folder
    : undefined;
}

async function messageFeatures(pool: Pool, messages: unknown[]): Promise<number[][]> {
  const { image } = profileOf('anthropic', MODEL);
  const { encoding } = encodingOf(MODEL);
  const measures = messages.map((value) =>
    measureMessage(anthropic.read({ text: JSON.stringify(value), value }), image),
  );
  const counts = await Promise.all(measures.map((m) => pool.countTokens(m.texts, encoding)));
  return measures.map((m, i) => combine(m, counts[i]!).features);
}

/** Plays one conversation's reports. After a compaction the context starts anew; what was learned stays. */
async function play(pool: Pool, { id, messages, meta }: Conversation): Promise<EstimateScore> {
  const score: EstimateScore = { id, errors: [], covered: [], widths: [], refused: [] };
  const features = await messageFeatures(pool, messages);
  const cuts = (meta.compactions ?? []).map((c) => c.msg);
  let fit: Fit | undefined;
  let segment = -1;
  let reports = 0;
  let view = noFeatures();
  let next = 0;
  for (const { msg, in: uncached, cr, cw, out, model } of meta.usage ?? []) {
    const usage = uncached + cr + cw;
    const at = cuts.filter((cut) => cut <= msg).length;
    if (at !== segment) {
      segment = at;
      reports = 0;
      next = at === 0 ? 0 : cuts[at - 1]!;
      view = noFeatures();
      fit = fit === undefined ? priorFor(model ?? MODEL) : { ...fit, anchor: null, pending: null };
    }
    for (; next < msg; next++) view = addFeatures(view, features[next]!);
    if (reports >= WARM) {
      const { tokens, p95 } = estimate(fit!, view);
      score.errors.push(Math.abs(tokens - usage) / usage);
      score.covered.push(usage <= p95);
      score.widths.push((p95 - tokens) / usage);
    }
    const reply = { features: features[msg]!, output: out };
    const seen = observe(fit!, { features: view, usage, window: WINDOW, reply });
    if (seen.refused !== undefined) score.refused.push(`${msg}: ${seen.refused}`);
    fit = seen.fit;
    reports++;
  }
  return score;
}

/** Scores of every conversation with recorded usage. */
export async function playAll(folder: string): Promise<EstimateScore[]> {
  const pool = createPool();
  try {
    const scores: EstimateScore[] = [];
    for (const file of ['cc.jsonl', 'pi.jsonl']) {
      for (const line of readFileSync(resolve(folder, file), 'utf8').split('\n')) {
        if (line !== '') scores.push(await play(pool, JSON.parse(line) as Conversation));
      }
    }
    return scores;
  } finally {
    await pool.close();
  }
}

/** The value below which `share` of the numbers lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const round = (v: number) => Number(v.toFixed(3));

/** Figures of a set of scores, in percent. */
export function figuresOf(scores: readonly EstimateScore[]): Record<string, number> {
  const errors = scores.flatMap((s) => s.errors);
  return {
    requests: errors.length,
    error_p50_pct: round(100 * quantile(errors, 0.5)),
    error_p95_pct: round(100 * quantile(errors, 0.95)),
    p95_covers_pct: round(100 * mean(scores.flatMap((s) => s.covered).map(Number))),
    p95_width_pct: round(100 * mean(scores.flatMap((s) => s.widths))),
    refused: scores.reduce((n, s) => n + s.refused.length, 0),
  };
}

/** The bench's entry. */
export async function run(): Promise<{ name: string; figures: Record<string, number> }> {
  const folder = transcriptsFolder();
  if (folder === undefined) {
    console.log('skipped: no recorded transcripts (CURATED_SHARED names their folder)');
    return { name: 'estimates', figures: {} };
  }
  const scores = await playAll(folder);
  for (const score of scores) {
    const f = figuresOf([score]);
    if (score.errors.length === 0) continue;
    console.log(
      `${score.id.padEnd(22)} ${String(f['requests']).padStart(4)} requests  error p50 ${f['error_p50_pct']} %` +
        `  p95 ${f['error_p95_pct']} %  bound covers ${f['p95_covers_pct']} %  ${score.refused.join(', ')}`,
    );
  }
  return { name: 'estimates', figures: figuresOf(scores) };
}

export default run;

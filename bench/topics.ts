// Figures of the topic rule: what an input costs, and how well shifts and returns are found in ../shared/data/topics. The
// weights are from those files, so quality is told by folds: each dialogue judged by weights that never saw it.
//   node bench/run.mjs topics [--json] [fast] [split=N]      (fast: cost alone; split: dialogues dealt out to folds by chance)
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSettings } from '../src/settings/index.js';
import { COARSE, type Dialogue, loadSet, SETS, type SetName } from '../src/topics/eval/data.js';
import { crossValidate, leaveOneSetOut, rateReturns, rateRules } from '../src/topics/eval/evaluate.js';
import { macroF1 } from '../src/topics/eval/learn.js';
import { type Judged, type Scores, score } from '../src/topics/eval/metrics.js';
import { splicedSets } from '../src/topics/eval/splice.js';
import { TopicModel } from '../src/topics/model.js';
import { matchPhrase, type PhraseRule } from '../src/topics/phrases.js';
import { Tracker } from '../src/topics/tracker.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = resolve(process.env['CURATED_SHARED'] ?? resolve(root, '../shared'), 'data/topics');
const FOLDS = 5;

/** The phrases as they are by default. */
function phraseRule(): PhraseRule {
  const loaded = loadSettings({}, { origin: 'bench' });
  if (!loaded.ok) throw new Error('the defaults do not load');
  const { explicitPhrases, leadAnchor, match } = loaded.settings.plugins.topicPruner;
  return { phrases: explicitPhrases, leadAnchor, match };
}

const SAMPLE = [
  [
    'How long should I roast a chicken with potatoes in the oven?',
    'About eighty minutes; the thermometer should show 75 degrees in the thickest part.',
  ],
  ['And which herbs go well with it?', 'Rosemary and thyme go well with roast chicken and potatoes.'],
  [
    'Write a migration that adds an index on orders by customer and creation date',
    'CREATE INDEX CONCURRENTLY orders_customer_created ON orders (customer_id, created_at);',
  ],
  ['proceed', 'Done: the migration stands in db/migrations and its test passes.'],
] as const;

/** Microseconds that an input costs: phrases, words, vectors, features and the rule. */
function cost(dialogues: readonly Dialogue[]): { input: number[]; end: number[] } {
  const phrases = phraseRule();
  const model = new TopicModel();
  const input: number[] = [];
  const end: number[] = [];
  for (const d of dialogues) {
    const tracker = new Tracker();
    for (const [at, e] of d.exchanges.entries()) {
      let least = Number.POSITIVE_INFINITY;
      let said = false;
      let phrase = false;
      // Least of five: what the input costs, not what else the machine does meanwhile.
      for (let k = 0; k < 5; k += 1) {
        const from = performance.now();
        said = matchPhrase(e.input, phrases) !== undefined;
        tracker.read(e.input, at, at);
        phrase = model.provisional(tracker).phrase;
        least = Math.min(least, performance.now() - from);
      }
      input.push(least * 1000);
      if (e.reply !== '') tracker.answer(e.reply);
      const then = performance.now();
      const final = model.final(tracker);
      tracker.fold(said || ((final.shift || phrase) && at > 0));
      end.push((performance.now() - then) * 1000);
    }
  }
  return { input, end };
}

function quantile(times: number[], q: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length * q)]! * 10) / 10;
}

/** Every set counts alike. */
function macroOf(sets: readonly Scores[]): Pick<Scores, 'precision' | 'recall'> {
  const mean = (of: (s: Scores) => number) => sets.reduce((sum, s) => sum + of(s), 0) / sets.length;
  return { precision: mean((s) => s.precision), recall: mean((s) => s.recall) };
}

function line(label: string, s: Scores): void {
  const n = (v: number) => v.toFixed(3);
  console.log(
    `  ${label.padEnd(22)} F1 ${n(s.f1)}  P ${n(s.precision)}  R ${n(s.recall)}  F0.5 ${n(s.f05)}  Pk ${n(s.pk)}  WD ${n(s.windowDiff)}  density ${n(s.density)}/${n(s.marked)}`,
  );
}

export default async function bench(o: {
  args: string[];
}): Promise<{ name: string; figures: Record<string, number> }> {
  const figures: Record<string, number> = {};
  const found = new Map<SetName, Dialogue[]>();
  for (const name of SETS) {
    const set = loadSet(folder, name);
    if (set !== undefined)
      found.set(
        name,
        set.filter((d) => d.exchanges.length > 1),
      );
  }
  if (found.size === 0) console.log(`no dialogues in ${folder}: cost on a small sample, no quality`);
  const own: Dialogue[] = Array.from({ length: 500 }, (_, i) => ({
    id: `sample-${i}`,
    exchanges: SAMPLE.map(([input, reply]) => ({ input, reply, shift: false })),
  }));
  const spoken = found.size === 0 ? own : COARSE.flatMap((name) => found.get(name) ?? []);
  cost(spoken.slice(0, 150));
  const times = cost(spoken);
  figures['us_per_input_p50'] = quantile(times.input, 0.5);
  figures['us_per_input_p99'] = quantile(times.input, 0.99);
  figures['us_per_turn_end_p50'] = quantile(times.end, 0.5);
  if (found.size === 0 || o.args.includes('fast')) return { name: 'topics', figures };

  const phrases = phraseRule();
  for (const [name, dialogues] of found) {
    console.log(
      `${name}: ${dialogues.length} dialogues (shipped weights: trained on the coarse sets, no test there)`,
    );
    for (const [label, scores] of Object.entries(rateRules(dialogues, phrases))) line(label, scores);
  }
  const coarse = new Map(
    COARSE.flatMap((name) => (found.has(name) ? [[name, found.get(name)!] as const] : [])),
  );
  const report = (title: string, prefix: string, judged: Map<string, Judged[]>) => {
    console.log(title);
    for (const [name, dialogues] of judged) {
      const s = score(dialogues);
      line(name, s);
      figures[`${prefix}_f1_${name}`] = Math.round(s.f1 * 1000) / 1000;
    }
    figures[`${prefix}_macro_f1`] = Math.round(macroF1(judged) * 1000) / 1000;
  };
  const spliced = splicedSets(dirname(folder));
  const split = Number(o.args.find((a) => a.startsWith('split='))?.slice('split='.length) ?? 0);
  const folds = crossValidate(coarse, FOLDS, spliced, split);
  report('provisional, folds by dialogue', 'provisional', folds.provisional);
  report('confirmed, folds by dialogue', 'confirmed', folds.confirmed);
  const reportPrecise = (title: string, prefix: string, judged: Map<string, Judged[]>) => {
    report(title, prefix, judged);
    const put = (of: string, { precision, recall }: Pick<Scores, 'precision' | 'recall'>) => {
      figures[`${prefix}_${of.replace('*', 'precision')}`] = Math.round(precision * 1000) / 1000;
      figures[`${prefix}_${of.replace('*', 'recall')}`] = Math.round(recall * 1000) / 1000;
    };
    for (const [name, dialogues] of judged) put(`*_${name}`, score(dialogues));
    put('macro_*', macroOf([...judged.values()].map(score)));
    put('pooled_*', score([...judged.values()].flat()));
  };
  reportPrecise('precise, confirmed, folds by dialogue', 'precise', folds.precise);
  const others = leaveOneSetOut(coarse, spliced);
  report('provisional, weights from the other sets', 'other_sets_provisional', others.provisional);
  report('confirmed, weights from the other sets', 'other_sets_confirmed', others.confirmed);
  reportPrecise('precise, weights from the other sets', 'other_sets_precise', others.precise);
  for (const name of ['mtb101return', 'codingagent'] as const) {
    const set = found.get(name);
    if (set === undefined) continue;
    for (const withReply of [false, true]) {
      const r = rateReturns(set, withReply);
      console.log(
        `returns ${name} ${withReply ? 'with the reply' : 'by the input'}: ${r.first}/${r.returns}`,
      );
      figures[`returns_${name}_${withReply ? 'exchange' : 'input'}`] = r.first;
      figures[`returns_${name}_of`] = r.returns;
    }
  }
  return { name: 'topics', figures };
}

// Other curators beside ours on the recorded conversations, in one run: how many of their requests a provider would refuse,
// what the rest costs under the cache model, which names that calls needed they still held. `npm run bench -- peers [file..]`,
// files by name: cc, pi, tau ... The peers are installed on demand: `npm install --prefix bench/peers`.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attach } from '../native/index.js';
import { RequestReader } from '../src/eval/request.js';
import { baselineOf } from '../src/eval/whatif/baseline.js';
import { remembering } from '../src/eval/whatif/judge.js';
import type { LoggedSession } from '../src/eval/whatif/logged.js';
import { type MeasuredSession, measure } from '../src/eval/whatif/measured.js';
import { playLog } from '../src/eval/whatif/play-log.js';
import { newRun, readLog } from '../src/eval/whatif/read-log.js';
import { referencesOf } from '../src/eval/whatif/references.js';
import { writeJson } from '../src/json/index.js';
import { RawJson } from '../src/json/raw.js';
import { absentIn, type Curator, curators } from './curators/curators.js';
import { History, type Unit, whole } from './curators/history.js';
import { added, Meter, noScore, type Score, type Sent } from './curators/meter.js';
import { transcriptsFolder } from './estimates.js';
import type { BenchOptions, BenchResult } from './harness.js';

const FOLDER = resolve(fileURLToPath(import.meta.url), '../../../bench/peers/node_modules');
const FILES = ['cc', 'pi', 'tau', 'deerflow', 'livemcp', 'sweagent', 'toolbench', 'intercode', 'aider'];
const DAY = Date.UTC(2026, 10, 29);
const OURS = ['conservative', 'balanced', 'aggressive'] as const;
const NONE = 'nothing curated';

export default async function run(o: BenchOptions): Promise<BenchResult> {
  const absent = absentIn(FOLDER);
  if (absent.length > 0) {
    console.error(`not installed: ${absent.join(', ')}; run npm install --prefix bench/peers`);
    process.exitCode = 1;
    return { name: 'peers', figures: {} };
  }
  const folder = transcriptsFolder();
  if (folder === undefined) {
    console.log('skipped: no recorded transcripts (CURATED_SHARED names their folder)');
    return { name: 'peers', figures: {} };
  }
  const asked = o.args.filter((name) => existsSync(resolve(folder, `${name}.jsonl`)));
  const tokenizer = attach();
  const count = remembering((text) => tokenizer.count(text, 'o200k_base'));
  const scores = new Map<string, Score>();
  const add = (name: string, score: Score) => scores.set(name, added(scores.get(name) ?? noScore(), score));
  try {
    for (const file of asked.length > 0 ? asked : FILES)
      for await (const session of readLog(resolve(folder, `${file}.jsonl`), newRun())) {
        console.error(`${session.id}: ${session.requests.length} requests`);
        await compare(session, count, add);
      }
  } finally {
    tokenizer.dispose();
  }
  const figures: BenchResult['figures'] = {};
  const off = scores.get(NONE)!;
  console.log(
    `${'curator'.padEnd(64)} ${['requests', 'invalid (new)', 'refused', 'tokens saved', 'cost saved', 'breaks', 'names kept'].map((t) => t.padStart(14)).join('')}`,
  );
  for (const [name, s] of scores) {
    const cells = [
      `${s.requests}`,
      `${s.invalid} (${s.broken})`,
      `${s.refused} / ${s.asked}`,
      percent(1 - s.tokens / off.tokens),
      percent(1 - s.cost / off.cost),
      `${s.breaks}`,
      percent(s.kept / s.needed),
    ];
    console.log(`${name.padEnd(64)} ${cells.map((c) => c.padStart(14)).join('')}`);
    if (s.invalid + s.refused > 0) console.log(`  ${JSON.stringify(s.rules)}`);
    Object.assign(figures, figuresOf(name, s, off));
  }
  return { name: 'peers', figures };
}

async function compare(
  session: LoggedSession,
  count: (text: string) => number,
  add: (name: string, score: Score) => void,
): Promise<void> {
  const m = measure(session, count);
  const references = referencesOf(m);
  const reader = new RequestReader(m.profile, count);
  let recorded: ReadonlySet<number> | undefined;
  const meter = () => new Meter(m, references, reader, DAY, recorded);
  const history = new History(session.format, session.messages, m.readings);
  const tokens = new Map<Unit, number>();
  const tokensOf = (unit: Unit): number => {
    let sum = tokens.get(unit);
    if (sum === undefined) {
      sum = unit.parts.reduce((n, p) => n + (m.parts[unit.message]![p] ?? 0), 0);
      tokens.set(unit, sum);
    }
    return sum;
  };
  const plain: Curator = {
    name: NONE,
    settings: '',
    curate: (h, n) => whole(h.upTo(n)),
  };
  for (const curator of [plain, ...(await curators(FOLDER, tokensOf))]) {
    const its = meter();
    for (const [i, { carried }] of session.requests.entries())
      its.take(i, sentOf(session, history.emit(await curator.curate(history, carried))));
    recorded ??= its.invalid;
    add(`${curator.name}${curator.settings === '' ? '' : `, ${curator.settings}`}`, its.score);
  }
  for (const preset of OURS) add(`curated, ${preset}`, await ours(m, preset, count, meter()));
}

async function ours(
  m: MeasuredSession,
  preset: (typeof OURS)[number],
  count: (text: string) => number,
  meter: Meter,
): Promise<Score> {
  await playLog(m, baselineOf(m, DAY), {
    count,
    now: DAY,
    preset,
    onRequest: ({ index, decider }) => meter.take(index, decider.request),
  });
  return meter.score;
}

/** A request around these messages; the system text stands where its provider wants it. */
function sentOf({ format, system, tools }: LoggedSession, messages: string[]): Sent {
  if (format !== 'openai-chat') return { system: system?.text ?? '', tools: tools?.text ?? '', messages };
  const head = system === undefined ? [] : [writeJson({ role: 'system', content: new RawJson(system.text) })];
  return { system: '', tools: tools?.text ?? '', messages: [...head, ...messages] };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function figuresOf(name: string, s: Score, off: Score): Record<string, number> {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '');
  const round = (v: number) => Number(v.toFixed(2));
  return {
    [`${key}_invalid`]: s.invalid,
    [`${key}_made_invalid`]: s.broken,
    [`${key}_refused_pct`]: round((100 * s.refused) / Math.max(1, s.asked)),
    [`${key}_tokens_saved_pct`]: round(100 * (1 - s.tokens / off.tokens)),
    [`${key}_cost_saved_pct`]: round(100 * (1 - s.cost / off.cost)),
    [`${key}_names_kept_pct`]: round((100 * s.kept) / Math.max(1, s.needed)),
  };
}

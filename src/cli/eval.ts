// curated eval: cases with assertions, and the same conversations under several presets. Needs no daemon: the product's
// session runs in this process.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { attach } from '../../native/index.js';
import { type ArmSpec, type ArmsReport, armOf, NATIVE, runArms } from '../eval/arms/index.js';
import { type Case, loadCase, loadCases } from '../eval/cases/case.js';
import { type CaseReport, caseReport, parseCaseReport, summaryText } from '../eval/cases/case-report.js';
import { runCase } from '../eval/cases/run-case.js';
import { armsHtml } from '../eval/html/index.js';
import type { CountText } from '../eval/tally.js';
import { EvalThreads } from '../eval/threads.js';
import { isThere, readText, writeText } from '../named-file.js';
import { PRESETS } from '../protocol/index.js';
import { configError, type PresetName } from '../settings/index.js';
import { settingsOfText } from '../settings-file.js';
import { printJson, say } from './connection.js';
import { evalLive } from './eval-live.js';
import { evalMemory, evalTools, evalTopics } from './eval-sets.js';
import { armsTable } from './eval-table.js';
import { CommandError, EXIT } from './failure.js';
import { liveTable } from './live-table.js';
import { FileProgress, Progress } from './progress.js';

const SETS = ['cases', 'transcripts', 'topics', 'memory', 'tools'] as const;
type SetName = (typeof SETS)[number];

interface EvalOptions {
  set?: SetName;
  data?: string;
  presets?: ArmSpec[];
  tag?: string[];
  seed: number;
  day?: number;
  baseline?: string;
  failOnScoreDrop?: number;
  failOnLatencyP95Drop?: number;
  out?: string;
  html?: string;
  json?: boolean;
  inspectMode?: boolean;
  agent?: string;
  trials: number;
  margin: number;
  stopEarly?: boolean;
}

export function register(program: Command): void {
  program
    .command('eval')
    .description(
      'check cases, or compare presets on conversations; exits 1 when something fails or got worse',
    )
    .addOption(new Option('--set <name>', 'default is what the folder holds').choices(SETS))
    .option('--data <dir>', 'folder of cases or of conversations; default $CURATED_DATA, else ../shared/data')
    .option(
      '--presets <a,b>',
      `arms to compare: ${PRESETS.join(', ')}, ${NATIVE} (the provider's own editing), or YAML files`,
      armList,
    )
    .option('--tag <tag...>', 'only cases with all of these tags')
    .option('--seed <n>', 'of the intervals', number, 1)
    .option('--day <date>', 'of the prices of conversations without times; default is today', day)
    .option('--baseline <file>', 'report.json of an earlier run: fails on what got worse')
    .option('--fail-on-score-drop <n>', 'fall of the mean score that is allowed, absolute', number)
    .option('--fail-on-latency-p95-drop <n>', 'growth of p95 that is allowed, as a share', number)
    .option('--out <dir>', 'write report.json and summary.txt there')
    .option('--html <file>', 'write the comparison of presets as one HTML file')
    .option('--json', 'as JSON')
    .option('--inspect-mode', 'read one JSON request from stdin: {"case": DIR, "preset"?}')
    .option(
      '--agent <command>',
      'run this agent on a folder of tasks under each arm (CURATED_URL, CURATED_TASK)',
    )
    .option('--trials <n>', 'attempts of the agent at each task under each arm', number, 1)
    .option('--margin <share>', 'loss of success that is acceptable', number, 0.05)
    .option('--stop-early', 'end when no arm can be told more of')
    .action(async (o: EvalOptions) => {
      if (o.agent !== undefined) return live(o.agent, o);
      const tokenizer = attach();
      const count: CountText = (text) => tokenizer.count(text, 'o200k_base');
      try {
        const ok = o.inspectMode === true ? await inspect(count) : await run(o, count);
        if (!ok) process.exitCode = EXIT.failed;
      } finally {
        tokenizer.dispose();
      }
    });
}

function armList(list: string): ArmSpec[] {
  const arms = new Map<string, ArmSpec>();
  for (const name of list.split(',').map((n) => n.trim())) {
    const arm = armOf(name) ?? fileArm(name);
    if (arm === undefined)
      throw new InvalidArgumentError(`there are: ${PRESETS.join(', ')}, ${NATIVE}, or a YAML file`);
    arms.set(arm.name, arm);
  }
  return [...arms.values()];
}

/** @throws CuratedError CONFIG with every fault of the file named */
function fileArm(name: string): ArmSpec | undefined {
  if (!existsSync(name)) return undefined;
  const source = readText(name);
  const loaded = settingsOfText(source, name);
  if (!loaded.ok) throw configError(loaded.errors, name);
  return { kind: 'config', name, config: (parse(source) ?? {}) as Record<string, unknown> };
}

function number(text: string): number {
  const n = Number(text);
  if (text.trim() === '' || !Number.isFinite(n) || n < 0)
    throw new InvalidArgumentError('a number from 0 on is expected');
  return n;
}

/** @returns epoch ms */
function day(text: string): number {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at)) throw new InvalidArgumentError('a day is expected, as 2026-11-29');
  return at;
}

/** @returns true when nothing failed */
function run(o: EvalOptions, count: CountText): Promise<boolean> {
  const dir = dataOf(o);
  makePlaces(o);
  const set = o.set ?? (holdsCases(dir) ? 'cases' : 'transcripts');
  const marked = markedSet(set, dir, o, count);
  if (marked !== undefined) {
    const { report, summary } = marked;
    write(o, report, summary);
    if (o.json === true) printJson(report);
    else process.stdout.write(summary);
    return Promise.resolve(true);
  }
  if (set === 'cases' && o.html !== undefined)
    throw new CommandError('--html shows compared presets, cases have none', { exit: EXIT.usage });
  return set === 'cases' ? cases(dir, o, count) : arms(dir, o);
}

/** A set of marked data, rated; undefined for the others. */
function markedSet(set: SetName, dir: string, o: EvalOptions, count: CountText) {
  if (set === 'topics') return evalTopics(dir);
  if (set === 'memory') return evalMemory(dir, count, o.seed);
  return set === 'tools' ? evalTools(dir) : undefined;
}

/** Exits 1 when an arm succeeds less often than the first. */
async function live(agent: string, o: EvalOptions): Promise<void> {
  const dir = dataOf(o);
  makePlaces(o);
  const report = await evalLive(dir, {
    agent,
    presets: o.presets,
    trials: Math.max(1, Math.round(o.trials)),
    margin: o.margin,
    stopEarly: o.stopEarly === true,
    seed: o.seed,
  });
  const summary = liveTable(report);
  write(o, report, summary);
  if (o.json === true) printJson(report);
  else process.stdout.write(summary);
  const isWorse = report.arms.some((a) => {
    const d = a.against?.difference;
    return d !== null && d !== undefined && d.high < 0;
  });
  if (isWorse) process.exitCode = EXIT.failed;
}

function dataOf(o: EvalOptions): string {
  const dir = resolve(o.data ?? process.env['CURATED_DATA'] ?? '../shared/data');
  if (!isThere(dir))
    throw new CommandError(`${dir}: no such folder`, { hint: 'name one with --data', exit: EXIT.usage });
  return dir;
}

/** Where the outcome goes, before the work: a mistyped name must not cost minutes of it. */
function makePlaces(o: EvalOptions): void {
  if (o.html !== undefined && statSync(dirname(o.html), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CommandError(`${o.html}: there is no folder ${dirname(o.html)}`, { exit: EXIT.usage });
  if (o.out !== undefined) mkdirSync(o.out, { recursive: true });
}

function holdsCases(dir: string): boolean {
  if (!statSync(dir).isDirectory()) return false;
  return ['', ...readdirSync(dir)].some((name) => existsSync(join(dir, name, 'case.yaml')));
}

async function cases(dir: string, o: EvalOptions, count: CountText): Promise<boolean> {
  const { cases, errors } = loadCases(dir, o.tag);
  if (cases.length + errors.length === 0)
    throw new CommandError(`no case in ${dir}`, { hint: 'a case is a folder with a case.yaml' });
  const baseline = o.baseline === undefined ? undefined : baselineOf(o.baseline);
  const gates = {
    ...(o.failOnScoreDrop === undefined ? {} : { scoreDrop: o.failOnScoreDrop }),
    ...(o.failOnLatencyP95Drop === undefined ? {} : { latencyP95Drop: o.failOnLatencyP95Drop }),
  };
  const reports: CaseReport[] = [];
  const presets = (o.presets ?? [undefined]).map((arm) => {
    if (arm !== undefined && arm.kind !== 'preset')
      throw new CommandError(`${arm.name}: cases run under presets`, { exit: EXIT.usage });
    return arm?.preset;
  });
  const progress = new Progress(presets.length * cases.length);
  try {
    for (const preset of presets) {
      const results = [];
      for (const c of cases) {
        progress.show(c.meta.name);
        results.push(
          await runCase(c, { count, now: Date.now(), ...(preset === undefined ? {} : { preset }) }),
        );
        progress.step();
      }
      reports.push(caseReport(results, errors, preset, baseline, gates));
    }
  } finally {
    progress.end();
  }
  const summary = reports.map(summaryText).join('\n');
  const value = reports.length === 1 ? reports[0]! : { schema_version: '1', arms: reports };
  write(o, value, summary);
  if (o.json === true) printJson(value);
  else process.stdout.write(summary);
  return reports.every((r) => r.ok);
}

function baselineOf(file: string): CaseReport {
  try {
    return parseCaseReport(readText(file));
  } catch (e) {
    throw new CommandError(`${file}: ${(e as Error).message}`, { exit: EXIT.usage });
  }
}

const DEFAULT_ARMS = ['off', 'observe', 'conservative', 'balanced', 'aggressive', NATIVE];

async function arms(dir: string, o: EvalOptions): Promise<boolean> {
  const folder = existsSync(join(dir, 'transcripts')) ? join(dir, 'transcripts') : dir;
  const files = statSync(folder).isDirectory()
    ? readdirSync(folder)
        .filter((n) => n.endsWith('.jsonl'))
        .sort()
        .map((n) => join(folder, n))
    : [folder];
  const now = o.day ?? Date.now();
  const threads = new EvalThreads(now);
  const progress = new FileProgress(files);
  let report: ArmsReport;
  try {
    report = await runArms(files, {
      arms: o.presets ?? DEFAULT_ARMS.map((name) => armOf(name)!),
      play: (session, specs) => threads.playArms(session, specs),
      ahead: threads.ahead,
      seed: o.seed,
      now,
      onSession: (session, bytes) => progress.show(session.id, bytes),
    });
  } finally {
    progress.end();
    await threads.close();
  }
  if (report.conversations === 0) throw new CommandError(`no conversation in ${folder}`);
  const summary = armsTable(report);
  if (o.html !== undefined) writeText(o.html, armsHtml(report));
  write(o, report, summary);
  if (o.json === true) printJson(report);
  else process.stdout.write(summary);
  return true;
}

function write(o: EvalOptions, report: unknown, summary: string): void {
  if (o.out === undefined) return;
  writeText(join(o.out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeText(join(o.out, 'summary.txt'), summary);
  if (o.json !== true) say(`report.json and summary.txt written to ${o.out}`);
}

/** One request on stdin, one answer on stdout: for other programs. */
async function inspect(count: CountText): Promise<boolean> {
  let request: { case?: unknown; preset?: unknown };
  let one: Case;
  try {
    request = JSON.parse(readFileSync(0, 'utf8'));
    if (typeof request.case !== 'string') throw new Error('case: a folder is expected');
    if (request.preset !== undefined && !PRESETS.includes(request.preset as PresetName))
      throw new Error(`preset: there are ${PRESETS.join(', ')}`);
    one = loadCase(request.case);
  } catch (e) {
    printJson({ schema_version: '1', ok: false, error: (e as Error).message });
    return false;
  }
  const preset = request.preset as PresetName | undefined;
  const result = await runCase(one, { count, now: Date.now(), ...(preset === undefined ? {} : { preset }) });
  const report = caseReport([result], [], preset);
  printJson(report);
  return report.ok;
}

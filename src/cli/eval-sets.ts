// curated eval --set topics, tools and memory: what the rules behind three layers are worth on marked data.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type MemoryReport, rateMemory } from '../eval/sets/memory.js';
import { rateTools, type ToolsReport } from '../eval/sets/tools.js';
import { rateTopics, type TopicsReport } from '../eval/sets/topics.js';
import type { Interval } from '../eval/stats.js';
import type { CountText } from '../eval/tally.js';
import { resolveSettings } from '../settings/index.js';
import { CommandError } from './failure.js';
import { Progress } from './progress.js';
import { table, whole } from './table.js';

const n = (v: number): string => v.toFixed(3);

/** Thresholds and phrases are the defaults: this compares rules, not configurations. */
export function evalTopics(dir: string): { report: TopicsReport; summary: string } {
  const { explicitPhrases: phrases, leadAnchor, match } = resolveSettings().plugins.topicPruner;
  const report = rateTopics(inside(dir, 'topics'), { phrases, leadAnchor, match });
  if (report.sets.length === 0)
    throw new CommandError(`no dialogues in ${dir}`, { hint: 'one JSON value a line: {id, turns}' });
  const rows = report.sets.flatMap((s) =>
    Object.entries(s.rules).map(([rule, x], i) => [
      i === 0 ? s.set : '',
      rule,
      n(x.precision),
      n(x.recall),
      n(x.f1),
      n(x.f05),
      n(x.pk),
      n(x.windowDiff),
      `${n(x.density)} / ${n(x.marked)}`,
      i === 0 && s.returns.returns > 0 ? `${s.returns.first} of ${s.returns.returns}` : '',
    ]),
  );
  const titles = ['P', 'R', 'F1', 'F0.5', 'Pk', 'WindowDiff', 'density', 'returns'];
  const right = titles.map((title) => ({ title, right: true }));
  const macro = Object.entries(report.macro_f1 ?? {}).map(([rule, f1]) => `${rule} ${n(f1)}`);
  const text = table([{ title: 'set' }, { title: 'rule' }, ...right], rows);
  return {
    report,
    summary: `${text}\n${macro.length === 0 ? '' : `macro F1 over the coarse sets: ${macro.join(', ')}; `}the shipped weights were learned from the coarse sets, so there this is no test of them: npm run bench -- topics has folds\n`,
  };
}

export function evalTools(dir: string): { report: ToolsReport; summary: string } {
  const report = rateTools(inside(dir, 'toolretrieval'));
  if (report.sets.length === 0)
    throw new CommandError(`no questions in ${dir}`, { hint: 'a JSON file each: {tools, queries}' });
  const titles = ['tools', 'questions', 'recall@10', 'all@10', 'BM25 recall@10', 'BM25 all@10'];
  const rows = report.sets.map((s) => [
    s.set,
    whole(s.tools),
    whole(s.questions),
    n(s.ranking.recall),
    n(s.ranking.all),
    n(s.bm25.recall),
    n(s.bm25.all),
  ]);
  const text = table([{ title: 'set' }, ...titles.map((title) => ({ title, right: true }))], rows);
  return { report, summary: text };
}

export function evalMemory(
  dir: string,
  count: CountText,
  seed: number,
): { report: MemoryReport; summary: string } {
  const folder = inside(dir, 'memoryqa');
  const progress = new Progress(readdirSync(folder).length);
  let report: MemoryReport;
  try {
    report = rateMemory(folder, {
      count,
      seed,
      onChat: (file) => {
        progress.show(file);
        progress.step();
      },
    });
  } finally {
    progress.end();
  }
  if (!report.sets.some((s) => s.questions > 0))
    throw new CommandError(`no questions with evidence in ${dir}`, {
      hint: 'a JSON file each: {messages, questions: [{question, evidence: [message index]}]}',
    });
  const rows = report.sets.flatMap((s) =>
    s.budgets.map((b, i) => [
      i === 0 ? s.set : '',
      i === 0 ? whole(s.chats) : '',
      i === 0 ? whole(s.questions) : '',
      `${whole(100 * b.budget)} %`,
      `${n(b.search.recall)} / ${n(b.search.full)}`,
      `${n(b.bm25.recall)} / ${n(b.bm25.full)}`,
      `${n(b.newest.recall)} / ${n(b.newest.full)}`,
      lead(b.over_bm25),
      lead(b.over_newest),
    ]),
  );
  const titles = ['chats', 'questions', 'budget', 'search', 'BM25', 'newest', 'over BM25', 'over newest'];
  const text = table([{ title: 'set' }, ...titles.map((title) => ({ title, right: true }))], rows);
  return {
    report,
    summary: `${text}\nshare of a question's evidence within the budget / of questions with all of it; over: difference of the first, mean over the questions with its 95 % interval, seed ${seed}\n`,
  };
}

function lead(i: Interval | null): string {
  if (i === null) return '-';
  const p = (v: number) => (100 * v).toFixed(1);
  return `${p(i.mean)} (${p(i.low)} to ${p(i.high)})`;
}

/** The set's own folder where there is one, else the folder itself. */
function inside(dir: string, name: string): string {
  return existsSync(join(dir, name)) ? join(dir, name) : dir;
}

// curated eval --set topics and --set tools: what the rules behind two layers are worth on marked data.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rateTools, type ToolsReport } from '../eval/sets/tools.js';
import { rateTopics, type TopicsReport } from '../eval/sets/topics.js';
import { resolveSettings } from '../settings/index.js';
import { CommandError } from './failure.js';
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

/** The set's own folder where there is one, else the folder itself. */
function inside(dir: string, name: string): string {
  return existsSync(join(dir, name)) ? join(dir, name) : dir;
}

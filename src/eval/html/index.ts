// The comparison of arms as one HTML file that needs nothing else: a table, the plots, no script, no network. Pure.
import { type Arm, type ArmsReport, keptCells, savedCell } from '../arms/index.js';
import { paretoChart } from './pareto.js';
import { retentionChart } from './retention.js';
import { savedChart } from './saved.js';
import { text, whole } from './svg.js';
import { turnsCharts } from './turns.js';

export function armsHtml(r: ArmsReport): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>curated eval</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #e5e7eb; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
h3 { margin: .8rem 0 .2rem; font-size: 1rem; }
svg { max-width: 100%; height: auto; display: block; }
svg text { font: 13px system-ui, sans-serif; fill: #111; }
svg text.small { font-size: 11px; fill: #4b5563; }
p.note { color: #4b5563; }
.key { display: inline-block; width: .8em; height: .8em; }
</style>
</head>
<body>
<h1>Arms compared</h1>
<p>${r.conversations} conversations, seed ${r.seed}. Saved: share of what off took, mean over the conversations with its 95 % interval. Fetched again: of the results that were cleared whole, those that the same call fetched again (off: of all results, all in view). Survived: identifiers of before a compaction that the next 40 calls use.</p>
<div class="wide">${costTable(r.arms)}</div>
<div class="wide">${keptTable(r.arms)}</div>
<h2>Saved cost by arm</h2>
${savedChart(r.arms)}
<h2>Cost against names kept</h2>
<p class="note">Names: identifiers that a later call used and only tool results had told. Left and up is better.</p>
${paretoChart(r.arms)}
<h2>Names kept by depth</h2>
<p class="note">Depth: requests since a result told the name last; below it, how many names were needed at that depth.</p>
${retentionChart(r.arms)}
<h2>Tokens over requests</h2>
${turnsCharts(r.example)}
</body>
</html>
`;
}

const COST = ['requests', 'prompt tokens', 'saved', 'cache read', 'written', 'breaks', 'cost', 'saved'];
const KEPT = [
  'names kept',
  'cleared',
  'fetched again',
  'compactions',
  'survived',
  'refused',
  'prepare p50 / p95 ms',
];

function costTable(arms: readonly Arm[]): string {
  return table(['arm', ...COST], arms, ({ total: t, ...a }) => [
    whole(t.requests),
    whole(t.tokens),
    savedCell(a.saved_tokens),
    whole(t.cache_read),
    whole(t.cache_write),
    whole(t.cache_breaks),
    t.cost === null ? '-' : `$${t.cost.toFixed(2)}`,
    savedCell(a.saved_cost),
  ]);
}

function keptTable(arms: readonly Arm[]): string {
  return table(['arm', ...KEPT], arms, keptCells);
}

function table(head: readonly string[], arms: readonly Arm[], cells: (a: Arm) => string[]): string {
  const row = (of: readonly string[], tag: string) =>
    `<tr>${of.map((c) => `<${tag}>${c}</${tag}>`).join('')}</tr>`;
  const rows = arms.map((a) => row([text(a.preset), ...cells(a)], 'td'));
  return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.join('')}</tbody></table>`;
}

// Arms side by side, as people read them: what they cost, and what they keep.
import { type Arm, type ArmsReport, keptCells, savedCell } from '../eval/arms/index.js';
import { LEAST_PAIRS } from '../eval/stats.js';
import { type Column, counted, money, short, table, whole } from './table.js';

export function armsTable(r: ArmsReport): string {
  const notes = `${counted(r.conversations, 'conversation')}, seed ${r.seed}, prices of ${r.day}; saved: share of what off took, mean over the conversations (95 %)${few(r.conversations, 'conversations')}
names kept: identifiers that a later call used and only tool results had told; again: of the results that were cleared whole, those that
the same call fetched again (off: of all results, all in view); survived: identifiers of before a compaction that the next 40 calls use`;
  return `${table(['arm', ...COST].map(column), r.arms.map(cost))}
${table(
  ['arm', ...KEPT].map(column),
  r.arms.map((a) => [a.preset, ...keptCells(a)]),
)}
${notes}
`;
}

/** Why there is a dash where a share is looked for. @param of what there are too few of */
export function few(n: number, of: string): string {
  return n < LEAST_PAIRS ? `; - : told of ${LEAST_PAIRS} ${of} or more` : '';
}

const COST = ['requests', 'tokens', 'saved', 'cache read', 'written', 'breaks', 'cost', 'saved'];
const KEPT = ['names kept', 'cleared', 'again', 'compactions', 'survived', 'refused', 'prepare p50 / p95 ms'];

function column(title: string, i: number): Column {
  return { title, right: i > 0 };
}

function cost(a: Arm): string[] {
  const { total: t } = a;
  return [
    a.preset,
    whole(t.requests),
    short(t.tokens),
    savedCell(a.saved_tokens),
    short(t.cache_read),
    short(t.cache_write),
    whole(t.cache_breaks),
    money(t.cost),
    savedCell(a.saved_cost),
  ];
}

// Arms side by side, as people read them.
import type { Arm, ArmsReport } from '../eval/arms/index.js';
import type { Interval } from '../eval/stats.js';
import { money, short, table, whole } from './table.js';

export function armsTable(r: ArmsReport): string {
  const text = table(
    [
      { title: 'arm' },
      { title: 'requests', right: true },
      { title: 'tokens', right: true },
      { title: 'saved, mean (95 %)', right: true },
      { title: 'cache read', right: true },
      { title: 'cost', right: true },
      { title: 'saved, mean (95 %)', right: true },
      { title: 'names kept', right: true },
      { title: 'cleared', right: true },
      { title: 'compactions', right: true },
      { title: 'breaks', right: true },
      { title: 'prepare p50 / p95 ms', right: true },
    ],
    r.arms.map(cells),
  );
  return `${text}\n${whole(r.conversations)} conversations, seed ${r.seed}; saved: share of what off took, mean over the conversations; names: identifiers that a later call used and only tool results had told\n`;
}

function cells(a: Arm): string[] {
  const { total: t, latency } = a;
  const { needed, kept } = t.needles;
  return [
    a.preset,
    whole(t.requests),
    short(t.tokens),
    share(a.saved_tokens),
    short(t.cache_read),
    money(t.cost),
    share(a.saved_cost),
    needed === 0 ? '-' : `${((100 * kept) / needed).toFixed(1)} %`,
    whole(t.cleared),
    whole(t.compactions),
    whole(t.cache_breaks),
    latency.p50_ms === null ? '-' : `${latency.p50_ms} / ${latency.p95_ms}`,
  ];
}

function share(i: Interval | null): string {
  if (i === null) return '-';
  const p = (v: number) => (100 * v).toFixed(1);
  return `${p(i.mean)} % (${p(i.low)} to ${p(i.high)})`;
}

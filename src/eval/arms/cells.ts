// Cells of the tables that put arms side by side, for a terminal and for a page alike. Pure.
import type { Interval } from '../stats.js';
import type { Arm } from './collected.js';

const count = (v: number): string => Math.round(v).toLocaleString('en-US');

/** What an arm keeps: names, cleared results, fetched again, compactions, survivors, refused, latency. */
export function keptCells({ total: t, latency }: Arm): string[] {
  return [
    part(t.needles.kept, t.needles.needed),
    count(t.cleared),
    part(t.rereads.again, t.rereads.of),
    count(t.compactions),
    part(t.survived.kept, t.survived.needed),
    count(t.refused),
    latency.p50_ms === null ? '-' : `${latency.p50_ms} / ${latency.p95_ms}`,
  ];
}

function part(of: number, all: number): string {
  return all === 0 ? '-' : `${((100 * of) / all).toFixed(1)} %`;
}

/** A saved share with its interval. */
export function savedCell(i: Interval | null): string {
  if (i === null) return '-';
  const p = (v: number) => (100 * v).toFixed(1);
  return `${p(i.mean)} % (${p(i.low)} to ${p(i.high)})`;
}

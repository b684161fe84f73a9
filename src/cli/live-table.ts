// A live pivot, as people read it.
import type { LiveArm, LiveReport } from '../eval/live/pivot.js';
import type { Interval } from '../eval/stats.js';
import { few } from './eval-table.js';
import { table, whole } from './table.js';

export function liveTable(r: LiveReport): string {
  const text = table(
    [
      { title: 'arm' },
      { title: 'attempts', right: true },
      { title: 'succeeded', right: true },
      { title: 'difference (95 %)', right: true },
      { title: 'McNemar p', right: true },
      { title: 'not worse', right: true },
      { title: 'tokens saved', right: true },
      { title: 'cost saved', right: true },
    ],
    r.arms.map(cells),
  );
  const first = r.arms[0]?.preset ?? '';
  const early = r.stopped_early ? '; ended early, for nothing more was to be told' : '';
  const attempts = Math.min(...r.arms.map((a) => a.attempts));
  return `${text}\nagainst ${first} on the same tasks, seed ${r.seed}; not worse: by more than ${percent(r.margin)} of the attempts${early}${few(attempts, 'attempts')}\n`;
}

function cells(a: LiveArm): string[] {
  const { against } = a;
  return [
    a.preset,
    whole(a.attempts),
    whole(a.successes),
    against === null ? '-' : share(against.difference),
    against === null ? '-' : against.success.p.toFixed(3),
    against === null ? '-' : against.non_inferior ? 'yes' : 'not shown',
    against === null ? '-' : share(against.saved_tokens),
    against === null ? '-' : share(against.saved_cost),
  ];
}

const percent = (v: number): string => `${(100 * v).toFixed(1)} %`;

function share(i: Interval | null): string {
  if (i === null) return '-';
  const p = (v: number) => (100 * v).toFixed(1);
  return `${percent(i.mean)} (${p(i.low)} to ${p(i.high)})`;
}

// The longest conversation request by request: tokens by section as areas, decisions as marks below. Pure.
import type { ArmsReport, Point } from '../arms/index.js';
import { n, note, scale, short, svg, text, WIDTH } from './svg.js';

const HEIGHT = 150;
const FOOT = HEIGHT - 28;
const SECTIONS = [
  { key: 'static', colour: '#94a3b8' },
  { key: 'session', colour: '#f59e0b' },
  { key: 'volatile', colour: '#38bdf8' },
] as const;
/** More columns than this cannot be told apart: the largest of each stretch is drawn. */
const COLUMNS = 400;

export function turnsCharts(example: ArmsReport['example']): string {
  if (example === null || example.arms.length === 0) return note('No requests to show.');
  const most = Math.max(1, ...example.arms.flatMap((a) => a.points.map(total)));
  const legend = SECTIONS.map(
    (s) => `<span class="key" style="background:${s.colour}"></span> ${s.key}`,
  ).join(' &nbsp; ');
  const charts = example.arms.map((a) => `<h3>${text(a.name)}</h3>\n${chart(a.name, a.points, most)}`);
  return `<p class="note">${text(example.id)}: tokens of each request by section, as we count them; a mark below: decisions before it. ${legend}</p>\n${charts.join('\n')}`;
}

function chart(name: string, points: readonly Point[], most: number): string {
  const columns = thinned(points);
  const x = scale(0, Math.max(1, columns.length - 1), 60, WIDTH - 20);
  const y = scale(0, most, FOOT, 12);
  let below = columns.map(() => 0);
  const areas = SECTIONS.map(({ key, colour }) => {
    const above = columns.map((p, i) => below[i]! + p[key]);
    const up = above.map((v, i) => `${n(x(i))},${n(y(v))}`);
    const down = below.map((v, i) => `${n(x(i))},${n(y(v))}`).reverse();
    below = above;
    return `<polygon points="${[...up, ...down].join(' ')}" fill="${colour}"/>`;
  });
  const marks = columns.flatMap((p, i) =>
    p.decisions === 0
      ? []
      : [
          `<line x1="${n(x(i))}" x2="${n(x(i))}" y1="${FOOT + 2}" y2="${FOOT + 10}" stroke="#b91c1c" stroke-width="1.5"/>`,
        ],
  );
  return svg(
    HEIGHT,
    `tokens by request under ${name}`,
    `<text x="0" y="20">${short(most)}</text>`,
    `<text x="0" y="${FOOT}">0</text>`,
    ...areas,
    ...marks,
    `<text class="small" x="${WIDTH - 20}" y="${HEIGHT - 4}" text-anchor="end">request ${points.length}</text>`,
  );
}

function thinned(points: readonly Point[]): readonly Point[] {
  if (points.length <= COLUMNS) return points;
  const out: Point[] = [];
  for (let c = 0; c < COLUMNS; c++) {
    const from = Math.floor((c * points.length) / COLUMNS);
    const to = Math.floor(((c + 1) * points.length) / COLUMNS);
    const stretch = points.slice(from, to);
    const largest = stretch.reduce((a, b) => (total(b) > total(a) ? b : a));
    out.push({ ...largest, decisions: stretch.reduce((sum, p) => sum + p.decisions, 0) });
  }
  return out;
}

const total = (p: Point): number => p.static + p.session + p.volatile;

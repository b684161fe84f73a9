// Needed names that were still in the request, by how many requests before a result had told them last. Pure.
import { type Arm, DEPTHS } from '../arms/index.js';
import { colourOf, n, note, scale, svg, text, WIDTH } from './svg.js';

const HEIGHT = 260;
const FOOT = HEIGHT - 50;

export function retentionChart(arms: readonly Arm[]): string {
  const shares = arms.map((a) => a.total.depths.map((d) => (d.needed === 0 ? undefined : d.kept / d.needed)));
  const all = shares.flat().filter((s) => s !== undefined);
  if (all.length === 0) return note('No call needed a name that only a result had told.');
  const least = Math.min(0.9, ...all);
  const x = scale(0, DEPTHS.length, 60, WIDTH - 130);
  const y = scale(least, 1, FOOT, 20);
  const lines = arms.map((a, i) => {
    const points = shares[i]!.flatMap((s, d) => (s === undefined ? [] : [`${n(x(d))},${n(y(s))}`]));
    const colour = colourOf(a.preset, i);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>
<rect x="${WIDTH - 110}" y="${20 + 18 * i}" width="12" height="12" fill="${colour}"/>
<text x="${WIDTH - 92}" y="${31 + 18 * i}">${text(a.preset)}</text>`;
  });
  const names = [
    ...DEPTHS.map((d, i) => (i === 0 ? `< ${d}` : `${DEPTHS[i - 1]}-${d - 1}`)),
    `${DEPTHS.at(-1)}+`,
  ];
  const ticks = names.map((name, d) => {
    const count = arms[0]?.total.depths[d]?.needed ?? 0;
    return `<text x="${n(x(d))}" y="${FOOT + 18}" text-anchor="middle">${text(name)}</text>
<text class="small" x="${n(x(d))}" y="${FOOT + 34}" text-anchor="middle">${count}</text>`;
  });
  return svg(
    HEIGHT,
    'names kept by depth',
    `<line x1="60" x2="${WIDTH - 130}" y1="${FOOT}" y2="${FOOT}" stroke="#9ca3af"/>`,
    `<text x="0" y="${n(y(1) + 5)}">100 %</text>`,
    `<text x="0" y="${n(y(least) + 5)}">${(100 * least).toFixed(0)} %</text>`,
    ...lines,
    ...ticks,
  );
}

// Cost against names kept: one dot an arm. Pure.
import type { Arm } from '../arms/index.js';
import { colourOf, n, note, scale, svg, text, WIDTH } from './svg.js';

const HEIGHT = 280;
const FOOT = HEIGHT - 40;
/** Labels closer than this, in pixels, are moved apart. */
const LABEL = 15;

export function paretoChart(arms: readonly Arm[]): string {
  const known = arms.filter((a) => a.total.cost !== null);
  if (known.length === 0) return note('No price is known for these models.');
  const most = Math.max(...known.map((a) => a.total.cost!));
  const least = Math.min(0.9, ...known.map(kept));
  const x = scale(0, most, 60, WIDTH - 120);
  const y = scale(least, 1, FOOT, 20);
  const taken: { x: number; y: number }[] = [];
  const dots = known.map((a, i) => {
    const at = { x: x(a.total.cost!), y: y(kept(a)) };
    const label = { x: at.x + 10, y: at.y + 4 };
    while (taken.some((t) => Math.abs(t.x - label.x) < 110 && Math.abs(t.y - label.y) < LABEL))
      label.y += LABEL;
    taken.push(label);
    return `<circle cx="${n(at.x)}" cy="${n(at.y)}" r="6" fill="${colourOf(a.preset, i)}"/>
<text x="${n(label.x)}" y="${n(label.y)}">${text(a.preset)}</text>`;
  });
  return svg(
    HEIGHT,
    'cost against names kept',
    `<line x1="60" x2="${WIDTH - 20}" y1="${FOOT}" y2="${FOOT}" stroke="#9ca3af"/>`,
    `<line x1="60" x2="60" y1="20" y2="${FOOT}" stroke="#9ca3af"/>`,
    '<text x="0" y="24">100 %</text>',
    `<text x="0" y="${FOOT}">${(100 * least).toFixed(0)} %</text>`,
    `<text x="60" y="${HEIGHT - 20}">$0</text>`,
    `<text x="${n(x(most))}" y="${HEIGHT - 20}" text-anchor="middle">$${most.toFixed(2)}</text>`,
    ...dots,
  );
}

/** Share of the needed names that was there. */
export function kept(a: Arm): number {
  const { needed, kept } = a.total.needles;
  return needed === 0 ? 1 : kept / needed;
}

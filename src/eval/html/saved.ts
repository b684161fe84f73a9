// Saved cost by arm: a bar from 0, its interval as a line. Pure.
import type { Arm } from '../arms/index.js';
import { colourOf, n, note, percent, scale, svg, text, WIDTH } from './svg.js';

const LEFT = 120;
const ROW = 34;

export function savedChart(arms: readonly Arm[]): string {
  const known = arms.filter((a) => a.saved_cost !== null);
  if (known.length === 0) return note('Too few conversations with a known price for an interval.');
  const all = known.flatMap((a) => [a.saved_cost!.low, a.saved_cost!.high, a.saved_cost!.mean, 0]);
  const x = scale(Math.min(...all), Math.max(...all), LEFT, WIDTH - 70);
  const bars = known.map((a, i) => {
    const { mean, low, high } = a.saved_cost!;
    const y = ROW * i + 20;
    return `<text x="0" y="${y + 5}">${text(a.preset)}</text>
<rect x="${n(Math.min(x(0), x(mean)))}" y="${y - 9}" width="${n(Math.abs(x(mean) - x(0)))}" height="18" fill="${colourOf(a.preset, i)}"/>
<line x1="${n(x(low))}" x2="${n(x(high))}" y1="${y}" y2="${y}" stroke="#111" stroke-width="2"/>
<text x="${n(Math.max(x(high), x(mean), x(0)) + 6)}" y="${y + 5}">${percent(mean)}</text>`;
  });
  const height = ROW * known.length + 20;
  const zero = `<line x1="${n(x(0))}" x2="${n(x(0))}" y1="0" y2="${height}" stroke="#9ca3af"/>`;
  return svg(height, 'saved cost by arm', zero, ...bars);
}

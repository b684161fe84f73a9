// The comparison of arms as one HTML file that needs nothing else: a table, cost by arm with intervals, cost against names
// kept. Pure.
import type { Arm, ArmsReport } from './arms.js';

const WIDTH = 640;
const LEFT = 120;
const ROW = 34;
const COLOURS: Readonly<Record<string, string>> = {
  off: '#6b7280',
  observe: '#9ca3af',
  conservative: '#2563eb',
  balanced: '#059669',
  aggressive: '#d97706',
};

export function armsHtml(r: ArmsReport): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>curated eval</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #e5e7eb; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: #111; }
p.note { color: #4b5563; }
</style>
</head>
<body>
<h1>Presets compared</h1>
<p>${r.conversations} conversations, seed ${r.seed}. Saved: share of what off took, mean over the conversations with its 95 % interval.</p>
${table(r.arms)}
<h2>Saved cost by preset</h2>
${savedChart(r.arms)}
<h2>Cost against names kept</h2>
<p class="note">Names: identifiers that a later call used and only tool results had told. Left and up is better.</p>
${paretoChart(r.arms)}
</body>
</html>
`;
}

function table(arms: readonly Arm[]): string {
  const head = [
    'preset',
    'requests',
    'prompt tokens',
    'saved',
    'cost',
    'saved',
    'names kept',
    'cleared',
    'breaks',
  ];
  const rows = arms.map((a) => [
    text(a.preset),
    whole(a.total.requests),
    whole(a.total.tokens),
    interval(a.saved_tokens),
    a.total.cost === null ? '-' : `$${a.total.cost.toFixed(2)}`,
    interval(a.saved_cost),
    a.total.needles.needed === 0 ? '-' : `${(100 * kept(a)).toFixed(1)} %`,
    whole(a.total.cleared),
    whole(a.total.cache_breaks),
  ]);
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((c) => `<${tag}>${c}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((c) => row(c, 'td')).join('')}</tbody></table>`;
}

/** A bar for each arm from 0, its interval as a line. */
function savedChart(arms: readonly Arm[]): string {
  const known = arms.filter((a) => a.saved_cost !== null);
  if (known.length === 0)
    return '<p class="note">Too few conversations with a known price for an interval.</p>';
  const all = known.flatMap((a) => [a.saved_cost!.low, a.saved_cost!.high, a.saved_cost!.mean, 0]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = scale(low, high, LEFT, WIDTH - 60);
  const bars = known.map((a, i) => {
    const { mean, low: l, high: h } = a.saved_cost!;
    const y = ROW * i + 20;
    const from = Math.min(x(0), x(mean));
    return `<text x="0" y="${y + 5}">${text(a.preset)}</text>
<rect x="${n(from)}" y="${y - 9}" width="${n(Math.abs(x(mean) - x(0)))}" height="18" fill="${colour(a)}"/>
<line x1="${n(x(l))}" x2="${n(x(h))}" y1="${y}" y2="${y}" stroke="#111" stroke-width="2"/>
<text x="${n(Math.max(x(h), x(mean)) + 6)}" y="${y + 5}">${(100 * mean).toFixed(1)} %</text>`;
  });
  const height = ROW * known.length + 20;
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="saved cost by preset">
<line x1="${n(x(0))}" x2="${n(x(0))}" y1="0" y2="${height}" stroke="#9ca3af"/>
${bars.join('\n')}
</svg>`;
}

function paretoChart(arms: readonly Arm[]): string {
  const known = arms.filter((a) => a.total.cost !== null);
  if (known.length === 0) return '<p class="note">No price is known for these models.</p>';
  const height = 260;
  const most = Math.max(...known.map((a) => a.total.cost!));
  const least = Math.min(...known.map(kept));
  const x = scale(0, most, 60, WIDTH - 110);
  const y = scale(Math.min(0.9, least), 1, height - 40, 20);
  const dots = known.map(
    (a) =>
      `<circle cx="${n(x(a.total.cost!))}" cy="${n(y(kept(a)))}" r="6" fill="${colour(a)}"/>
<text x="${n(x(a.total.cost!) + 10)}" y="${n(y(kept(a)) + 4)}">${text(a.preset)}</text>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="cost against names kept">
<line x1="60" x2="${WIDTH - 20}" y1="${height - 40}" y2="${height - 40}" stroke="#9ca3af"/>
<line x1="60" x2="60" y1="20" y2="${height - 40}" stroke="#9ca3af"/>
<text x="0" y="24">100 %</text>
<text x="0" y="${height - 40}">${(100 * Math.min(0.9, least)).toFixed(0)} %</text>
<text x="60" y="${height - 20}">$0</text>
<text x="${WIDTH - 110}" y="${height - 20}">$${most.toFixed(2)}</text>
${dots.join('\n')}
</svg>`;
}

function scale(low: number, high: number, from: number, to: number): (v: number) => number {
  const span = high - low || 1;
  return (v) => from + ((v - low) / span) * (to - from);
}

function kept(a: Arm): number {
  const { needed, kept } = a.total.needles;
  return needed === 0 ? 1 : kept / needed;
}

function interval(i: Arm['saved_cost']): string {
  if (i === null) return '-';
  const p = (v: number) => (100 * v).toFixed(1);
  return `${p(i.mean)} % (${p(i.low)} to ${p(i.high)})`;
}

const colour = (a: Arm): string => COLOURS[a.preset] ?? '#111';
const n = (v: number): string => v.toFixed(1);
const whole = (v: number): string => Math.round(v).toLocaleString('en-US');
const text = (s: string): string => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

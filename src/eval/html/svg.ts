// What the plots share: scales, colours, escaped text. Pure.

export const WIDTH = 640;

const COLOURS: Readonly<Record<string, string>> = {
  off: '#6b7280',
  observe: '#a8a29e',
  conservative: '#2563eb',
  balanced: '#059669',
  aggressive: '#d97706',
  native: '#9333ea',
};
/** Of arms with names of their own, by position. */
const OTHERS = ['#dc2626', '#0891b2', '#65a30d', '#be185d'];

export function colourOf(name: string, index: number): string {
  return COLOURS[name] ?? OTHERS[index % OTHERS.length]!;
}

export function scale(low: number, high: number, from: number, to: number): (v: number) => number {
  const span = high - low || 1;
  return (v) => from + ((v - low) / span) * (to - from);
}

/** A coordinate. */
export const n = (v: number): string => v.toFixed(1);
export const whole = (v: number): string => Math.round(v).toLocaleString('en-US');
export const percent = (v: number): string => `${(100 * v).toFixed(1)} %`;
export const text = (s: string): string => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
export const note = (s: string): string => `<p class="note">${s}</p>`;

/** Tokens or money in a few characters. */
export function short(v: number): string {
  if (v >= 1e6) return `${(v / 1e6).toFixed(1)} M`;
  return v >= 1e3 ? `${Math.round(v / 1e3)} k` : String(Math.round(v));
}

export function svg(height: number, label: string, ...parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${text(label)}">\n${parts.join('\n')}\n</svg>`;
}

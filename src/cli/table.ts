// Tables and figures as people read them.
import { AS_OF, priceTableAge } from '../economics/index.js';
import { paint, width } from './paint.js';

export interface Column {
  title: string;
  /** Numbers stand right. */
  right?: boolean;
}

/** Rows under their titles; cells may be coloured. A row `undefined` is a rule. */
export function table(columns: readonly Column[], rows: readonly (readonly string[] | undefined)[]): string {
  const widths = columns.map((c, i) =>
    Math.max(width(c.title), ...rows.map((r) => (r === undefined ? 0 : width(r[i] ?? '')))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => {
        const gap = ' '.repeat(Math.max(0, widths[i]! - width(cell)));
        return columns[i]!.right === true ? gap + cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  const rule = paint.dim(widths.map((w) => '─'.repeat(w)).join('──'));
  return [
    paint.bold(line(columns.map((c) => c.title))),
    rule,
    ...rows.map((r) => (r === undefined ? rule : line(r))),
  ]
    .map((l) => `${l}\n`)
    .join('');
}

/** 12,345 */
export function whole(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}

/** 1 event, 12,345 events */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${whole(n)} ${Math.round(n) === 1 ? one : many}`;
}

/** 12.3k, 4.56M */
export function short(n: number): string {
  if (n < 1000) return String(Math.round(n));
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(2)}M`;
}

/** $1.234 */
export function money(usd: number | null | undefined): string {
  return usd === null || usd === undefined ? '-' : `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** What a figure in money is worth: the day of the prices, and how long ago that was. */
export function pricesOf(now = Date.now()): string {
  const days = priceTableAge(now);
  return `prices of ${AS_OF}${days === 0 ? '' : `, ${counted(days, 'day')} old`}`;
}

/** A saving in green, a loss in red. */
export function gain(share: number): string {
  const text = `${share < 0 ? '+' : '-'}${Math.abs(share * 100).toFixed(1)} %`;
  if (Math.abs(share) < 0.0005) return paint.dim('0.0 %');
  return share > 0 ? paint.green(text) : paint.red(text);
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  return n < 1024 * 1024 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

// The report of `curated run` as a table, what went wrong behind it.
import {
  type ConversationReport,
  type Figures,
  isSound,
  type RunReport,
  savedShare,
} from '../eval/report.js';
import { paint } from './paint.js';
import { gain, money, pricesOf, short, table, whole } from './table.js';

/** Breaches and failures that are shown of one conversation; --json has all. */
const SHOWN = 3;

export function runTable(report: RunReport): string {
  const rows = report.conversations.map((c) => cells(c.parts > 1 ? `${c.id} (${c.parts} parts)` : c.id, c));
  const out = [
    table(
      [
        { title: 'conversation' },
        { title: 'requests', right: true },
        { title: 'turns', right: true },
        { title: 'tokens off', right: true },
        { title: 'curated', right: true },
        { title: '', right: true },
        { title: 'cost off', right: true },
        { title: 'curated', right: true },
        { title: '', right: true },
        { title: 'cleared', right: true },
        { title: 'breaks', right: true },
        { title: 'recalls', right: true },
        { title: 'replay', right: true },
        { title: 'faults', right: true },
      ],
      [...rows, undefined, cells('total', report.total)],
    ),
    `\npreset ${report.preset}; tokens are prompt tokens over all requests; cost in USD (${pricesOf()}) with cache reads and writes, the cache always warm\n`,
  ];
  for (const c of report.conversations)
    if (c.window !== undefined)
      out.push(
        `${paint.yellow('note')} ${c.id}: played with a window of ${whole(c.window)}, since ${c.model}'s would not have held what was recorded\n`,
      );
  for (const c of report.conversations) out.push(...troubles(c));
  for (const s of report.skipped) out.push(`${paint.yellow('skipped')} ${s.file}:${s.line}: ${s.reason}\n`);
  out.push(report.ok ? paint.green('all checks hold\n') : paint.red('some checks do not hold\n'));
  return out.join('');
}

function cells(name: string, f: Figures): string[] {
  const faults = f.violations + f.errors;
  return [
    name,
    whole(f.requests),
    whole(f.turns),
    short(f.tokens.off),
    short(f.tokens.curated),
    gain(savedShare(f.tokens)),
    money(f.cost?.off),
    money(f.cost?.curated),
    f.cost === null ? '' : gain(savedShare(f.cost)),
    whole(f.cleared.results),
    whole(f.cache_breaks.curated),
    `${f.recalls.exact}/${f.recalls.checked}`,
    `${f.replayed.identical}/${f.replayed.requests}`,
    faults === 0 ? '0' : paint.red(String(faults)),
  ];
}

function troubles(c: ConversationReport): string[] {
  if (isSound(c)) return [];
  const lines = [
    ...c.breaches.map((b) => `request ${b.request}: ${b.rule} ${b.path}: ${b.message}`),
    ...c.failures,
  ];
  const more = lines.length > SHOWN ? [`… and ${lines.length - SHOWN} more`] : [];
  return [...lines.slice(0, SHOWN), ...more].map((l) => `${paint.red(c.id)}: ${l}\n`);
}

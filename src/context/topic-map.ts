// L1: the topic map, below its cap for any input. Pure; the counter is handed in.

import { cut, oneLine } from './one-line.js';
import { bySize, compare, isRoot, prefixOf, type Topic, withoutDoubles } from './topic.js';

export type MapFormat = 'map' | 'heading';

/** SC-1: the map has fewer tokens than this. */
const MAP_TOKENS = 200;
/** Labels a prefix shows at most. */
const LABELS = 5;
/** Code points a label and a prefix may have; shorter pairs are tried when not every prefix gets its first label. */
const WIDTHS: readonly (readonly [label: number, prefix: number])[] = [
  [48, 32],
  [24, 24],
  [12, 12],
  [6, 6],
];
/** More labels never fit: each takes at least two tokens. */
const MOST = MAP_TOKENS / 2;

interface Group {
  prefix: string;
  topics: readonly Topic[];
}

export interface TopicMap {
  /** '' when there is no topic. */
  text: string;
  tokens: number;
  shown: number;
  /** Root topics that the text only counts. */
  hidden: number;
}

/**
 * @param count tokens of a text by a real tokenizer
 * @param below the text has fewer tokens than this; with less than what the heading takes the map is empty
 */
export function topicMap(
  rows: readonly Topic[],
  count: (text: string) => number,
  o: { format?: MapFormat; below?: number } = {},
): TopicMap {
  const below = Math.min(o.below ?? MAP_TOKENS, MAP_TOKENS);
  const roots = withoutDoubles(rows.filter((r) => isRoot(r) && oneLine(r.label) !== ''));
  if (roots.length === 0) return { text: '', tokens: 0, shown: 0, hidden: 0 };
  const groups = grouped(roots);
  const write = (n: number, width: readonly [number, number]) =>
    render(groups, allot(groups, n), roots.length, width, o.format ?? 'map');
  let best: { text: string; n: number } | undefined;
  for (const width of WIDTHS) {
    const n = mostThatFit(groups, (k) => count(write(k, width)) < below);
    if (best === undefined || n > best.n) best = { text: write(n, width), n };
    if (n >= groups.length) break;
  }
  const { text, n } = best!;
  const tokens = count(text);
  if (tokens >= below) return { text: '', tokens: 0, shown: 0, hidden: roots.length };
  return { text, tokens, shown: n, hidden: roots.length - n };
}

/** Prefixes by the size of their biggest topic: where not all fit, the big ones do. */
function grouped(roots: readonly Topic[]): Group[] {
  const groups = new Map<string, Topic[]>();
  for (const row of roots) {
    const prefix = oneLine(prefixOf(row.collection)) || 'other';
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [row]);
    else group.push(row);
  }
  return [...groups]
    .map(([prefix, topics]) => ({ prefix, topics: topics.sort(bySize).slice(0, LABELS) }))
    .sort((a, b) => bySize(a.topics[0]!, b.topics[0]!) || compare(a.prefix, b.prefix));
}

/** Labels a group gets when `n` are given out in rounds: everyone's first, then everyone's second. */
function allot(groups: readonly Group[], n: number): number[] {
  const got = groups.map(() => 0);
  let left = n;
  for (let round = 0; round < LABELS && left > 0; round += 1) {
    for (let i = 0; i < groups.length && left > 0; i += 1) {
      if (groups[i]!.topics.length <= round) continue;
      got[i]! += 1;
      left -= 1;
    }
  }
  return got;
}

/** The greatest n that fits. Longer texts have more tokens, but for a few at the seams: the end is walked. */
function mostThatFit(groups: readonly Group[], fits: (n: number) => boolean): number {
  const all = groups.reduce((sum, g) => sum + g.topics.length, 0);
  let low = 0;
  let high = Math.min(all, MOST);
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (fits(mid)) low = mid;
    else high = mid - 1;
  }
  return low;
}

function render(
  groups: readonly Group[],
  got: readonly number[],
  total: number,
  [labelWidth, prefixWidth]: readonly [number, number],
  format: MapFormat,
): string {
  const indent = format === 'map' ? '  ' : '';
  let shown = 0;
  const lines = groups
    .map(({ prefix, topics }, i) => {
      const own = topics.slice(0, got[i]);
      shown += own.length;
      const labels = own.map((t) => `${cut(oneLine(t.label), labelWidth)} (${t.doc_count})`);
      return { prefix, labels };
    })
    .filter((line) => line.labels.length > 0)
    .sort((a, b) => compare(a.prefix, b.prefix))
    .map((line) => `${indent}${cut(line.prefix, prefixWidth)}: ${line.labels.join(', ')}`);
  if (shown < total) lines.push(`${indent}… (${total - shown} more)`);
  return [...(format === 'map' ? ['Project knowledge map:'] : ['## Knowledge Map', '']), ...lines].join('\n');
}

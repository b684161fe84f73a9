// L2: what is known of the topics that were mentioned, as text within its limits (M-9, M-12). Pure.

import { snippet } from './story.js';

export interface Known {
  /** Room of an entry, tool of a result, role of a message. */
  room: string;
  text: string;
}

export interface OnDemand {
  /** '' when nothing is known. */
  text: string;
  tokens: number;
  entries: number;
}

/** M-9: characters of one line's snippet. */
const SNIPPET = 300;
/** M-12: real tokens of all of it, the heading included. */
export const ON_DEMAND_TOKENS = 500;

/** `## L2 — ON-DEMAND (k entries)`, then `  [room] snippet` for each that fits, in the order given; the same text once. */
export function onDemand(
  known: readonly Known[],
  count: (text: string) => number,
  max = ON_DEMAND_TOKENS,
): OnDemand {
  const lines: string[] = [];
  const written = () => [`## L2 — ON-DEMAND (${lines.length} entries)`, ...lines].join('\n');
  const seen = new Set<string>();
  for (const { room, text } of known) {
    const line = `  [${room}] ${snippet(text, SNIPPET)}`;
    if (text.trim() === '' || seen.has(line)) continue;
    seen.add(line);
    lines.push(line);
    if (count(written()) > max) lines.pop();
  }
  if (lines.length === 0) return { text: '', tokens: 0, entries: 0 };
  return { text: written(), tokens: count(written()), entries: lines.length };
}

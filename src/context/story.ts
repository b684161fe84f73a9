// L1, second part: what matters most of what was filed (M-2, M-3, M-4). Pure: entries come sorted by importance.

import { cut, oneLine } from './one-line.js';
import { compare } from './topic.js';

export interface Entry {
  id: string;
  text: string;
  wing?: string | undefined;
  room?: string | undefined;
  source_file?: string | undefined;
  importance?: number | undefined;
  /** Epoch ms. */
  filed_at?: number | undefined;
  supersedes?: string | undefined;
}

export const STORY_ENTRIES = 15;
/** M-2: characters of the story; M-3: and real tokens, all of it counted. */
const STORY_CHARS = 3200;
const STORY_TOKENS = 800;
const SNIPPET = 200;
const DEFAULT_ROOM = 'general';
const DEFAULT_IMPORTANCE = 3;
const HEADING = '## L1 — ESSENTIAL STORY';
const MORE = '  ... (more in L3 search)';

/** First present of importance, emotional_weight, weight; 3 when none is there, or what is there is no number (M-2). */
export function importanceOf(entry: object): number {
  const fields = entry as Record<string, unknown>;
  for (const key of ['importance', 'emotional_weight', 'weight']) {
    const value = fields[key];
    if (value === undefined || value === null) continue;
    const n = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof n === 'number' && Number.isFinite(n) ? n : DEFAULT_IMPORTANCE;
  }
  return DEFAULT_IMPORTANCE;
}

/** On one line; over 200 characters 197 of them and `...`. */
export function snippet(text: string, max = SNIPPET): string {
  return cut(oneLine(text), max, '...');
}

/** The order of M-4: importance, then the newest. Negative: `a` comes first. */
function byWeight(a: Entry, b: Entry): number {
  return importanceOf(b) - importanceOf(a) || (b.filed_at ?? 0) - (a.filed_at ?? 0) || compare(b.id, a.id);
}

/**
 * The story within its caps: rooms sorted, entries of a room by weight. What does not fit is announced, and the line that
 * says so is counted. '' when there is no entry, or no room for one.
 * @param top the heaviest entries; `more` = there are others beyond them
 */
export function story(
  top: readonly Entry[],
  count: (text: string) => number,
  o: { maxTokens?: number; maxBytes?: number; more?: boolean } = {},
): string {
  const entries = [...top].sort(byWeight).slice(0, STORY_ENTRIES);
  const fits = (text: string) =>
    text.length <= STORY_CHARS &&
    Buffer.byteLength(text) <= (o.maxBytes ?? Number.POSITIVE_INFINITY) &&
    count(text) <= Math.min(STORY_TOKENS, o.maxTokens ?? STORY_TOKENS);
  for (let n = entries.length; n > 0; n -= 1) {
    const more = n < top.length || o.more === true;
    const text = render(entries.slice(0, n), more);
    if (fits(text)) return text;
  }
  return '';
}

function render(entries: readonly Entry[], more: boolean): string {
  const rooms = new Map<string, Entry[]>();
  for (const entry of entries) {
    const room = cut(oneLine(entry.room ?? ''), 40) || DEFAULT_ROOM;
    const list = rooms.get(room);
    if (list === undefined) rooms.set(room, [entry]);
    else list.push(entry);
  }
  const lines = [HEADING];
  for (const room of [...rooms.keys()].sort(compare)) {
    lines.push(`[${room}]`);
    for (const e of rooms.get(room)!) {
      const file = cut(oneLine(e.source_file ?? ''), 80);
      lines.push(`  - ${snippet(e.text)}${file === '' ? '' : `  (${file})`}`);
    }
  }
  if (more) lines.push(MORE);
  return lines.join('\n');
}

// More conversations to learn from: pieces of whole ones, one behind the other. Where another begins is a shift by
// construction, whoever talks about whatever; so the rule learns less of how the marked sets happen to talk. Reads files;
// ships none.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../../random.js';
import { type Dialogue, type Exchange, loadSet } from './data.js';

interface Plan {
  dialogues: number;
  seed: number;
}

/** Pieces of a spliced dialogue, and exchanges of a piece: least and most. */
const PIECES = [3, 5] as const;
const EXCHANGES = [2, 6] as const;

export function splice(pool: readonly (readonly Exchange[])[], { dialogues, seed }: Plan): Dialogue[] {
  const random = seeded(seed);
  const between = ([least, most]: readonly [number, number]) =>
    least + Math.floor(random() * (most - least + 1));
  return Array.from({ length: dialogues }, (_, at) => {
    const exchanges: Exchange[] = [];
    for (let left = between(PIECES); left > 0; left -= 1) {
      const piece = pool[Math.floor(random() * pool.length)]!;
      for (const [i, { input, reply }] of piece.slice(0, between(EXCHANGES)).entries())
        exchanges.push({ input, reply, shift: i === 0 && exchanges.length > 0 });
    }
    return { id: `spliced-${seed}-${at}`, exchanges };
  });
}

/** What the agents' transcripts are cut into: the same length as the longest piece. */
const WINDOW = EXCHANGES[1];
const INPUT_MOST = 2000;
const REPLY_MOST = 2400;
const AGENTS = ['cc', 'pi', 'aider'] as const;

interface Block {
  type: string;
  text?: string;
}

interface Transcript {
  messages: { role: string; content: string | readonly Block[] | null }[];
  meta: { session_starts?: readonly number[] };
}

function textOf(content: string | readonly Block[] | null): string {
  if (typeof content === 'string') return content.trim();
  return (content ?? [])
    .flatMap((b) => (b.type === 'text' ? [b.text ?? ''] : []))
    .join('\n')
    .trim();
}

/** Inputs and replies of an agent's transcript, parted where its session was started anew. */
export function exchangesIn({ messages, meta }: Transcript): Exchange[][] {
  const starts = new Set(meta.session_starts);
  const parts: Exchange[][] = [[]];
  for (const [i, { role, content }] of messages.entries()) {
    if (starts.has(i)) parts.push([]);
    const part = parts.at(-1)!;
    const text = textOf(content);
    if (text === '') continue;
    if (role === 'user') {
      // The host says this at a compaction, nobody typed it.
      if (text.startsWith('This session is being continued')) continue;
      part.push({ input: text.slice(0, INPUT_MOST), reply: '', shift: false });
    } else if (role === 'assistant' && part.length > 0) {
      const last = part.at(-1)!;
      last.reply = `${last.reply}${last.reply === '' ? '' : '\n'}${text}`.slice(0, REPLY_MOST);
    }
  }
  return parts;
}

function coding(folder: string): Exchange[][] {
  const pool: Exchange[][] = [];
  for (const name of AGENTS) {
    const path = join(folder, `${name}.jsonl`);
    if (!existsSync(path)) continue;
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (line.trim() === '') continue;
      for (const part of exchangesIn(JSON.parse(line) as Transcript))
        for (let i = 0; i < part.length; i += WINDOW) pool.push(part.slice(i, i + WINDOW));
    }
  }
  return pool.filter((piece) => piece.length > 1);
}

/**
 * The spliced sets: dialogues about documents and chit-chat, whose own marks are too fine to learn from, and coding sessions
 * of other projects than the marked ones.
 * @param data folder with `topics` and `transcripts`; what is not there is left out
 */
export function splicedSets(data: string): Map<string, Dialogue[]> {
  const whole = (name: 'superdialseg' | 'tiage') =>
    (loadSet(join(data, 'topics'), name) ?? []).map((d) => d.exchanges).filter((e) => e.length > 1);
  const pools = [
    ['documents', whole('superdialseg'), { dialogues: 120, seed: 1 }],
    ['chat', whole('tiage'), { dialogues: 80, seed: 2 }],
    ['coding', coding(join(data, 'transcripts')), { dialogues: 50, seed: 3 }],
  ] as const;
  return new Map(
    pools.flatMap(([name, pool, plan]) => (pool.length > 0 ? [[name, splice(pool, plan)]] : [])),
  );
}

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

function between(random: () => number, [least, most]: readonly [number, number]): number {
  return least + Math.floor(random() * (most - least + 1));
}

export function splice(pool: readonly (readonly Exchange[])[], { dialogues, seed }: Plan): Dialogue[] {
  const random = seeded(seed);
  return Array.from({ length: dialogues }, (_, at) => {
    const exchanges: Exchange[] = [];
    for (let left = between(random, PIECES); left > 0; left -= 1) {
      const piece = pool[Math.floor(random() * pool.length)]!;
      for (const [i, { input, reply }] of piece.slice(0, between(random, EXCHANGES)).entries())
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
  /** Where a session began anew: indexes of messages. */
  meta: { session_starts?: readonly { msg: number }[] };
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
  const starts = new Set(meta.session_starts?.map((s) => s.msg));
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

/** One part of a transcript: exchanges of one session. */
function parts(folder: string, parted: boolean): Exchange[][] {
  const all: Exchange[][] = [];
  for (const name of AGENTS) {
    const path = join(folder, `${name}.jsonl`);
    if (!existsSync(path)) continue;
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (line.trim() === '') continue;
      const transcript = JSON.parse(line) as Transcript;
      all.push(...exchangesIn(parted ? transcript : { ...transcript, meta: {} }));
    }
  }
  return all;
}

function windows(part: readonly Exchange[], size: number): Exchange[][] {
  const all: Exchange[][] = [];
  for (let i = 0; i < part.length; i += size) all.push(part.slice(i, i + size));
  return all.filter((piece) => piece.length > 1);
}

/** Windows of whole transcripts: parted where sessions begin, there are fewer of them, and the net is no better. */
function coding(folder: string): Exchange[][] {
  return parts(folder, false).flatMap((part) => windows(part, WINDOW));
}

/** Exchanges of a piece of a session that the gate learns from: longer ones hold more of what is no shift. */
const SESSION_WINDOW = 10;
const SESSION_EXCHANGES = [2, 9] as const;

/** Dialogues of which no piece comes from the session of the piece before. */
function sessions(folder: string, { dialogues, seed }: Plan): Dialogue[] {
  const pool = parts(folder, true).flatMap((part, session) =>
    windows(part, SESSION_WINDOW).map((piece) => ({ piece, session })),
  );
  if (new Set(pool.map((p) => p.session)).size < 2) return [];
  const random = seeded(seed);
  return Array.from({ length: dialogues }, (_, at) => {
    const exchanges: Exchange[] = [];
    let last = -1;
    for (let left = between(random, PIECES); left > 0; left -= 1) {
      const others = pool.filter((p) => p.session !== last);
      const { piece, session } = others[Math.floor(random() * others.length)]!;
      last = session;
      for (const [i, { input, reply }] of piece.slice(0, between(random, SESSION_EXCHANGES)).entries())
        exchanges.push({ input, reply, shift: i === 0 && exchanges.length > 0 });
    }
    return { id: `session-${seed}-${at}`, exchanges };
  });
}

/** What is learned from besides the marked dialogues. */
export interface Spliced {
  net: ReadonlyMap<string, readonly Dialogue[]>;
  /** By the gate alone. */
  gate: ReadonlyMap<string, readonly Dialogue[]>;
}

/**
 * The spliced sets: dialogues about documents and chit-chat, whose own marks are too fine to learn from, and coding sessions
 * of other projects than the marked ones.
 * @param data folder with `topics` and `transcripts`; what is not there is left out
 */
export function splicedSets(data: string): Spliced {
  const whole = (name: 'superdialseg' | 'tiage') =>
    (loadSet(join(data, 'topics'), name) ?? []).map((d) => d.exchanges).filter((e) => e.length > 1);
  const pools = [
    ['documents', whole('superdialseg'), { dialogues: 120, seed: 1 }],
    ['chat', whole('tiage'), { dialogues: 80, seed: 2 }],
    ['coding', coding(join(data, 'transcripts')), { dialogues: 50, seed: 3 }],
  ] as const;
  const net = new Map(
    pools.flatMap(([name, pool, plan]) => (pool.length > 0 ? [[name, splice(pool, plan)]] : [])),
  );
  const { documents, chat } = Object.fromEntries(net);
  const all = { documents, chat, sessions: sessions(join(data, 'transcripts'), { dialogues: 150, seed: 4 }) };
  const gate = new Map(
    Object.entries(all).flatMap(([name, set]) =>
      set === undefined || set.length === 0 ? [] : [[name, set]],
    ),
  );
  return { net, gate };
}

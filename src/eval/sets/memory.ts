// `curated eval --set memory`: how much of a question's evidence `recall.search` brings back within a share of a long chat's
// tokens, beside plain BM25 over its messages and beside its newest messages. Each question is one pair.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecallIndex } from '../../context/recall/index-file.js';
import { type Interval, pairedBootstrap } from '../stats.js';
import type { CountText } from '../tally.js';
import { PlainBm25 } from './plain-bm25.js';

/** Shares of the chat's tokens. */
const BUDGETS = [0.05, 0.1, 0.2, 0.3] as const;
/** More hits than fit any budget. */
const MOST_HITS = 1000;

/** The ways of choosing what is in the context. */
export const WAYS = ['search', 'bm25', 'newest'] as const;
export type Way = (typeof WAYS)[number];

export interface MemoryScore {
  /** Mean share of a question's evidence messages that were brought. */
  recall: number;
  /** Share of the questions with all of them. */
  full: number;
}

export interface MemoryBudget extends Record<Way, MemoryScore> {
  /** Of the chat's tokens. */
  budget: number;
  /** Recall of search less that of the other, mean over the questions; null for fewer than five. */
  over_bm25: Interval | null;
  over_newest: Interval | null;
}

export interface MemoryReport {
  schema_version: '1';
  seed: number;
  sets: {
    set: string;
    chats: number;
    /** Those with evidence; the others cannot be rated. */
    questions: number;
    budgets: MemoryBudget[];
  }[];
}

export interface MemoryOptions {
  count: CountText;
  seed: number;
  /** Shares between 0 and 1. Default BUDGETS. */
  budgets?: readonly number[];
  /** A chat is about to be asked. */
  onChat?: (file: string) => void;
}

interface Chat {
  messages: { role?: unknown; content?: unknown }[];
  questions: { question: string; evidence: number[] }[];
}

/**
 * @param folder of `*.json`, one chat each: `{messages: [{role, content}], questions: [{question, evidence: [message index]}]}`;
 *   files of other shapes are left out. What stands before the last `-` of a file's name is its set.
 */
export function rateMemory(folder: string, o: MemoryOptions): MemoryReport {
  const budgets = o.budgets ?? BUDGETS;
  const sets = new Map<string, { chats: number; shares: Record<Way, number[]>[] }>();
  for (const file of readdirSync(folder).sort()) {
    const chat = file.endsWith('.json') ? loadChat(join(folder, file)) : undefined;
    if (chat === undefined) continue;
    o.onChat?.(file);
    const name = file.slice(0, -'.json'.length).replace(/-[^-]*$/, '');
    const set = sets.get(name) ?? {
      chats: 0,
      shares: budgets.map(() => ({ search: [], bm25: [], newest: [] })),
    };
    sets.set(name, set);
    set.chats++;
    ask(chat, budgets, o.count, (budget, way, share) => set.shares[budget]![way].push(share));
  }
  return {
    schema_version: '1',
    seed: o.seed,
    sets: [...sets].map(([set, { chats, shares }]) => ({
      set,
      chats,
      questions: shares[0]?.search.length ?? 0,
      budgets: shares.map((of, i) => ({
        budget: budgets[i]!,
        search: scoreOf(of.search),
        bm25: scoreOf(of.bm25),
        newest: scoreOf(of.newest),
        over_bm25: lead(of.search, of.bm25, o.seed),
        over_newest: lead(of.search, of.newest, o.seed),
      })),
    })),
  };
}

function ask(
  chat: Chat,
  budgets: readonly number[],
  count: CountText,
  tell: (budget: number, way: Way, share: number) => void,
): void {
  const texts = chat.messages.map((m) => textOf(m.content));
  const sizes = texts.map(count);
  const all = sizes.reduce((a, b) => a + b, 0);
  const plain = new PlainBm25(texts);
  const index = new RecallIndex(':memory:');
  try {
    fill(index, chat, texts, sizes);
    const newest = budgets.map((share) => lastOf(sizes, share * all));
    for (const { question, evidence } of chat.questions) {
      const share = (kept: ReadonlySet<number>) =>
        evidence.filter((e) => kept.has(e)).length / evidence.length;
      const ranked = plain.rank(question);
      for (const [i, part] of budgets.entries()) {
        const budget = Math.floor(part * all);
        const hits = index.search({
          ...{ tenant: 't', session: 's', query: question, must: '', k: MOST_HITS, budget },
        });
        tell(i, 'search', share(new Set(hits.map((h) => Number(h.handle)))));
        tell(i, 'bm25', share(thatFit(ranked, sizes, budget)));
        tell(i, 'newest', share(newest[i]!));
      }
    }
  } finally {
    index.close();
  }
}

/** In this order, what is too large for the rest left out. */
function thatFit(order: readonly number[], sizes: readonly number[], budget: number): Set<number> {
  const kept = new Set<number>();
  let left = budget;
  for (const i of order) {
    if (sizes[i]! > left) continue;
    left -= sizes[i]!;
    kept.add(i);
  }
  return kept;
}

/** The end of the chat, unbroken. */
function lastOf(sizes: readonly number[], budget: number): Set<number> {
  const kept = new Set<number>();
  let left = budget;
  for (let i = sizes.length - 1; i >= 0 && sizes[i]! <= left; i--) {
    left -= sizes[i]!;
    kept.add(i);
  }
  return kept;
}

/** One passage a message, its index as the handle. */
function fill(index: RecallIndex, chat: Chat, texts: readonly string[], sizes: readonly number[]): void {
  const rows = texts.map((text, i) => ({
    seq: i + 1,
    part: 0,
    turn: i >> 1,
    role: String(chat.messages[i]!.role),
    tool: null,
    handle: `${i}`,
    tokens: sizes[i]!,
    text,
  }));
  index.add('t', 's', rows, { seq: rows.length, hash: 'h', format: 'anthropic', project: '', inputs: 0 });
}

function loadChat(file: string): Chat | undefined {
  const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Chat> | null;
  if (!Array.isArray(value?.messages) || !Array.isArray(value.questions)) return undefined;
  const { messages } = value;
  const questions = value.questions.flatMap(({ question, evidence }) => {
    const own = new Set((Array.isArray(evidence) ? evidence : []).filter((e) => messages[e] !== undefined));
    return typeof question === 'string' && own.size > 0 ? [{ question, evidence: [...own] }] : [];
  });
  return { messages, questions };
}

/** A string, or the texts of a list of blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((b: { text?: unknown } | null) => (typeof b?.text === 'string' ? b.text : ''))
    .join('\n');
}

function scoreOf(shares: readonly number[]): MemoryScore {
  const n = Math.max(1, shares.length);
  return {
    recall: shares.reduce((a, b) => a + b, 0) / n,
    full: shares.filter((s) => s === 1).length / n,
  };
}

function lead(ours: readonly number[], theirs: readonly number[], seed: number): Interval | null {
  return (
    pairedBootstrap(
      ours.map((s, i) => s - theirs[i]!),
      { seed },
    ) ?? null
  );
}

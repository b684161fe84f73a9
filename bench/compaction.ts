// What a compaction keeps. On recorded compactions: identifiers that the next 40 calls need and the summary holds, made by
// the built-in summariser, beside what the recorded agents' own summaries held. On long chats: evidence that `recall.search`
// brings back within a tenth of the conversation, beside plain BM25. Figures are of the development half of the data.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attach } from '../native/index.js';
import { anthropic } from '../src/providers/anthropic/index.js';
import { isGenuineUser } from '../src/providers/groups.js';
import { chooseWords, compose } from '../src/summary/compose.js';
import { extract } from '../src/summary/extractive.js';
import { argumentText, identifiersIn } from '../src/summary/identifiers.js';
import { type SourceMessage, sourceOf } from '../src/summary/source.js';
import { evidenceIn } from './evidence.js';

/** Tokens of the whole summary message, and of the user's words in it. */
const BUDGET = 2800;
const WORDS = 700;
const NEXT_CALLS = 40;

interface Conversation {
  id: string;
  format: string;
  messages: { content: unknown }[];
  meta: { compactions?: { msg: number }[] };
}

export function dataFolder(name: string): string | undefined {
  const root = resolve(fileURLToPath(import.meta.url), '../../..');
  const folder = resolve(process.env['CURATED_SHARED'] ?? resolve(root, '../shared'), 'data', name);
  return existsSync(folder) ? folder : undefined;
}

function sources(messages: readonly unknown[]): SourceMessage[] {
  let turn = -1;
  return messages.map((value, at) => {
    const reading = anthropic.read({ text: JSON.stringify(value), value });
    if (isGenuineUser(reading)) turn += 1;
    return sourceOf(at, Math.max(0, turn), reading, () => undefined);
  });
}

/** The whole summary message, as the session builds it. */
export function summaryOf(messages: readonly SourceMessage[], count: (text: string) => number): string {
  const said = messages.filter((m) => m.role === 'user' && m.text !== '');
  const { users, omitted } = chooseWords(
    said.map((m) => ({ turn: m.turn, text: m.text })),
    WORDS,
    count,
  );
  const turns: [number, number] = [messages[0]?.turn ?? 0, messages.at(-1)?.turn ?? 0];
  const covers: [number, number] = [messages[0]?.at ?? 0, messages.at(-1)?.at ?? 0];
  const base = {
    kind: 'compaction',
    covers,
    turns,
    handle: 'r00000000000000',
    users,
    omitted,
    current: 'below',
  } as const;
  const used = count(compose({ ...base, blocks: [{ turns, covers, text: '', kinds: [] }] }));
  const { text, kinds } = extract(messages, BUDGET - used - 8, count);
  return compose({ ...base, blocks: [{ turns, covers, text, kinds }] });
}

interface Score {
  id: string;
  at: number;
  needed: number;
  kept: number;
  recorded: number;
  tokens: number;
}

function score(c: Conversation, from: number, at: number, count: (text: string) => number): Score {
  const all = sources(c.messages);
  const before = all.slice(from, at);
  const known = new Set<string>();
  for (const m of before) {
    for (const text of [m.text, ...m.calls.map((x) => argumentText(x.args)), ...m.results.map((r) => r.text)])
      for (const id of identifiersIn(text)) known.add(id);
  }
  const calls = all
    .slice(at)
    .flatMap((m) => m.calls)
    .slice(0, NEXT_CALLS);
  const needed = new Set(
    calls.flatMap((x) => identifiersIn(argumentText(x.args))).filter((id) => known.has(id)),
  );
  const text = summaryOf(before, count);
  const recorded = all[at]?.text ?? '';
  const held = (s: string) => [...needed].filter((id) => s.includes(id)).length;
  return {
    id: c.id,
    at,
    needed: needed.size,
    kept: held(text),
    recorded: held(recorded),
    tokens: count(text),
  };
}

function identifierFigures(folder: string, count: (text: string) => number): Record<string, number> {
  const scores: Score[] = [];
  for (const file of ['cc.jsonl', 'pi.jsonl']) {
    for (const line of readFileSync(resolve(folder, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const c = JSON.parse(line) as Conversation;
      let from = 0;
      for (const { msg } of c.meta.compactions ?? []) {
        scores.push(score(c, from, msg, count));
        from = msg;
      }
    }
  }
  for (const s of scores) {
    console.log(
      `${s.id.padEnd(24)} before ${String(s.at).padStart(4)}: ${s.kept} of ${s.needed} identifiers in ${s.tokens} tokens; recorded summary ${s.recorded}`,
    );
  }
  const cc = scores.filter((s) => s.id.startsWith('cc'));
  const share = (of: readonly Score[], key: 'kept' | 'recorded') =>
    Number((of.reduce((n, s) => n + s[key], 0) / of.reduce((n, s) => n + s.needed, 0)).toFixed(4));
  return {
    identifiers: cc.reduce((n, s) => n + s.needed, 0),
    identifiers_kept: share(cc, 'kept'),
    identifiers_kept_recorded: share(cc, 'recorded'),
    identifiers_kept_all: share(scores, 'kept'),
    summary_tokens_max: Math.max(...scores.map((s) => s.tokens)),
  };
}

export default function run(): { name: string; figures: Record<string, number> } {
  const tokenizer = attach();
  const count = (text: string) => tokenizer.count(text, 'o200k_base');
  const figures: Record<string, number> = {};
  const transcripts = dataFolder('transcripts');
  if (transcripts === undefined)
    console.log('skipped: no recorded transcripts (CURATED_SHARED names their folder)');
  else Object.assign(figures, identifierFigures(transcripts, count));
  const memory = dataFolder('memoryqa');
  if (memory === undefined) console.log('skipped: no long chats (CURATED_SHARED names their folder)');
  for (const { set, search, bm25 } of (memory === undefined ? undefined : evidenceIn(memory, count)) ?? []) {
    figures[`evidence_bm25_${set}`] = bm25;
    figures[`evidence_recall_${set}`] = search;
  }
  return { name: 'compaction', figures };
}

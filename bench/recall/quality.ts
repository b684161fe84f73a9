// How much of a question's evidence `recall.search` brings within a tenth of a chat's tokens, beside plain BM25 over messages that
// fill the same budget.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RecallIndex } from '../../src/context/recall/index-file.js';
import { evidenceFigures } from '../evidence.js';

const SHARE = 0.1;

interface Chat {
  messages: { role: string; content: unknown }[];
  questions: { question: string; evidence?: number[] }[];
}

/** By set; undefined when the folder is absent. */
export function qualityFigures(
  folder: string,
  count: (text: string) => number,
): Record<string, number> | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder)
    .filter((f) => f.endsWith('.json'))
    .sort()
    .map((f) => join(folder, f));
  const plain = evidenceFigures(files, count);
  const sums = new Map<string, { n: number; share: number }>();
  for (const file of files) {
    const set = basename(file)
      .replace(/-(conv|customer|healthcare|notetaker).*|-\d+\.json$|\.json$/g, '')
      .replace(/-/g, '_')
      .toLowerCase();
    const sum = sums.get(set) ?? { n: 0, share: 0 };
    sums.set(set, sum);
    const chat = JSON.parse(readFileSync(file, 'utf8')) as Chat;
    const index = new RecallIndex(':memory:');
    const sizes = fill(index, chat, count);
    const budget = Math.floor(SHARE * sizes.reduce((a, b) => a + b, 0));
    for (const { question, evidence = [] } of chat.questions) {
      if (evidence.length === 0) continue;
      const hits = index.search({ tenant: 't', session: 's', query: question, must: '', k: 1000, budget });
      const kept = new Set(hits.map((h) => Number(h.handle)));
      sum.n += 1;
      sum.share += evidence.filter((e) => kept.has(e)).length / evidence.length;
    }
    index.close();
  }
  const figures: Record<string, number> = {};
  for (const [set, s] of sums) {
    figures[`bm25_10pct_${set}`] = plain[`evidence_bm25_${set}`]!;
    figures[`search_10pct_${set}`] = Number((s.share / s.n).toFixed(3));
  }
  return figures;
}

/** @returns tokens of each message */
function fill(index: RecallIndex, chat: Chat, count: (text: string) => number): number[] {
  const rows = chat.messages.map((m, i) => {
    const text = textOf(m.content);
    return {
      seq: i + 1,
      part: 0,
      turn: i >> 1,
      role: m.role,
      tool: null,
      handle: `${i}`,
      tokens: count(text),
      text,
    };
  });
  index.add('t', 's', rows, { seq: rows.length, hash: 'h', format: 'anthropic', project: '', inputs: 0 });
  return rows.map((r) => r.tokens);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((b) => (b as { text?: string }).text ?? '').join('\n') : '';
}

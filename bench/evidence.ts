// Evidence recall on long chats within a tenth of their tokens: plain BM25 over messages, as the data's own baseline has
// it, beside the same scores spread over a message's neighbours. Messages fill the budget in rank order.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const SHARE = 0.1;
const K1 = 1.2;
const B = 0.75;

const STOP = new Set(
  'a an and are as at be been but by can did do does for from had has have he her him his how i if in is it its me my not of on or our she so that the their them then there they this to was we were what when where which who will with would you your about'.split(
    ' ',
  ),
);

interface Chat {
  id: string;
  messages: { role: string; content: unknown }[];
  questions: { question: string; evidence?: number[] }[];
}

/** Words of a text, lightly stemmed. */
export function terms(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((w) => !STOP.has(w)).map(stem);
}

function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith('ied')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2);
  if (word.length > 4 && word.endsWith('es')) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}

class Bm25 {
  readonly #postings = new Map<string, [number, number][]>();
  readonly #lengths: number[];
  readonly #mean: number;

  constructor(docs: readonly string[][]) {
    this.#lengths = docs.map((d) => d.length);
    this.#mean = this.#lengths.reduce((a, b) => a + b, 0) / Math.max(1, docs.length);
    docs.forEach((words, i) => {
      const tf = new Map<string, number>();
      for (const w of words) tf.set(w, (tf.get(w) ?? 0) + 1);
      for (const [w, n] of tf) {
        const list = this.#postings.get(w);
        if (list === undefined) this.#postings.set(w, [[i, n]]);
        else list.push([i, n]);
      }
    });
  }

  scores(query: readonly string[]): Float64Array {
    const out = new Float64Array(this.#lengths.length);
    for (const w of new Set(query)) {
      const list = this.#postings.get(w);
      if (list === undefined) continue;
      const idf = Math.log(1 + (out.length - list.length + 0.5) / (list.length + 0.5));
      for (const [i, n] of list)
        out[i]! += (idf * n * (K1 + 1)) / (n + K1 * (1 - B + (B * this.#lengths[i]!) / this.#mean));
    }
    return out;
  }
}

/** A message speaks through its neighbours too: a question's answer names what the question named. */
export function spread(scores: Float64Array): Float64Array {
  const near = [0.45, 0.2, 0.1];
  return scores.map((s, i) => {
    let sum = s;
    near.forEach((w, d) => {
      sum += w * Math.max(scores[i - d - 1] ?? 0, scores[i + d + 1] ?? 0);
    });
    return sum;
  });
}

function chosen(scores: Float64Array, sizes: readonly number[], budget: number): Set<number> {
  const order = [...scores.keys()]
    .filter((i) => scores[i]! > 0)
    .sort((a, b) => scores[b]! - scores[a]! || a - b);
  const kept = new Set<number>();
  let left = budget;
  for (const i of order) {
    if (sizes[i]! > left) continue;
    left -= sizes[i]!;
    kept.add(i);
  }
  return kept;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((b) => (b as { text?: string }).text ?? '').join('\n') : '';
}

/** Mean over questions of the share of their evidence that is within the budget, by set. */
export function evidenceFigures(
  files: readonly string[],
  count: (text: string) => number,
): Record<string, number> {
  const sums = new Map<string, { n: number; plain: number; near: number }>();
  for (const file of files) {
    const chat = JSON.parse(readFileSync(file, 'utf8')) as Chat;
    const texts = chat.messages.map((m) => textOf(m.content));
    const sizes = texts.map(count);
    const budget = SHARE * sizes.reduce((a, b) => a + b, 0);
    const index = new Bm25(texts.map(terms));
    const set = basename(file).replace(/-(conv|customer|healthcare|notetaker).*|-\d+\.json$|\.json$/g, '');
    const sum = sums.get(set) ?? { n: 0, plain: 0, near: 0 };
    sums.set(set, sum);
    for (const q of chat.questions) {
      const evidence = q.evidence ?? [];
      if (evidence.length === 0) continue;
      const scores = index.scores(terms(q.question));
      const share = (s: Float64Array) => {
        const kept = chosen(s, sizes, budget);
        return evidence.filter((e) => kept.has(e)).length / evidence.length;
      };
      sum.n += 1;
      sum.plain += share(scores);
      sum.near += share(spread(scores));
    }
  }
  const figures: Record<string, number> = {};
  for (const [set, s] of sums) {
    const key = set.replace(/-/g, '_').toLowerCase();
    figures[`evidence_bm25_${key}`] = Number((s.plain / s.n).toFixed(3));
    figures[`evidence_recall_${key}`] = Number((s.near / s.n).toFixed(3));
  }
  return figures;
}

// Plain BM25 over whole messages, the yardstick of `--set memory`: k1 1.2, b 0.75, light stemming, stop words. Deliberately
// not the product's ranking nor its words. Pure.

const K1 = 1.2;
const B = 0.75;

const STOP = new Set(
  'a an and are as at be been but by can could did do does for from had has have he her him his how i if in is it its me my not of on or our she so that the their them then there they this to was we were what when where which who with will would you your about'.split(
    ' ',
  ),
);

/** Words of a text, lightly stemmed. */
function terms(text: string): string[] {
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

export class PlainBm25 {
  /** By word: document and how often it stands there. */
  readonly #postings = new Map<string, [number, number][]>();
  readonly #lengths: number[];
  readonly #mean: number;

  constructor(texts: readonly string[]) {
    const docs = texts.map(terms);
    this.#lengths = docs.map((d) => d.length);
    this.#mean = this.#lengths.reduce((a, b) => a + b, 0) / Math.max(1, docs.length);
    docs.forEach((words, i) => {
      const often = new Map<string, number>();
      for (const w of words) often.set(w, (often.get(w) ?? 0) + 1);
      for (const [w, n] of often) {
        const list = this.#postings.get(w);
        if (list === undefined) this.#postings.set(w, [[i, n]]);
        else list.push([i, n]);
      }
    });
  }

  /** Documents that share a word with the question, best first; of equals the older. */
  rank(question: string): number[] {
    const scores = new Float64Array(this.#lengths.length);
    for (const w of new Set(terms(question))) {
      const list = this.#postings.get(w);
      if (list === undefined) continue;
      const idf = Math.log(1 + (scores.length - list.length + 0.5) / (list.length + 0.5));
      for (const [i, n] of list)
        scores[i]! += (idf * n * (K1 + 1)) / (n + K1 * (1 - B + (B * this.#lengths[i]!) / this.#mean));
    }
    return [...scores.keys()].filter((i) => scores[i]! > 0).sort((a, b) => scores[b]! - scores[a]! || a - b);
  }
}

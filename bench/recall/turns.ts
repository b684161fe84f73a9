// Turns to search in, as many as wanted: windows of the recorded conversations, or of what every installation has; with names of
// their own in between, as in real work: a few known everywhere, most in one place only.
import { seeded } from '../../src/random.js';
import { code, json, prose, transcripts } from '../corpora.js';

/** Sessions have so many turns. */
export const TURNS_A_SESSION = 400;

export interface Turns {
  /** Text of turn i, the same whenever it is asked for. */
  text(i: number): string;
  /** Where the texts are from. */
  source: string;
}

export function turns(): Turns {
  const recorded = transcripts()?.filter((t) => t.length > 400);
  const sources = recorded ?? [prose(), code(), json()];
  const starts: number[] = [];
  let sum = 0;
  for (const s of sources) {
    starts.push(sum);
    sum += s.length;
  }
  const text = (i: number): string => {
    const random = numbers(i);
    const at = random() * sum;
    let n = 0;
    for (let low = 0, high = starts.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= at) {
        n = middle;
        low = middle + 1;
      } else high = middle;
    }
    const length = 80 + Math.floor(random() ** 3 * 1200);
    const from = Math.floor(random() * Math.max(1, sources[n]!.length - length));
    const window = sources[n]!.slice(from, from + length);
    // A name's number follows 1/x: the first few are in thousands of turns, most in one or two.
    const names = Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => `name${Math.floor(1e6 ** random())}`,
    );
    return `${window} ${names.join(' ')}`;
  };
  return { text, source: recorded === undefined ? 'generated' : 'transcripts' };
}

/** A question: some words of one turn in a row, names among them now and then. */
export function question(t: Turns, i: number, among: number): string {
  const random = numbers(i + 0x5eed);
  const words = t
    .text(Math.floor(random() * among))
    .split(/\s+/)
    .filter((w) => w.length > 1);
  const n = 2 + Math.floor(random() * 10);
  const from = Math.floor(random() * Math.max(1, words.length - n));
  return words.slice(from, from + n).join(' ');
}

/** Each turn's own: neighbours are far apart. */
function numbers(i: number): () => number {
  return seeded(Math.imul(i + 1, 0x9e3779b1));
}

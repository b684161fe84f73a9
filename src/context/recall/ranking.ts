// Order of passages for a question: BM25 of a passage and of what stands around it, against its length, with the meaning of
// its words beside. Pure; the constants were chosen on development data (bench `recall`).

import { countIn } from './sketch.js';

const K1 = 1.2;
const B = 0.75;
/** What a passage takes from its better neighbour at a distance of 1, 2, 3: an answer names what the question named. */
export const NEAR: readonly number[] = [0.7, 0.35, 0.2];
/** Of two passages that say the same the shorter one first; more so where a budget is to be filled. */
const SHORTER = 0.15;
const SHORTER_IN_BUDGET = 0.25;
const CHARS_A_TOKEN = 4;
/** Who asks for what is theirs ("my", "did I") asks for what they said: of a budget the user's own words get so much more. */
const OWN_WORDS = 2.5;
const FIRST_PERSON = /\b(?:i|i'm|i've|i'd|my|mine|me|we|our|ours|us)\b/i;
/** What a passage without a word of the question has at most of the one it stands beside. */
const BEHIND = 0.999;
/** Part of the score that meaning has. */
const MEANING = 0.1;

export interface Asked {
  hash: number;
  /** Inverse document frequency. */
  weight: number;
}

export interface Scored {
  id: number;
  /** Session, and the place in it. */
  sid: number;
  ord: number;
  /** Characters. */
  chars: number;
  /** BM25 of the passage alone, and the part of the question's weight that it has. */
  own: number;
  covered: number;
  meaning: number;
  /** Typed by the user, not by a model or a tool. */
  typed?: boolean;
}

/** Does a question ask for something of the one who asks? */
export function asksOfSelf(query: string): boolean {
  return FIRST_PERSON.test(query);
}

/** ln(1 + (N - n + 0.5) / (n + 0.5)), never negative. */
export function rarity(n: number, all: number): number {
  return Math.log(1 + Math.max(0, all - n + 0.5) / (n + 0.5));
}

/** BM25 of a passage, and the weight of the question's words that stand in it. */
export function bm25(
  sketch: string,
  words: number,
  asked: readonly Asked[],
  meanWords: number,
): { own: number; covered: number } {
  const room = K1 * (1 - B + (B * words) / Math.max(1, meanWords));
  let own = 0;
  let covered = 0;
  for (const { hash, weight } of asked) {
    const n = countIn(sketch, hash);
    if (n === 0) continue;
    own += (weight * n * (K1 + 1)) / (n + room);
    covered += weight;
  }
  return { own, covered };
}

/**
 * Best first, each with a score of 0 to 1: its part of the best, times how much of the question (`total` weight) any passage
 * has at all. Equal ones newest first. A passage without a word of the question never stands before the one it stands beside.
 */
export function ranked<T extends Scored>(
  passages: readonly T[],
  total: number,
  inBudget: boolean,
  ofSelf = false,
): (T & { score: number })[] {
  // Sessions and places are both below 2^26 by far.
  const place = (p: Scored, by: number) => p.sid * 2 ** 26 + p.ord + by;
  const at = new Map<number, number>();
  passages.forEach((p, i) => {
    at.set(place(p, 0), i);
  });
  const sums = passages.map((p) => {
    const own = (by: number) => passages[at.get(place(p, by)) ?? -1]?.own ?? 0;
    let sum = p.own;
    NEAR.forEach((share, i) => {
      sum += share * Math.max(own(-i - 1), own(i + 1));
    });
    if (inBudget && ofSelf && p.typed === true) sum *= OWN_WORDS;
    return sum / (p.chars / CHARS_A_TOKEN + 4) ** (inBudget ? SHORTER_IN_BUDGET : SHORTER);
  });
  const values = passages.map((p, i) => {
    if (p.own > 0) return sums[i]!;
    let lender = 0;
    for (let by = -NEAR.length; by <= NEAR.length; by += 1) {
      const other = at.get(place(p, by));
      if (other !== undefined && passages[other]!.own > 0) lender = Math.max(lender, sums[other]!);
    }
    return Math.min(sums[i]!, lender * BEHIND);
  });
  const best = values.reduce((a, b) => Math.max(a, b), 0);
  const reach = Math.min(1, passages.reduce((a, p) => Math.max(a, p.covered), 0) / Math.max(1e-9, total));
  return passages
    .map((p, i) => {
      const words = best > 0 ? values[i]! / best : 0;
      // Meaning alone brings nothing in, and nothing before what it only stands beside.
      const meaning = p.own > 0 ? Math.max(0, p.meaning) : 0;
      return { ...p, score: reach * ((1 - MEANING) * words + MEANING * meaning) };
    })
    .sort((a, b) => b.score - a.score || b.id - a.id);
}

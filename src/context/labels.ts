// Names of clusters by class-based TF-IDF, and the old names that live on. Pure.

import { compare, type Topic } from './topic.js';
import { dot } from './vectors.js';

const TERMS = 10;
const SHOWN = 3;
/** a label moves to a new cluster whose centroid is nearer to the old one than this. */
const SAME = 0.8;

export interface Labelled {
  label: string;
  terms: string[];
}

/**
 * For each cluster its ten weightiest words and, of them, the first three as its label. A word weighs what it is to this
 * cluster against what it is to an average one; inside a cluster a document counts a word once, so no single file names it.
 */
export function labels(clusters: readonly (readonly ReadonlyMap<string, number>[])[]): Labelled[] {
  const classes = clusters.map((documents) => {
    const counts = new Map<string, number>();
    for (const d of documents) for (const [word] of d) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  });
  const total = new Map<string, number>();
  let words = 0;
  for (const counts of classes)
    for (const [word, n] of counts) {
      total.set(word, (total.get(word) ?? 0) + n);
      words += n;
    }
  const average = words / Math.max(1, classes.length);
  return classes.map((counts, i) => {
    const own = clusters[i]!.length;
    const weighed = [...counts]
      .filter(([, n]) => n > 1 || own <= 2)
      .map(([word, n]) => ({ word, weight: (n / own) * Math.log(1 + average / total.get(word)!) }))
      .sort((a, b) => b.weight - a.weight || compare(a.word, b.word));
    const terms = distinct(weighed.map((w) => w.word)).slice(0, TERMS);
    return { label: terms.slice(0, SHOWN).join(' '), terms };
  });
}

/** Without the plural beside its singular. */
function distinct(words: readonly string[]): string[] {
  const seen = new Set<string>();
  const out: string[] = [];
  for (const word of words) {
    const stem = word.replace(/(ies|es|s|ing|ed)$/, '');
    if (seen.has(stem)) continue;
    seen.add(stem);
    out.push(word);
    if (out.length === TERMS) break;
  }
  return out;
}

/** A topic with the centre of its documents. */
export interface Placed extends Topic {
  centroid: ArrayLike<number>;
}

/**
 * labels of before pass to the clusters that are what theirs were, the nearest pairs first, one claim a label and a
 * cluster. Labels that a person gave go first and stay theirs.
 */
export function inherit<T extends Placed>(fresh: readonly T[], before: readonly Placed[]): T[] {
  const pairs: { f: number; b: number; near: number }[] = [];
  fresh.forEach((topic, f) => {
    before.forEach((old, b) => {
      if (old.collection !== topic.collection || old.centroid.length !== topic.centroid.length) return;
      const near = dot(old.centroid, topic.centroid);
      if (near > SAME) pairs.push({ f, b, near });
    });
  });
  const pinned = (b: number) => (before[b]!.pinned === true ? 1 : 0);
  pairs.sort((x, y) => pinned(y.b) - pinned(x.b) || y.near - x.near || x.f - y.f || x.b - y.b);
  const out = fresh.map((t) => ({ ...t }));
  const taken = { f: new Set<number>(), b: new Set<number>() };
  for (const { f, b } of pairs) {
    if (taken.f.has(f) || taken.b.has(b)) continue;
    taken.f.add(f);
    taken.b.add(b);
    out[f]!.label = before[b]!.label;
    if (before[b]!.pinned === true) out[f]!.pinned = true;
  }
  return out;
}

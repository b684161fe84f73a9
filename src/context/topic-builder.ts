// Topics from documents: vectors, clusters, labels, merged by label; and the cheap way for a few new ones.
// Pure computing in slices; the pause between them is the caller's.

import { clusters, nearest } from './clusters.js';
import { inherit, labels, type Placed } from './labels.js';
import type { Document } from './project-files.js';
import { counted, termsOf } from './terms.js';
import { compare } from './topic.js';
import { normalise, vectorOf } from './vectors.js';

/** more new and gone documents than this share of the old ones mean a rebuild. */
const DRIFT = 0.05;
/** Words whose weight is kept, the frequent ones first. */
const WORDS = 20_000;

/** What is kept of a build: the topics, and where each document went. */
export interface Built {
  topics: Placed[];
  /** By document id: stamp and index of its topic, -1 = noise. */
  documents: Record<string, [stamp: string, topic: number]>;
  /** Documents there were at the last rebuild. */
  size: number;
  /** Inverse document frequency of the words that more than one document has. */
  weights: Record<string, number>;
  warnings: string[];
}

/** Runs steps and lets others run after each `sliceMs` of them. */
export async function unhurried<T>(
  steps: Generator<void, T>,
  pause: () => Promise<void>,
  sliceMs = 3,
): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since > sliceMs) {
      await pause();
      since = performance.now();
    }
  }
}

/** New topics from these documents alone; labels of `before` live on. */
export function* build(documents: readonly Document[], before?: Built): Generator<void, Built> {
  const bags: ReadonlyMap<string, number>[] = [];
  const frequency = new Map<string, number>();
  for (const d of documents) {
    const bag = counted(termsOf(d.text));
    for (const word of bag.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
    bags.push(bag);
    yield;
  }
  const weights = inverse(frequency, documents.length);
  const vectors: Float32Array[] = [];
  for (const bag of bags) {
    vectors.push(vectorOf(bag, (w) => weights.get(w) ?? 0));
    yield;
  }
  const warnings: string[] = [];
  const home = new Int32Array(documents.length).fill(-1);
  let topics: Placed[] = [];
  for (const collection of [...new Set(documents.map((d) => d.collection))].sort(compare)) {
    const own = documents.map((_, i) => i).filter((i) => documents[i]!.collection === collection);
    const found = yield* clusters(own.map((i) => vectors[i]!));
    if (found.length === 0) {
      warnings.push(`${collection}: ${own.length} documents, none alike enough for a topic`);
      continue;
    }
    const members = found.map((c) => c.members.map((m) => own[m]!));
    const named = labels(members.map((list) => list.map((i) => bags[i]!)));
    const first = topics.length;
    const byLabel = new Map<string, number>();
    found.forEach((cluster, c) => {
      const { label, terms } = named[c]!;
      if (label === '') return;
      // Equal labels are one topic: the union of what both hold.
      let at = byLabel.get(label);
      if (at === undefined) {
        at = topics.length;
        byLabel.set(label, at);
        topics.push({ collection, label, doc_count: 0, terms, centroid: cluster.centroid });
      } else topics[at]!.centroid = middle(topics[at]!, cluster.centroid, cluster.members.length);
      topics[at]!.doc_count += cluster.members.length;
      for (const i of members[c]!) home[i] = at;
    });
    if (before !== undefined)
      topics = [...topics.slice(0, first), ...inherit(topics.slice(first), before.topics)];
  }
  return {
    topics,
    documents: Object.fromEntries(documents.map((d, i) => [d.id, [d.stamp, home[i]!] as [string, number]])),
    size: documents.length,
    weights: Object.fromEntries(weights),
    warnings,
  };
}

/** The topics with what is new put to its nearest and what is gone taken away; undefined when a rebuild is due. */
export function update(documents: readonly Document[], before: Built): Built | undefined {
  const now = new Map(documents.map((d) => [d.id, d]));
  const changed = documents.filter((d) => before.documents[d.id]?.[0] !== d.stamp);
  const gone = Object.keys(before.documents).filter((id) => !now.has(id));
  const drift = Math.abs(documents.length - before.size);
  if (drift > before.size * DRIFT || changed.length + gone.length > before.size * DRIFT) return undefined;
  const topics = before.topics.map((t) => ({ ...t }));
  const placed = { ...before.documents };
  const leave = (id: string) => {
    const topic = topics[placed[id]?.[1] ?? -1];
    if (topic !== undefined) topic.doc_count -= 1;
    delete placed[id];
  };
  for (const id of gone) leave(id);
  for (const d of changed) {
    leave(d.id);
    const at = assign(d, topics, before.weights);
    placed[d.id] = [d.stamp, at];
    if (at >= 0) topics[at]!.doc_count += 1;
  }
  return { ...before, topics, documents: placed, warnings: [] };
}

/** index of the nearest topic of the document's collection, or -1. */
export function assign(
  d: Pick<Document, 'text' | 'collection'>,
  topics: readonly Placed[],
  weights: Readonly<Record<string, number>>,
): number {
  const vector = vectorOf(counted(termsOf(d.text)), (w) => (Object.hasOwn(weights, w) ? weights[w]! : 0));
  return nearest(
    vector,
    topics.map((t) => (t.collection === d.collection ? t.centroid : [])),
  );
}

/** Words in one document alone say nothing about likeness, words in most of them neither. */
function inverse(frequency: ReadonlyMap<string, number>, n: number): Map<string, number> {
  const weights = new Map<string, number>();
  const frequent = [...frequency].sort((a, b) => b[1] - a[1] || compare(a[0], b[0]));
  for (const [word, df] of frequent) {
    if (weights.size >= WORDS) break;
    if (df < 2 || (n > 20 && df > n / 2)) continue;
    weights.set(word, Math.round(Math.log(n / df) * 1000) / 1000);
  }
  return weights;
}

function middle(topic: Placed, other: ArrayLike<number>, weight: number): Float32Array {
  const sum = new Float32Array(other.length);
  for (let i = 0; i < sum.length; i += 1) sum[i] = topic.centroid[i]! * topic.doc_count + other[i]! * weight;
  return normalise(sum);
}

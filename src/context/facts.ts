// What a refresh leaves behind for the next one, as a file: topics with their centres, where each document went, and the
// client's own taxonomy.

import type { Counts } from './identity.js';
import type { Placed } from './labels.js';
import { readWhole, writeWhole } from './map-file.js';
import type { Topic } from './topic.js';
import type { Built } from './topic-builder.js';

export interface Facts {
  root: string;
  built?: Built | undefined;
  /** Rows that a client gave: they make the map as long as there are any. */
  taxonomy: Topic[];
}

const VERSION = 1;

export function topicsOf(facts: Facts | undefined): readonly Topic[] {
  if (facts === undefined) return [];
  return facts.taxonomy.length > 0
    ? facts.taxonomy
    : (facts.built?.topics.filter((t) => t.doc_count > 0) ?? []);
}

/** undefined when there is none, or none that this version understands: it is made anew then. */
export function readFacts(path: string): Facts | undefined {
  const file = readWhole(path);
  if (file === undefined) return undefined;
  const value = parsed(file.text) as (Facts & { version?: number }) | undefined;
  if (value?.version !== VERSION || !Array.isArray(value.taxonomy)) return undefined;
  return { root: value.root, built: value.built, taxonomy: value.taxonomy };
}

export function writeFacts(path: string, facts: Facts): void {
  const { built } = facts;
  const topics = built?.topics.map((t): Placed => ({ ...t, centroid: Array.from(t.centroid, short) }));
  const stored = built === undefined ? {} : { built: { ...built, topics } };
  writeWhole(
    path,
    JSON.stringify({ version: VERSION, root: facts.root, taxonomy: facts.taxonomy, ...stored }),
  );
}

export function readCounts(path: string): Counts | undefined {
  const value = parsed(readWhole(path)?.text ?? '') as Partial<Counts> | undefined;
  if (typeof value?.files !== 'number' || typeof value.topics !== 'number' || !Array.isArray(value.kinds))
    return undefined;
  return value as Counts;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Four decimals are what a cosine needs. */
function short(x: number): number {
  return Math.round(x * 10_000) / 10_000;
}

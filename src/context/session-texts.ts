// What the daemon's own sessions of a project say it is about: the entries that they filed, as documents of a collection
// beside docs, code and history. And how a forgotten session leaves what was made of them. Pure.

import { createHash } from 'node:crypto';
import type { Document } from './project-files.js';
import type { Entry } from './story.js';
import type { Built } from './topic-builder.js';

const PREFIX = 'sessions__';
const ID = 'entry:';

export function fromSessions(collection: string): boolean {
  return collection.startsWith(PREFIX);
}

/** One document an entry: a decision, a summary, a digest of requests, or what a client filed. */
export function sessionTexts(entries: readonly Entry[], name: string): Document[] {
  return entries.map((e) => ({
    id: `${ID}${e.id}`,
    collection: `${PREFIX}${name}`,
    text: e.text,
    stamp: createHash('sha1').update(e.text).digest('hex').slice(0, 12),
  }));
}

/**
 * A build without anything that sessions said, for when one of them is forgotten: the next refresh builds anew. Labels that
 * a person gave stay. Undefined when nothing of sessions is in it.
 */
export function withoutSessions(built: Built): Built | undefined {
  if (!Object.keys(built.documents).some((id) => id.startsWith(ID))) return undefined;
  const topics = built.topics
    .filter((t) => t.pinned === true)
    .map((t) => ({ ...t, doc_count: 0, terms: fromSessions(t.collection) ? [] : t.terms }));
  return { topics, documents: {}, size: 0, weights: {}, warnings: [] };
}

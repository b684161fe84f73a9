// A topic as every part of this room knows it, and the rules that rows from any source go through first. Pure.

export interface Topic {
  /** Where it comes from; the part before `__` is its prefix on the map. */
  collection: string;
  label: string;
  doc_count: number;
  /** Label or id of the topic above; the map shows roots alone. */
  parent?: string | null | undefined;
  /** The label was given by a person: rebuilds keep it. */
  pinned?: boolean | undefined;
  /** Terms of the cluster, best first. */
  terms?: readonly string[] | undefined;
}

export function isRoot(topic: Topic): boolean {
  return topic.parent === undefined || topic.parent === null || topic.parent === '';
}

/** the collection's name before `__`, else all of it. */
export function prefixOf(collection: string): string {
  const at = collection.indexOf('__');
  return at > 0 ? collection.slice(0, at) : collection;
}

/**
 * rows that say the same twice (a join's doubles: collection, label and count) stand once. Equal labels with
 * different counts are different topics and stay.
 */
export function withoutDoubles<T extends Topic>(rows: readonly T[]): T[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = JSON.stringify([row.collection, row.label, row.doc_count, isRoot(row) ? null : row.parent]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** biggest first, ties by label, then by collection: never the order of arrival. */
export function bySize(a: Topic, b: Topic): number {
  return b.doc_count - a.doc_count || compare(a.label, b.label) || compare(a.collection, b.collection);
}

/** By code units: the same on every machine, whatever its locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

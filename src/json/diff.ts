// What turns one JSON text into another, as operations by path: only values whose text differs, and of a list whose length
// differs the whole list.
import { applyEdits, type TextEdit } from './edits.js';
import type { Path } from './path.js';
import { isPut, isWithScalar } from './slice.js';
import { type JsonNode, parseTree } from './tree.js';

/** `set` puts `json` in place of a value, or adds it as a member behind the others. */
export type TextChange = { op: 'set'; path: Path; json: string } | { op: 'remove'; path: Path };

/**
 * Changes that make `to` of `from`, byte for byte when applied with `applyEdits`; undefined where only the whole does. O(both
 * texts). Throws BAD_FRAME if one is not JSON.
 * @param last the edit that has probably made `to`: of one that put a scalar in place of a value it is seen without two trees
 */
export function changesOf(from: string, to: string, last?: TextEdit): TextChange[] | undefined {
  if (last?.op === 'set' && isWithScalar(from, last.path, last.json, to))
    return from === to ? [] : [{ op: 'set', path: last.path, json: last.json }];
  const found: Found[] = [];
  const root = parseTree(from);
  compare(found, from, root, to, parseTree(to), []);
  const changes = found.map((f) => f.change);
  if (changes.some((c) => c.path.length === 0)) return undefined;
  // Mostly one value stands in place of another: that is seen without carrying out an edit.
  const [only] = found;
  if (found.length === 1 && root.end - root.start === from.length && only?.node !== undefined) {
    const { change, node } = only;
    if (change.op === 'set' && isPut(from, node.start, node.end, change.json, to)) return changes;
  }
  // White space around a member that goes or comes is nobody's: then the texts differ, and the whole is said.
  return applyEdits(from, changes as readonly TextEdit[]) === to ? changes : undefined;
}

/** A change, and the value that it puts another in place of. */
interface Found {
  change: TextChange;
  node?: JsonNode;
}

function compare(
  found: Found[],
  from: string,
  a: JsonNode,
  to: string,
  b: JsonNode,
  path: (string | number)[],
): void {
  const json = to.slice(b.start, b.end);
  if (a.end - a.start === b.end - b.start && from.startsWith(json, a.start)) return;
  if (a.items !== undefined && a.items.length > 0 && a.items.length === b.items?.length) {
    for (let i = 0; i < a.items.length; i++) compare(found, from, a.items[i]!, to, b.items[i]!, [...path, i]);
    return;
  }
  if (a.entries !== undefined && b.entries !== undefined && a.entries.length > 0) {
    const members = paired(a.entries, b.entries);
    if (members !== undefined) {
      for (const { key, before, after } of members) {
        if (after === undefined) found.push({ change: { op: 'remove', path: [...path, key] } });
        else if (before !== undefined) compare(found, from, before, to, after, [...path, key]);
        else {
          const json = to.slice(after.start, after.end);
          found.push({ change: { op: 'set', path: [...path, key], json } });
        }
      }
      return;
    }
  }
  found.push({ change: { op: 'set', path, json }, node: a });
}

interface Member {
  key: string;
  before?: JsonNode;
  after?: JsonNode;
}

type Entries = NonNullable<JsonNode['entries']>;

/** Members of both objects in one order: what stays keeps its place, what is new follows; undefined where that is not so. */
function paired(a: Entries, b: Entries): Member[] | undefined {
  const before = new Map(a.map((e) => [e.key, e.value]));
  const after = new Map(b.map((e) => [e.key, e.value]));
  if (before.size !== a.length || after.size !== b.length) return undefined;
  const stay = a.filter((e) => after.has(e.key));
  // Nothing of it stays: another object, told as a whole.
  if (stay.length === 0 || stay.some((e, i) => b[i]!.key !== e.key)) return undefined;
  return [
    ...a.map(({ key, value }) => {
      const stays = after.get(key);
      return stays === undefined ? { key, before: value } : { key, before: value, after: stays };
    }),
    ...b.slice(stay.length).map(({ key, value }) => ({ key, after: value })),
  ];
}

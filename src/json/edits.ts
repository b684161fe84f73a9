// Edits of JSON text by path. Every byte that no edit names comes out as it went in.
import { fail } from '../errors.js';
import { child, type Path, pointer } from './path.js';
import { type JsonNode, parseTree } from './tree.js';

/**
 * `set` puts `json` in place of a value; on a missing key of an object it adds the member at the end.
 * `remove` takes a member or item out. `append` and `prepend` add an item to the array at `path`.
 * `before` adds an item before the item that `path` names; an index equal to the length means at the end.
 */
export type TextEdit =
  | { op: 'set'; path: Path; json: string }
  | { op: 'remove'; path: Path }
  | { op: 'append'; path: Path; json: string }
  | { op: 'prepend'; path: Path; json: string }
  | { op: 'before'; path: Path; json: string };

/** What is to happen to one node of the original text and below it. */
interface Plan {
  set?: string;
  removed?: boolean;
  below?: Map<string | number, Plan>;
  /** New items, by the index of the original item they stand before; the length of the array = at the end. */
  inserts?: Map<number, string[]>;
}

/**
 * Applies edits whose paths all name places of the ORIGINAL text. A later edit wins over an earlier one on the same
 * place and over those inside it; an edit inside a place that an earlier one replaced or removed is void, since that
 * place is gone. Items added at one place stand in the order of the edits (each `prepend` goes before the earlier
 * ones). Setting or removing a key that occurs twice takes the other occurrences out.
 * Throws BAD_FRAME if the text is not JSON and INTERNAL if a path cannot be followed.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return text;
  const root = parseTree(text);
  const plan: Plan = {};
  for (const edit of edits) enter(root, plan, edit);
  if (plan.removed) fail('INTERNAL', 'an edit would remove the whole value');
  return render(text, root, plan);
}

function lost(edit: TextEdit): never {
  return fail('INTERNAL', `an edit has no place in the text: ${edit.op}`, { path: pointer(edit.path) });
}

function enter(root: JsonNode, top: Plan, edit: TextEdit): void {
  const { path } = edit;
  const intoItem = edit.op === 'before';
  const depth = intoItem ? path.length - 1 : path.length;
  let plan = top;
  let node: JsonNode | undefined = root;
  for (let d = 0; d < depth; d++) {
    if (plan.set !== undefined || plan.removed) return;
    const step = path[d]!;
    if (node === undefined || (typeof step === 'number' ? node.items : node.entries) === undefined)
      lost(edit);
    node = child(node, step);
    if (node === undefined && !(d === path.length - 1 && edit.op === 'set' && typeof step === 'string')) {
      if (edit.op === 'remove' && d === path.length - 1) return;
      lost(edit);
    }
    plan.below ??= new Map();
    const next = plan.below.get(step) ?? {};
    plan.below.set(step, next);
    plan = next;
  }
  if (edit.op === 'set' || edit.op === 'remove') {
    delete plan.below;
    delete plan.inserts;
    delete plan.set;
    delete plan.removed;
    if (edit.op === 'set') plan.set = edit.json;
    else plan.removed = true;
    return;
  }
  if (plan.removed) return;
  if (plan.set !== undefined) {
    if (!intoItem) plan.set = applyEdits(plan.set, [{ ...edit, path: [] }]);
    return;
  }
  const length = node?.items?.length;
  const index = intoItem ? path.at(-1) : edit.op === 'append' ? length : 0;
  if (length === undefined || typeof index !== 'number' || index < 0 || index > length) lost(edit);
  plan.inserts ??= new Map();
  const at = plan.inserts.get(index) ?? [];
  plan.inserts.set(index, edit.op === 'prepend' ? [edit.json, ...at] : [...at, edit.json]);
}

function render(text: string, node: JsonNode, plan: Plan): string {
  if (plan.set !== undefined) return plan.set;
  if (node.items !== undefined) return renderItems(text, node, plan);
  if (node.entries !== undefined) return renderMembers(text, node, plan);
  return text.slice(node.start, node.end);
}

/** Start and end of the stretch between two separators that holds the i-th child, its white space included. */
function stretch(text: string, node: JsonNode, values: readonly JsonNode[], i: number): [number, number] {
  const from = i === 0 ? node.start + 1 : text.indexOf(',', values[i - 1]!.end) + 1;
  const to = i === values.length - 1 ? node.end - 1 : text.indexOf(',', values[i]!.end);
  return [from, to];
}

function renderItems(text: string, node: JsonNode, plan: Plan): string {
  const items = node.items!;
  const parts: string[] = [];
  const one = (i: number) => {
    for (const json of plan.inserts?.get(i) ?? []) parts.push(json);
  };
  for (const [i, item] of items.entries()) {
    one(i);
    const p = plan.below?.get(i);
    if (p?.removed) continue;
    const [from, to] = stretch(text, node, items, i);
    parts.push(
      p === undefined
        ? text.slice(from, to)
        : text.slice(from, item.start) + render(text, item, p) + text.slice(item.end, to),
    );
  }
  one(items.length);
  if (items.length === 0 && parts.length === 0) return text.slice(node.start, node.end);
  return `[${parts.join(',')}]`;
}

function renderMembers(text: string, node: JsonNode, plan: Plan): string {
  const entries = node.entries!;
  const values = entries.map((e) => e.value);
  const last = new Map(entries.map((e, i) => [e.key, i]));
  const parts: string[] = [];
  let changed = false;
  for (const [i, { key, value }] of entries.entries()) {
    const p = plan.below?.get(key);
    const [from, to] = stretch(text, node, values, i);
    if (p === undefined) parts.push(text.slice(from, to));
    else if (p.removed || last.get(key) !== i) changed = true;
    else parts.push(text.slice(from, value.start) + render(text, value, p) + text.slice(value.end, to));
  }
  for (const [key, p] of plan.below ?? [])
    if (p.set !== undefined && typeof key === 'string' && !last.has(key))
      parts.push(`${JSON.stringify(key)}:${p.set}`);
  if (parts.length === 0 && !changed) return text.slice(node.start, node.end);
  return `{${parts.join(',')}}`;
}

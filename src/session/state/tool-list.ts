// Which of the host's tools a request lists, and in which order: a fold of recorded decisions. A definition's text is cut
// out of the host's own list and never written. Pure.

import { catalogOf, type ToolEntry } from '../../curation/tools/catalog.js';
import type { Native } from '../../providers/types.js';

/** The host's list, measured. */
export interface ToolsPart {
  native: Native;
  tokens: number;
  /** Tokens of each definition, in order. */
  each?: readonly number[];
}

/** A definition of ours, listed beside the host's: the discover tool. */
export interface OwnTool {
  key: string;
  text: string;
  tokens: number;
}

/** A list as JSON; the host's own texts are not in it. */
export interface ToolListForm {
  order?: readonly string[];
  sent?: readonly string[];
  sentDeclared?: readonly string[];
  changed: boolean;
  hidden: string[];
  deferred: string[];
  pruned: [string, number][];
  own: OwnTool[];
  emptyIsNone?: true;
}

export class ToolList {
  /** Keys in the order in which they are listed; undefined: the host's list as it came. */
  #order: readonly string[] | undefined;
  /** As the last main request had it. */
  sent: readonly string[] | undefined;
  /** True when the list, or the host's text, is another than what the last main request carried. */
  changed = false;
  readonly hidden = new Set<string>();
  /** Declared with `defer_loading`, for the session: loaded by a message where they are not hidden (PV-A46). */
  readonly deferred = new Set<string>();
  /** Declared keys in the last main request. */
  #sentDeclared: readonly string[] | undefined;
  /** Those of them that layer 2 hid, with the turn in which it did. */
  readonly pruned = new Map<string, number>();
  readonly #own = new Map<string, OwnTool>();
  /** A list of the host's that names no tool is not sent. */
  #emptyIsNone = false;
  #part: ToolsPart | undefined;
  #sizes: ReadonlyMap<string, number> = new Map();
  #sizesOf: ToolsPart | undefined;
  #text:
    | { of: readonly string[] | undefined; part: ToolsPart | undefined; text: string | undefined }
    | undefined;

  /** Tokens of what is hidden, less what is ours: what the list is smaller by than the host's. */
  hiddenTokens = 0;

  /** The host's list, or another one of its making. @param keepOrder what was listed keeps its place, new ones follow */
  replace(part: ToolsPart | undefined, keepOrder: boolean): void {
    const old = this.#part === undefined ? undefined : this.listed();
    this.#part = part;
    this.changed = this.sent !== undefined;
    const keys = this.catalog.map((t) => t.key);
    // A tool of the host's own by the same name takes the place of ours.
    for (const key of keys) this.#own.delete(key);
    const visible = keys.filter((key) => !this.hidden.has(key));
    const own = [...this.#own.keys()];
    if (keepOrder && old !== undefined) this.#order = ordered(old, [...visible, ...own]);
    else this.#order = this.hidden.size + own.length === 0 ? undefined : [...visible, ...own];
    if (same(this.#order, keys)) this.#order = undefined;
    this.#count();
  }

  /** As another list stands; what it decided later is its own. */
  static from(other: ToolList): ToolList {
    const list = new ToolList();
    list.#order = other.#order;
    list.sent = other.sent;
    list.changed = other.changed;
    for (const key of other.hidden) list.hidden.add(key);
    for (const key of other.deferred) list.deferred.add(key);
    list.#sentDeclared = other.#sentDeclared;
    for (const [key, turn] of other.pruned) list.pruned.set(key, turn);
    for (const [key, own] of other.#own) list.#own.set(key, own);
    list.#emptyIsNone = other.#emptyIsNone;
    list.#part = other.#part;
    list.#count();
    return list;
  }

  form(): ToolListForm {
    const sentDeclared = this.#sentDeclared;
    return {
      ...(this.#order === undefined ? {} : { order: this.#order }),
      ...(this.sent === undefined ? {} : { sent: this.sent }),
      ...(sentDeclared === undefined ? {} : { sentDeclared }),
      changed: this.changed,
      hidden: [...this.hidden],
      deferred: [...this.deferred],
      pruned: [...this.pruned],
      own: [...this.#own.values()],
      ...(this.#emptyIsNone ? { emptyIsNone: true as const } : {}),
    };
  }

  /** @param part the host's list that the form belongs to */
  static of(form: ToolListForm, part: ToolsPart | undefined): ToolList {
    const list = new ToolList();
    list.#order = form.order;
    list.sent = form.sent;
    list.#sentDeclared = form.sentDeclared;
    list.changed = form.changed;
    for (const key of form.hidden) list.hidden.add(key);
    for (const key of form.deferred) list.deferred.add(key);
    for (const [key, turn] of form.pruned) list.pruned.set(key, turn);
    for (const own of form.own) list.#own.set(own.key, own);
    list.#emptyIsNone = form.emptyIsNone === true;
    list.#part = part;
    list.#count();
    return list;
  }

  get catalog(): readonly ToolEntry[] {
    return this.#part === undefined ? [] : catalogOf(this.#part.native);
  }

  /** The host sends a list that names no tool. */
  get isEmpty(): boolean {
    const value = this.#part?.native.value;
    return Array.isArray(value) && value.length === 0;
  }

  /** From here on such a list is not sent. */
  dropEmpty(): void {
    this.#emptyIsNone = true;
    if (this.isEmpty && this.sent !== undefined) this.changed = true;
  }

  listed(): readonly string[] {
    return this.#order ?? this.catalog.map((t) => t.key);
  }

  hide(keys: readonly string[]): void {
    const gone = new Set(keys);
    for (const key of keys) if (!this.#own.delete(key)) this.hidden.add(key);
    this.#set(this.listed().filter((key) => !gone.has(key)));
  }

  /** What is hidden stays in the list as deferred. Where nothing else would be left the provider takes no such list (PV-A45). */
  defer(keys: readonly string[]): void {
    if (!this.listed().some((key) => !this.deferred.has(key))) return;
    const known = new Set(this.catalog.map((t) => t.key));
    for (const key of keys) if (known.has(key) && this.hidden.has(key)) this.deferred.add(key);
    this.#set(this.listed());
  }

  /** Keys of the list as it goes out: what is deferred stands at its end, whether it is hidden or not. */
  declared(): readonly string[] {
    if (this.deferred.size === 0) return this.listed();
    const open = this.listed().filter((key) => !this.deferred.has(key));
    return [...open, ...this.catalog.map((t) => t.key).filter((key) => this.deferred.has(key))];
  }

  /** New and restored tools go to the end; what was hidden and not missed by any request goes back where it was. */
  show(keys: readonly string[]): void {
    for (const key of keys) {
      this.hidden.delete(key);
      this.pruned.delete(key);
    }
    const back = new Set(keys);
    const rest = this.listed().filter((key) => !back.has(key));
    const known = this.catalog.map((t) => t.key).filter((key) => back.has(key));
    this.#set(ordered(this.sent ?? [], [...rest, ...known]));
  }

  add(own: OwnTool): void {
    this.#own.set(own.key, own);
    this.#set([...this.listed().filter((key) => key !== own.key), own.key]);
  }

  hasOwn(key: string): boolean {
    return this.#own.has(key);
  }

  /** A main request has gone out. */
  carried(): void {
    this.sent = this.listed();
    this.#sentDeclared = this.declared();
    this.changed = false;
  }

  tokens(key: string): number {
    return this.#own.get(key)?.tokens ?? this.#sizes.get(key) ?? 0;
  }

  /** Exact text of the list; undefined when there is none, or nothing is left of it. */
  text(): string | undefined {
    const order = this.deferred.size === 0 ? this.#order : this.declared();
    if (order === undefined) return this.#emptyIsNone && this.isEmpty ? undefined : this.#part?.native.text;
    if (!same(this.#text?.of, order) || this.#text?.part !== this.#part) {
      const texts = new Map(this.catalog.map((t) => [t.key, t.text]));
      const slices = order
        .map((key) => this.#definition(texts.get(key) ?? this.#own.get(key)?.text, key))
        .filter((t) => t !== undefined);
      const text = slices.length === 0 ? undefined : `[${slices.join(',')}]`;
      this.#text = { of: order, part: this.#part, text };
    }
    return this.#text!.text;
  }

  /** The host's own text of a definition; of a deferred one with the field that says so behind it. */
  #definition(text: string | undefined, key: string): string | undefined {
    if (text === undefined || !this.deferred.has(key)) return text;
    return `${text.slice(0, text.lastIndexOf('}'))},"defer_loading":true}`;
  }

  #set(order: readonly string[]): void {
    const natural = same(
      order,
      this.catalog.map((t) => t.key),
    );
    this.#order = natural ? undefined : order;
    this.changed = this.#sentDeclared !== undefined && !same(this.declared(), this.#sentDeclared);
    this.#count();
  }

  #count(): void {
    if (this.#sizesOf !== this.#part) {
      this.#sizesOf = this.#part;
      this.#sizes = this.#part === undefined ? new Map() : sizesOf(this.#part);
    }
    this.hiddenTokens = 0;
    for (const key of this.hidden) this.hiddenTokens += this.#sizes.get(key) ?? 0;
    for (const own of this.#own.values()) this.hiddenTokens -= own.tokens;
  }
}

/** What of `keys` stands in `first` in the order of `first`, then the others in their own. */
function ordered(first: readonly string[], keys: readonly string[]): string[] {
  const wanted = new Set(keys);
  const head = first.filter((key) => wanted.has(key));
  const placed = new Set(head);
  return [...head, ...keys.filter((key) => !placed.has(key))];
}

function same(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a === b || (a !== undefined && a.length === b.length && a.every((key, i) => key === b[i]));
}

/** As measured when the list came in; by its share of the bytes where the journal does not say. */
function sizesOf(part: ToolsPart): Map<string, number> {
  const catalog = catalogOf(part.native);
  const bytes = catalog.reduce((sum, t) => sum + t.bytes, 0);
  return new Map(
    catalog.map((t, i) => [
      t.key,
      part.each?.[i] ?? (bytes === 0 ? 0 : Math.round((part.tokens * t.bytes) / bytes)),
    ]),
  );
}

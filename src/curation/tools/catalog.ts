// The host's tool list, entry by entry: each definition's exact text, its name, and what the host says about its class.
// Pure; a definition's text is only ever cut out, never written.

import { sliceValue, sliceValues } from '../../json/index.js';
import type { Native } from '../../providers/types.js';

export interface ToolEntry {
  /** The name; for what has none (server tools of some formats) or repeats one, a key of ours. Unique in the list. */
  readonly key: string;
  /** As the model calls it; undefined for an entry that only has a type. */
  readonly name: string | undefined;
  /** The definition as the host sent it. */
  readonly text: string;
  /** UTF-8 bytes of `text`. */
  readonly bytes: number;
  readonly description: string;
  /** Exact JSON text of the parameter schema, where there is one. */
  readonly parameters: string | undefined;
  readonly class: string | undefined;
  readonly subclass: string | undefined;
  readonly tags: readonly string[];
  /** Not to be hidden: provider's own tools, deferred ones, carriers of cache marks, entries without a name of their own. */
  readonly pinned: boolean;
}

type Fields = Record<string, unknown>;

const catalogs = new WeakMap<Native, readonly ToolEntry[]>();

/** Entries of a tool list, in its order. Made once for each text. */
export function catalogOf(tools: Native): readonly ToolEntry[] {
  const known = catalogs.get(tools);
  if (known !== undefined) return known;
  const values = Array.isArray(tools.value) ? (tools.value as unknown[]) : [];
  const texts = sliceValues(tools.text, []) ?? [];
  const keys = new Set<string>();
  const entries = values.map((value, i) => entryOf(value, texts[i] ?? 'null', keys));
  catalogs.set(tools, entries);
  return entries;
}

function entryOf(value: unknown, text: string, keys: Set<string>): ToolEntry {
  const outer = fieldsOf(value);
  const wrapped = isFields(outer['function']);
  const inner = wrapped ? fieldsOf(outer['function']) : outer;
  const name = string(inner['name']);
  let key = name ?? `type:${string(outer['type']) ?? ''}`;
  const own = name !== undefined && !keys.has(key);
  for (let n = 2; keys.has(key); n += 1) key = `${name ?? 'type'}#${n}`;
  keys.add(key);
  const schemaKey = inner['input_schema'] === undefined ? 'parameters' : 'input_schema';
  const marks = classOf(outer, inner, fieldsOf(inner[schemaKey]));
  const type = string(outer['type']) ?? 'custom';
  return {
    key,
    name,
    text,
    bytes: Buffer.byteLength(text),
    description: string(inner['description']) ?? '',
    parameters:
      inner[schemaKey] === undefined
        ? undefined
        : sliceValue(text, wrapped ? ['function', schemaKey] : [schemaKey]),
    ...marks,
    pinned:
      !own ||
      (type !== 'custom' && type !== 'function') ||
      outer['defer_loading'] === true ||
      outer['cache_control'] != null,
  };
}

/**
 * Where class, subclass and tags are read, first found first: the definition itself (`class`, `subclass`, `tags`), its
 * `x-curated`, `metadata` or `annotations`, the same places inside `function`, and `x-curated` of the parameter schema
 * (for providers that refuse unknown keys beside it). A tool of an MCP server, `mcp__<server>__<tool>`, that says
 * nothing has its server as class.
 */
function classOf(outer: Fields, inner: Fields, schema: Fields) {
  const places = [outer, inner].flatMap((f) => [
    f,
    fieldsOf(f['x-curated']),
    fieldsOf(f['metadata']),
    fieldsOf(f['annotations']),
  ]);
  places.push(fieldsOf(schema['x-curated']));
  const place = places.find((p) => string(p['class']) !== undefined);
  const tags = places.map((p) => p['tags']).find((t) => Array.isArray(t)) as unknown[] | undefined;
  return {
    class: string(place?.['class']) ?? serverOf(string(inner['name']) ?? ''),
    subclass: string(place?.['subclass']),
    tags: (tags ?? []).filter((t): t is string => typeof t === 'string'),
  };
}

function serverOf(name: string): string | undefined {
  return /^mcp__(.+?)__./.exec(name)?.[1];
}

function isFields(v: unknown): v is Fields {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

function fieldsOf(v: unknown): Fields {
  return isFields(v) ? v : {};
}

function string(v: unknown): string | undefined {
  return typeof v === 'string' && v !== '' ? v : undefined;
}

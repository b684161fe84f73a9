// Settings for people and clients: the effective tree in snake_case, every key's meaning, and `--print-config`. Pure.
import { stringify } from 'yaml';
import { CURATED_FIELDS, JOURNAL_FIELDS } from './curated-fields.js';
import { type Field, isMap, type Shape, snake, writeShape } from './fields.js';
import { PLUGIN_FIELDS } from './plugin-fields.js';
import { PLUGIN_IDS, type PluginKey, type Settings } from './types.js';

type Tree = Record<string, unknown>;

const KEYS = Object.keys(PLUGIN_IDS) as PluginKey[];

/** The settings in the shape of the YAML file, a plain JSON value. Unset keys are left out. */
export function effective(settings: Settings): Tree {
  const plugins: Tree = { active: [...settings.active] };
  for (const key of KEYS) {
    const shape = PLUGIN_FIELDS[key] as unknown as Shape<Tree>;
    const block = writeShape(shape, settings.plugins[key] as unknown as Tree);
    // A prompt that came from a file is named, not repeated.
    if (block['prompt_file'] !== undefined) delete block['prompt'];
    // Setting one of the two turns the ratio gate on (L5-1), so they are shown only where it is: what is shown here loads
    // again as what it was.
    if (key === 'contextWindow' && !settings.plugins.contextWindow.ratioGate) {
      delete block['max_context_tokens'];
      delete block['trigger_ratio'];
    }
    plugins[PLUGIN_IDS[key]] = block;
  }
  return {
    plugins,
    journal: writeShape(JOURNAL_FIELDS, settings.journal),
    curated: writeShape(CURATED_FIELDS, settings.curated),
  };
}

export interface KeyDescription {
  /** Dotted path as in errors. */
  path: string;
  type: string;
  /** Absent: unset by default. */
  default?: unknown;
  unit?: string;
  range?: string;
  values?: readonly string[];
  text: string;
}

function rows(shape: Shape<Tree>, under: string): KeyDescription[] {
  return Object.entries(shape as Record<string, Field<unknown>>).flatMap(([name, f]) => {
    const path = `${under}.${snake(name)}`;
    if (f.shape !== undefined) return rows(f.shape, path);
    return [
      {
        path,
        type: f.type,
        ...(f.fallback === undefined ? {} : { default: f.write(f.fallback) }),
        ...(f.unit === undefined ? {} : { unit: f.unit }),
        ...(f.range === undefined ? {} : { range: f.range }),
        ...(f.values === undefined ? {} : { values: f.values }),
        text: f.text,
      },
    ];
  });
}

/** Every key we know, in the order of the file. */
export function describe(): KeyDescription[] {
  return [
    ...KEYS.flatMap((k) => rows(PLUGIN_FIELDS[k] as unknown as Shape<Tree>, `plugins.${PLUGIN_IDS[k]}`)),
    ...rows(JOURNAL_FIELDS as unknown as Shape<Tree>, 'journal'),
    ...rows(CURATED_FIELDS as unknown as Shape<Tree>, 'curated'),
  ];
}

function note(row: KeyDescription): string {
  const limits = [
    row.default === undefined ? 'unset by default' : `default ${JSON.stringify(row.default)}`,
    row.unit,
    row.range,
    row.values === undefined || row.type === 'bool' ? undefined : row.values.join(' | '),
  ].filter((x) => x !== undefined);
  return `${row.text} (${row.type}; ${limits.join('; ')})`;
}

/**
 * The effective settings as YAML that loads to the same settings, each key under its meaning. Unset keys stand as comments,
 * and so do the two numbers of the ratio gate while it is off, since writing them down would switch it on (L5-1).
 */
export function renderConfig(settings: Settings): string {
  const byPath = new Map(describe().map((r) => [r.path, r]));
  const off = new Set(
    settings.plugins.contextWindow.ratioGate
      ? []
      : ['max_context_tokens', 'trigger_ratio'].map((k) => `plugins.${PLUGIN_IDS.contextWindow}.${k}`),
  );
  const out: string[] = [];
  const put = (tree: Tree, shape: Shape<Tree>, path: string, indent: string): void => {
    for (const [name, f] of Object.entries(shape as Record<string, Field<unknown>>)) {
      const key = snake(name);
      const at = `${path}.${key}`;
      const value = tree[key];
      if (f.shape !== undefined) {
        const inner = isMap(value) ? value : {};
        out.push(`${indent}${Object.keys(inner).length === 0 ? '# ' : ''}${key}: # ${f.text}`);
        put(inner, f.shape, at, `${indent}  `);
        continue;
      }
      const row = byPath.get(at);
      if (row !== undefined) out.push(`${indent}# ${note(row)}`);
      if (value === undefined) out.push(`${indent}# ${key}:`);
      else {
        const text = stringify({ [key]: value }, { lineWidth: 0 }).trimEnd();
        const lead = off.has(at) ? `${indent}# ` : indent;
        out.push(...text.split('\n').map((l) => `${lead}${l}`));
      }
    }
  };
  const tree = effective(settings) as { plugins: Tree; journal: Tree; curated: Tree };
  out.push('plugins:', `  active: ${JSON.stringify(tree.plugins['active'])}`);
  for (const key of KEYS) {
    const id = PLUGIN_IDS[key];
    out.push(`  ${id}:`);
    put(tree.plugins[id] as Tree, PLUGIN_FIELDS[key] as unknown as Shape<Tree>, `plugins.${id}`, '    ');
  }
  out.push('journal:');
  put(tree.journal, JOURNAL_FIELDS as unknown as Shape<Tree>, 'journal', '  ');
  out.push('curated:');
  put(tree.curated, CURATED_FIELDS as unknown as Shape<Tree>, 'curated', '  ');
  return `${out.join('\n')}\n`;
}

// One configuration (YAML text or a value) checked and turned into a layer. Pure: files come through `readFile`.

import { pointer } from '../json/path.js';
import { CURATED_FIELDS, JOURNAL_FIELDS } from './curated-fields.js';
import { isMap, type KeyPath, type Partially, readShape, type Shape, shown } from './fields.js';
import { distance, nearest } from './nearest.js';
import { PLUGIN_FIELDS } from './plugin-fields.js';
import { type ConfigLayer, STACK } from './presets.js';
import {
  type ConfigFault,
  type ConfigNotice,
  PLUGIN_IDS,
  type PluginKey,
  type PluginSettings,
} from './types.js';
import { readYaml } from './yaml-source.js';

export interface ReadOptions {
  /** Name of the source in messages: a file name, or `session`. */
  origin: string;
  /** Reads a `prompt_file`; absent: naming one is a fault (a session's configuration may not read files). */
  readFile?: (path: string) => string;
  /** Whose configuration it is; default the daemon's. The block `journal` of a session's is checked, but not used. */
  scope?: 'daemon' | 'session';
  /** The plugins that run where this configuration lists none; default those of every preset. */
  active?: readonly PluginKey[];
}

export type ReadResult =
  | { ok: true; layer: ConfigLayer; notices: ConfigNotice[] }
  | { ok: false; errors: ConfigFault[]; notices: ConfigNotice[] };

const KEYS = Object.keys(PLUGIN_IDS) as PluginKey[];
/** Full ids and aliases without their first two segments. */
const BY_NAME = new Map<string, PluginKey>(
  KEYS.flatMap((k) => [
    [PLUGIN_IDS[k] as string, k],
    [PLUGIN_IDS[k].split('.').slice(2).join('.'), k],
  ]),
);
const NAMES = [...BY_NAME.keys()];
const FOREIGN_BLOCKS = ['core', 'engine', 'capabilities'];
const OWN_BLOCKS = ['plugins', 'journal', 'curated'];

/** A readable path: keys joined by dots, list positions in brackets. */
function pathText(path: KeyPath): string {
  return path.map((p, i) => (typeof p === 'number' ? `[${p}]` : i === 0 ? p : `.${p}`)).join('');
}

class Reader {
  readonly errors: ConfigFault[] = [];
  readonly notices: ConfigNotice[] = [];
  readonly layer: ConfigLayer = {};
  private readonly noticed = new Set<string>();

  constructor(
    private readonly options: ReadOptions,
    private readonly line: (path: KeyPath) => number | undefined,
  ) {}

  fault(path: KeyPath, text: string): void {
    const line = this.line(path);
    this.errors.push({
      path: pathText(path),
      ...(path.length === 0 ? {} : { pointer: pointer(path) }),
      ...(line === undefined ? {} : { line }),
      text,
    });
  }

  notice(path: KeyPath, text: string, level: ConfigNotice['level'] = 'notice'): void {
    this.notices.push({ level, path: pathText(path), pointer: pointer(path), text });
  }

  read(root: unknown): void {
    if (root === null || root === undefined) return;
    if (!isMap(root)) {
      this.fault([], `${shown(root)} is not a map of blocks`);
      return;
    }
    for (const [key, value] of Object.entries(root)) {
      if (key === 'plugins') this.plugins(value);
      else if (key === 'journal') this.journal(value);
      else if (key === 'curated') this.curated(value);
      else if (FOREIGN_BLOCKS.includes(key)) {
        this.notice([key], `the block ${key} belongs to other software and is not used here`);
      } else {
        const near = nearest(key, [...OWN_BLOCKS, ...FOREIGN_BLOCKS]);
        this.fault([key], `unknown block; the nearest valid block is ${near}`);
      }
    }
    const target = this.layer.curated?.target;
    if (target?.tokens !== undefined && target.fraction !== undefined) {
      this.fault(['curated', 'target'], 'a target is either tokens or fraction, not both');
    }
  }

  private journal(value: unknown): void {
    const block = readShape(JOURNAL_FIELDS, value, ['journal'], this);
    if (this.options.scope === 'session') {
      this.notice(['journal'], "the journal is the daemon's: its settings are not used in a session");
    } else this.layer.journal = block;
  }

  private curated(value: unknown): void {
    const block = readShape(CURATED_FIELDS, value, ['curated'], this);
    if (this.options.scope === 'session') {
      for (const key of ['listen', 'limits'] as const) {
        if (block[key] === undefined) continue;
        this.notice(['curated', key], `${key} is the daemon's: it is not used in a session`);
        delete block[key];
      }
      if (block.context?.roots !== undefined) {
        this.notice(['curated', 'context', 'roots'], "roots is the daemon's: it is not used in a session");
        delete block.context.roots;
      }
      // A client that named both could have any variable of the daemon's environment sent anywhere.
      for (const key of ['url', 'keyEnv'] as const) {
        if (block.summarizer?.[key] === undefined) continue;
        const name = key === 'url' ? 'url' : 'key_env';
        this.notice(['curated', 'summarizer', name], `${name} is the daemon's: it is not used in a session`);
        delete block.summarizer[key];
      }
    }
    this.layer.curated = block;
  }

  private plugins(value: unknown): void {
    if (value === null || value === undefined) return;
    if (!isMap(value)) {
      this.fault(['plugins'], `${shown(value)} is not a map of plugin blocks`);
      return;
    }
    if ('active' in value) this.active(value['active']);
    const out: Record<string, unknown> = {};
    const spelled = new Map<PluginKey, string>();
    for (const [name, body] of Object.entries(value)) {
      if (name === 'active') continue;
      const path = ['plugins', name];
      const key = this.plugin(name, path);
      if (key === undefined) continue;
      const other = spelled.get(key);
      if (other !== undefined) {
        this.fault(path, `${name} and ${other} are the same plugin: use one spelling`);
        continue;
      }
      spelled.set(key, name);
      out[key] = this.pluginBlock(key, body, path);
    }
    this.layer.plugins = out as Partially<PluginSettings>;
    const active = this.layer.active ?? this.options.active ?? STACK;
    for (const [key, name] of spelled) {
      const implied = key === 'compaction' && active.includes('contextWindow');
      if (!active.includes(key) && !implied)
        this.notice(['plugins', name], `${name} has settings but does not run: it is not in plugins.active`);
    }
  }

  private active(value: unknown): void {
    const path = ['plugins', 'active'];
    if (!Array.isArray(value)) {
      this.fault(path, `${shown(value)} is not a list of plugin ids`);
      return;
    }
    const spelled = new Map<PluginKey, string>();
    for (const [i, name] of (value as unknown[]).entries()) {
      if (typeof name !== 'string') {
        this.fault([...path, i], `${shown(name)} is not a plugin id`);
        continue;
      }
      const key = this.plugin(name, [...path, i]);
      if (key === undefined) continue;
      const other = spelled.get(key);
      if (other !== undefined && other !== name) {
        this.fault([...path, i], `${name} and ${other} are the same plugin: use one spelling`);
        continue;
      }
      spelled.set(key, name);
    }
    this.layer.active = [...spelled.keys()];
    if (spelled.has('summaryBuffer') && spelled.has('compaction')) {
      // P-14, L4-16: both answer a request for compaction; one of them has to.
      this.notice(
        path,
        `${PLUGIN_IDS.summaryBuffer} and ${PLUGIN_IDS.compaction} both provide memory.compaction: ` +
          `${PLUGIN_IDS.compaction} answers requests that name no target`,
        'warning',
      );
    }
  }

  /** The plugin of that name; foreign Nexus ids give one notice, all else a fault. */
  private plugin(name: string, path: KeyPath): PluginKey | undefined {
    const key = BY_NAME.get(name);
    if (key !== undefined) return key;
    const near = nearest(name, NAMES)!;
    const id = name.split('/')[0]!;
    // Within two letters of one of ours it is a typo: taking it for a foreign id would switch a layer off in silence.
    const typo = !BY_NAME.has(id) && distance(id, near) <= 2;
    if (name.startsWith('nexus.') && !typo) {
      if (!this.noticed.has(name)) {
        this.notice(path, `${name} is not a plugin of ours and is not used here`);
        this.noticed.add(name);
      }
      return undefined;
    }
    this.fault(path, `unknown plugin ${shown(name)}; the nearest valid id is ${near}`);
    return undefined;
  }

  private pluginBlock(key: PluginKey, body: unknown, path: KeyPath): Record<string, unknown> {
    const shape = PLUGIN_FIELDS[key] as unknown as Shape<Record<string, unknown>>;
    const out = readShape(shape, body, path, this) as Record<string, unknown>;
    const file = out['promptFile'];
    if (typeof file === 'string') {
      const at = [...path, 'prompt_file'];
      if (this.options.readFile === undefined) {
        this.fault(at, 'files can be named in the configuration file only');
      } else {
        try {
          out['prompt'] = this.options.readFile(file);
        } catch (e) {
          this.fault(at, `${shown(file)} cannot be read: ${e instanceof Error ? e.message : String(e)}`);
        }
      }
    }
    return out;
  }
}

/** Reads one configuration. All faults are collected, in the order of the source. */
export function readConfig(source: unknown, options: ReadOptions): ReadResult {
  let value = source;
  let line: (path: KeyPath) => number | undefined = () => undefined;
  if (typeof source === 'string') {
    const yaml = readYaml(source);
    if (!yaml.ok) return { ok: false, errors: yaml.errors, notices: [] };
    value = yaml.value;
    line = yaml.line;
  }
  const reader = new Reader(options, line);
  reader.read(value);
  return reader.errors.length > 0
    ? { ok: false, errors: reader.errors, notices: reader.notices }
    : { ok: true, layer: reader.layer, notices: reader.notices };
}

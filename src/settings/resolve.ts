// Layers of settings merged into one complete, frozen Settings: defaults < preset < each layer in turn. Pure.
import { CURATED_FIELDS, JOURNAL_FIELDS } from './curated-fields.js';
import { type Field, isMap, type Shape } from './fields.js';
import { PLUGIN_FIELDS } from './plugin-fields.js';
import { type ConfigLayer, PRESETS } from './presets.js';
import {
  PLUGIN_IDS,
  type PluginId,
  type PluginKey,
  type PluginSettings,
  type PresetName,
  type Settings,
} from './types.js';

type Tree = Record<string, unknown>;

/** Parts of nested blocks merge; every other value replaces. */
function mergeBlock(shape: Shape<Tree>, layers: readonly Tree[]): Tree {
  const out: Tree = {};
  for (const [name, field] of Object.entries(shape as Record<string, Field<unknown>>)) {
    const values = layers.map((l) => l[name]).filter((v) => v !== undefined);
    if (field.shape !== undefined) {
      const merged = mergeBlock(field.shape, values.filter(isMap));
      // A block without any default (`target`) is unset as a whole until somebody sets a part of it.
      const optional = Object.keys(merged).length === 0 && name === 'target';
      if (!optional) out[name] = merged;
    } else {
      const value = values.length > 0 ? values[values.length - 1] : field.fallback;
      if (value !== undefined) out[name] = value;
    }
  }
  return out;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const v of Object.values(value)) freeze(v);
  }
  return value;
}

/** A set that cannot be changed: Object.freeze does not reach into a Set. */
class FrozenSet<T> extends Set<T> {
  private sealed = false;
  constructor(values: Iterable<T>) {
    super(values);
    this.sealed = true;
  }
  override add(value: T): this {
    if (this.sealed) throw new TypeError('settings are frozen');
    return super.add(value);
  }
  override delete(): boolean {
    throw new TypeError('settings are frozen');
  }
  override clear(): void {
    throw new TypeError('settings are frozen');
  }
}

/**
 * The effective settings.
 * @param layers lowest first: the daemon's configuration, then the session's
 * @param preset asked for by the call itself; goes before a preset that a layer names
 */
export function resolveSettings(layers: readonly ConfigLayer[] = [], preset?: PresetName): Settings {
  const named = layers.map((l) => l.curated?.preset).filter((p) => p !== undefined);
  const name = preset ?? named[named.length - 1] ?? 'conservative';
  const all = [PRESETS[name], ...layers];
  const of = (pick: (l: ConfigLayer) => object | undefined) =>
    all.map(pick).filter((b) => b !== undefined) as Tree[];

  const plugins: Tree = {};
  for (const key of Object.keys(PLUGIN_IDS) as PluginKey[]) {
    plugins[key] = mergeBlock(
      PLUGIN_FIELDS[key] as unknown as Shape<Tree>,
      of((l) => l.plugins?.[key]),
    );
  }
  const gate = plugins['contextWindow'] as Tree;
  gate['ratioGate'] =
    gate['mode'] === 'ratio' ||
    all.some((l) => {
      const block = l.plugins?.contextWindow;
      return block?.maxContextTokens !== undefined || block?.triggerRatio !== undefined;
    });

  const curated = mergeBlock(
    CURATED_FIELDS as unknown as Shape<Tree>,
    of((l) => l.curated),
  );
  curated['preset'] = name;
  const mode =
    name === 'off' ? 'off' : name === 'observe' || curated['observe'] === true ? 'observe' : 'enforce';
  const listed = all.map((l) => l.active).filter((a) => a !== undefined);
  const active = mode === 'off' ? [] : (listed[listed.length - 1] ?? []);
  return freeze({
    mode,
    active: new FrozenSet<PluginId>(active.map((k) => PLUGIN_IDS[k])),
    plugins: plugins as unknown as PluginSettings,
    journal: mergeBlock(
      JOURNAL_FIELDS as unknown as Shape<Tree>,
      of((l) => l.journal),
    ) as unknown as Settings['journal'],
    curated: curated as unknown as Settings['curated'],
  });
}

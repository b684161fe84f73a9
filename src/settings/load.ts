// The room's door: a configuration in, effective settings and notices out, or every fault. Pure but for `readFile`.
import { CuratedError } from '../errors.js';
import type { ConfigLayer } from './presets.js';
import { type ReadOptions, readConfig } from './read.js';
import { resolveSettings } from './resolve.js';
import type { ConfigFault, ConfigNotice, PresetName, Settings } from './types.js';

export interface LoadOptions extends ReadOptions {
  /** Layers below this configuration, lowest first: for a session, the daemon's own layer. */
  under?: readonly ConfigLayer[];
  /** Asked for by the call (`session.open`, `--preset`); goes before a preset named in a configuration. */
  preset?: PresetName;
}

export type LoadResult =
  | { ok: true; settings: Settings; layer: ConfigLayer; notices: ConfigNotice[] }
  | { ok: false; errors: ConfigFault[]; notices: ConfigNotice[] };

/** `source` is a YAML text, or its value (a session's `config`). Nothing is half-applied: any fault, no settings. */
export function loadSettings(source: unknown, options: LoadOptions): LoadResult {
  const below = (options.under ?? []).map((l) => l.active).filter((a) => a !== undefined);
  const active = below[below.length - 1];
  const read = readConfig(source, active === undefined ? options : { ...options, active });
  if (!read.ok) return read;
  const settings = resolveSettings([...(options.under ?? []), read.layer], options.preset);
  return { ok: true, settings, layer: read.layer, notices: read.notices };
}

/** `curated.yaml:12: plugins.x.age_turns: 5.5 is not an integer` */
export function faultText(fault: ConfigFault, origin: string): string {
  const where = fault.line === undefined ? origin : `${origin}:${fault.line}`;
  return fault.path === '' ? `${where}: ${fault.text}` : `${where}: ${fault.path}: ${fault.text}`;
}

/**
 * All faults as the one error that crosses the wire; `path` is the first fault's.
 * @param base pointer of the configuration in what was asked, where it came with a call
 */
export function configError(errors: readonly ConfigFault[], origin: string, base = ''): CuratedError {
  const told = errors.map(({ path: key, pointer, ...rest }) => ({
    ...(pointer === undefined && base === '' ? {} : { path: `${base}${pointer ?? ''}` }),
    ...(key === '' ? {} : { key }),
    ...rest,
  }));
  const path = told[0]?.path;
  return new CuratedError('CONFIG', errors.map((e) => faultText(e, origin)).join('\n'), {
    ...(path === undefined ? {} : { path }),
    detail: { errors: told },
  });
}

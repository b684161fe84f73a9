// What a conversation can be played under: a preset, a configuration of one's own, the provider's own editing. Pure.
import { PRESET_NAMES, type PresetName } from '../../settings/index.js';

export type ArmSpec =
  | { kind: 'preset'; name: string; preset: PresetName }
  /** `config`: value of a YAML configuration. */
  | { kind: 'config'; name: string; config: Record<string, unknown> }
  | { kind: 'native'; name: string };

/** The provider's own clearing of tool results: nothing is kept by us, nothing can be recalled. */
export const NATIVE = 'native';
/** What every other arm is held against. */
export const OFF: ArmSpec = { kind: 'preset', name: 'off', preset: 'off' };

/** Undefined: no arm has this name, so that it may be a file's. */
export function armOf(name: string): ArmSpec | undefined {
  if (name === NATIVE) return { kind: 'native', name };
  if ((PRESET_NAMES as readonly string[]).includes(name))
    return { kind: 'preset', name, preset: name as PresetName };
  return undefined;
}

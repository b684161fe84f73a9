// What the other rooms may use of the settings.
export { describe, effective, type KeyDescription, renderConfig } from './describe.js';
export { configError, faultText, type LoadOptions, type LoadResult, loadSettings } from './load.js';
export { type ConfigLayer, PRESETS } from './presets.js';
export { resolveSettings } from './resolve.js';
export * from './types.js';

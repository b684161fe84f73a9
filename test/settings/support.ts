// Helpers of the settings' tests.
import assert from 'node:assert/strict';
import { type LoadOptions, type LoadResult, loadSettings, type Settings } from '../../src/settings/index.js';

export const ORIGIN = 'config.yaml';

export function load(source: unknown, options: Partial<LoadOptions> = {}): LoadResult {
  return loadSettings(source, { origin: ORIGIN, ...options });
}

export function good(source: unknown, options: Partial<LoadOptions> = {}): Settings {
  const r = load(source, options);
  assert.ok(r.ok, r.ok ? '' : JSON.stringify(r.errors));
  return r.settings;
}

/** The faults of a source that must not load, as `path|line|text`. */
export function faults(source: unknown, options: Partial<LoadOptions> = {}): string[] {
  const r = load(source, options);
  assert.ok(!r.ok, 'it loaded');
  return r.errors.map((e) => `${e.path}|${e.line ?? '-'}|${e.text}`);
}

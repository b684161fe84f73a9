// Reads failure cases from a folder, markers expanded.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expand } from './expand.js';
import type { Case } from './types.js';

/** dist/test/conformance -> the folder of package.json. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The shared cases stand beside the repository; CURATED_SHARED names another place. */
export const SHARED_CASES = join(process.env['CURATED_SHARED'] ?? resolve(ROOT, '../shared'), 'cases');
export const OWN_CASES = join(ROOT, 'test/fixtures/cases');

/** Cases of a folder by name; undefined where the folder is not there. */
export function loadCases(folder: string): Case[] | undefined {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((f) => f.endsWith('.json') && f !== 'INDEX.json')
    .sort()
    .map((f) => expand(JSON.parse(readFileSync(join(folder, f), 'utf8'))) as Case);
}

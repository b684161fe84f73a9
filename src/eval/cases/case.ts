// A case on disk (E-1): a folder with case.yaml, input/ (config.yaml, inputs), journal/ and assertions.yaml.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { configError, loadSettings } from '../../settings/index.js';
import { type Assertion, parseAssertions } from './assertions.js';

const META = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  tags: z.array(z.string()).default([]),
  owner: z.string().optional(),
  freshness_days: z.number().positive().optional(),
  model_baseline: z.string().optional(),
  recorded_at: z.union([z.string(), z.number(), z.date()]).optional(),
});

export type CaseMeta = z.output<typeof META>;

export interface Case {
  folder: string;
  meta: CaseMeta;
  /** The sessions' configuration, for `session.open`. */
  config: Record<string, unknown> | undefined;
  /** Conversations to play: those of input/, else the recorded ones. */
  inputs: string[];
  /** What was recorded. */
  journal: string[];
  assertions: Assertion[];
}

export interface CaseError {
  folder: string;
  message: string;
}

const LOG = /\.(jsonl|json|ndjson)$/;

/**
 * All cases below a folder, in the order of their names; the folder may be one itself. Names that start with `_` or `.`
 * are left out, and cases that lack one of the tags.
 */
export function loadCases(dir: string, tags: readonly string[] = []): { cases: Case[]; errors: CaseError[] } {
  const folders = existsSync(join(dir, 'case.yaml'))
    ? [dir]
    : readdirSync(dir, { withFileTypes: true })
        .filter((e) => e.isDirectory() && !/^[_.]/.test(e.name))
        .map((e) => join(dir, e.name))
        .sort();
  const cases: Case[] = [];
  const errors: CaseError[] = [];
  const names = new Set<string>();
  for (const folder of folders) {
    try {
      const one = loadCase(folder);
      if (!tags.every((t) => one.meta.tags.includes(t))) continue;
      if (names.has(one.meta.name)) throw new Error(`another case is named ${JSON.stringify(one.meta.name)}`);
      names.add(one.meta.name);
      cases.push(one);
    } catch (e) {
      errors.push({ folder: basename(folder), message: (e as Error).message });
    }
  }
  return { cases, errors };
}

/** @throws Error that says what is wrong and where */
export function loadCase(folder: string): Case {
  const meta = META.safeParse(yamlOf(join(folder, 'case.yaml')));
  if (!meta.success) {
    const [issue] = meta.error.issues;
    throw new Error(`case.yaml: ${issue!.path.join('.') || 'value'}: ${issue!.message}`);
  }
  let assertions: Assertion[];
  try {
    assertions = parseAssertions(yamlOf(join(folder, 'assertions.yaml')));
  } catch (e) {
    const text = (e as Error).message;
    throw new Error(text.startsWith('assertions.yaml') ? text : `assertions.yaml: ${text}`);
  }
  const journal = logsOf(join(folder, 'journal'));
  const own = logsOf(join(folder, 'input'));
  const inputs = own.length > 0 ? own : journal;
  if (inputs.length === 0) throw new Error('neither input/ nor journal/ holds a conversation (*.jsonl)');
  return { folder, meta: meta.data, config: configOf(folder), inputs, journal, assertions };
}

function configOf(folder: string): Record<string, unknown> | undefined {
  const file = ['config.yaml', 'config.yml'].map((n) => join(folder, 'input', n)).find((f) => existsSync(f));
  if (file === undefined) return undefined;
  const loaded = loadSettings(readFileSync(file, 'utf8'), {
    origin: 'input/config.yaml',
    scope: 'session',
  });
  if (!loaded.ok) throw configError(loaded.errors, 'input/config.yaml');
  return (yamlOf(file) ?? {}) as Record<string, unknown>;
}

function logsOf(dir: string): string[] {
  if (!existsSync(dir) || !statSync(dir).isDirectory()) return [];
  return readdirSync(dir)
    .filter((n) => LOG.test(n) && !/^[_.]/.test(n))
    .sort()
    .map((n) => join(dir, n));
}

function yamlOf(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`${basename(file)} is missing`);
  }
  try {
    return parse(text);
  } catch (e) {
    throw new Error(`${basename(file)}: ${(e as Error).message.split('\n')[0]}`);
  }
}

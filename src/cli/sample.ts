// curated sample: cases that collect themselves, a share of the sessions and those that failed (E-4). Run it as often as you
// like: what has been looked at and has not grown is left alone.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Client } from '../client/index.js';
import { folderOf, isDrawn, type SamplerRules } from '../eval/cases/sampler.js';
import { readText, writeText } from '../named-file.js';
import { caseJournal, writeCase } from './case-folder.js';
import { printJson, say, withClient } from './connection.js';
import { share } from './numbers.js';
import { Progress } from './progress.js';
import { counted } from './table.js';

interface SampleOptions {
  rate: number;
  failureCapture?: boolean;
  most: number;
  tag?: string[];
  json?: boolean;
}

interface Sampled {
  session: string;
  folder: string;
  /** Types of events that told of a failure; empty: drawn. */
  failures: string[];
}

export function register(program: Command): void {
  program
    .command('sample')
    .description('write a share of the sessions, and those that failed, as cases for `curated eval`')
    .argument('<dir>', 'folder of the cases, one folder each')
    .option('--rate <share>', 'of the sessions, 0 to 1; drawn by their names', share, 0.05)
    .option(
      '--failure-capture',
      'also every session with an error of the provider, a full window, a failed compaction',
    )
    .option('--most <n>', 'cases that are added in one run', count, 100)
    .option('--tag <tag...>', 'tags of the cases, beside sampled or failure')
    .option('--json', 'as JSON')
    .action(async (dir: string, o: SampleOptions) => {
      const rules: SamplerRules = { rate: o.rate, failureCapture: o.failureCapture === true };
      const added = await withClient((client) => collect(client, dir, rules, o));
      if (o.json === true) printJson({ schema_version: '1', added });
      else {
        for (const s of added)
          say(`${s.folder}: ${s.failures.length === 0 ? 'drawn' : s.failures.join(', ')}`);
        say(`${counted(added.length, 'case')} added to ${dir}`);
      }
    });
}

function count(text: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError('a whole number from 1 on is expected');
  return n;
}

async function collect(
  client: Client,
  dir: string,
  rules: SamplerRules,
  o: SampleOptions,
): Promise<Sampled[]> {
  const { sessions } = await client.call('session.list', {});
  const looked = new Looked(dir);
  const added: Sampled[] = [];
  const progress = new Progress(sessions.length);
  try {
    for (const { session, seq, connected } of [...sessions].sort((a, b) =>
      a.session < b.session ? -1 : 1,
    )) {
      progress.show(session);
      progress.step();
      if (added.length >= o.most) break;
      const folder = folderOf(session);
      // One that is in use goes on: it is a case when it has come to its end.
      if (connected || existsSync(join(dir, folder))) continue;
      const drawn = isDrawn(session, rules.rate);
      if (!drawn && (!rules.failureCapture || looked.at(session) === seq)) continue;
      const journal = await caseJournal(client, session);
      const failures = rules.failureCapture ? [...journal.failures].sort() : [];
      if (!drawn && failures.length === 0) looked.put(session, seq);
      else {
        const tags = [failures.length > 0 ? 'failure' : 'sampled', ...(o.tag ?? [])];
        writeCase(join(dir, folder), journal, { name: session, tags });
        added.push({ session, folder, failures });
      }
    }
  } finally {
    progress.end();
    looked.save();
  }
  return added;
}

/** Sessions that were read and are no case, by the event they had come to; beside the cases, under a name they skip. */
class Looked {
  readonly #file: string;
  readonly #dir: string;
  readonly #seqs: Map<string, number>;

  constructor(dir: string) {
    this.#dir = dir;
    this.#file = join(dir, '.looked-at.json');
    this.#seqs = new Map(existsSync(this.#file) ? Object.entries(read(this.#file)) : []);
  }

  at(session: string): number | undefined {
    return this.#seqs.get(session);
  }

  put(session: string, seq: number): void {
    this.#seqs.set(session, seq);
  }

  save(): void {
    mkdirSync(this.#dir, { recursive: true });
    writeText(this.#file, `${JSON.stringify(Object.fromEntries(this.#seqs))}\n`);
  }
}

/** A file that is damaged only means that sessions are read once more. */
function read(file: string): Record<string, number> {
  try {
    return JSON.parse(readText(file)) as Record<string, number>;
  } catch {
    return {};
  }
}

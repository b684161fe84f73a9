// curated context: a project's packet, its topics, and a refresh of its map; by the daemon, or without one by the files.
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { attach } from '../../native/index.js';
import { systemClock } from '../clock.js';
import { EntryStore } from '../context/entry-store.js';
import { Pantry } from '../context/pantry.js';
import { prefixOf } from '../context/topic.js';
import { isThere } from '../named-file.js';
import { resolvePaths } from '../paths.js';
import { printJson, say, withClient } from './connection.js';
import { liveDaemon } from './daemon-file.js';
import { CommandError, EXIT } from './failure.js';
import { counted, table, whole } from './table.js';

interface Options {
  json?: boolean;
  global?: boolean;
  rename?: string[];
}

/** What the commands ask for: answered by the daemon, or by the files where none runs. */
interface Source {
  packet(project: string): Promise<{ text: string; tokens: number; stale_days: number }>;
  refresh(
    project: string,
    o: { global?: true; labels?: { from: string; to: string }[] },
  ): Promise<{
    topics: number;
    tokens: number;
    path: string | null;
    characters?: number | undefined;
    warnings?: readonly string[] | undefined;
  }>;
  topics(project: string): Promise<readonly { label: string; prefix: string; count: number }[]>;
}

const TENANT = 'default';

export function register(program: Command): void {
  const context = program.command('context').description("a project's context: show, refresh, topics");
  context
    .command('show')
    .description('print the packet a session of this project starts with')
    .argument('[dir]', 'a folder of the project', '.')
    .option('--json', 'as JSON')
    .action((dir: string, o: Options) =>
      using(async (source) => {
        const packet = await source.packet(resolve(dir));
        if (o.json === true) printJson(packet);
        else if (packet.text === '') say(nothingOf(dir));
        else say(packet.text);
      }),
    );
  context
    .command('refresh')
    .description('build the topic map anew')
    .argument('[dir]', 'a folder of the project', '.')
    .option('--global', 'write the map of projects that have none')
    .option('--rename <old=new...>', 'give a topic a label that stays')
    .option('--json', 'as JSON')
    .action((dir: string, o: Options) =>
      using(async (source) => {
        const labels = (o.rename ?? []).map(renaming);
        const done = await source.refresh(resolve(dir), {
          ...(o.global === true ? { global: true as const } : {}),
          ...(labels.length === 0 ? {} : { labels }),
        });
        if (o.json === true) printJson(done);
        else {
          say(done.path ?? 'no topics, so no map');
          say(
            `${counted(done.topics, 'topic')}, ${counted(done.characters ?? 0, 'character')}, ${counted(done.tokens, 'token')}`,
          );
          for (const warning of done.warnings ?? []) say(`note: ${warning}`);
        }
      }),
    );
  context
    .command('topics')
    .description('list the topics')
    .argument('[dir]', 'a folder of the project', '.')
    .option('--json', 'as JSON')
    .action((dir: string, o: Options) =>
      using(async (source) => {
        const topics = await source.topics(resolve(dir));
        if (o.json === true) printJson({ topics });
        else if (topics.length === 0) say(nothingOf(dir));
        else
          process.stdout.write(
            table(
              [{ title: 'prefix' }, { title: 'topic' }, { title: 'documents', right: true }],
              topics.map((t) => [t.prefix, t.label, whole(t.count)]),
            ),
          );
      }),
    );
}

/** What is known of a folder outlives it: one that is gone is told only where nothing is. */
function nothingOf(dir: string): string {
  if (!isThere(dir)) throw new CommandError(`${dir}: no such folder`, { exit: EXIT.usage });
  return `nothing is known of this project yet: curated context refresh ${dir} makes its map`;
}

function renaming(text: string): { from: string; to: string } {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1)
    throw new CommandError(`${JSON.stringify(text)} is not "old=new"`, { exit: EXIT.usage });
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

async function using(work: (source: Source) => Promise<void>): Promise<void> {
  if (liveDaemon(resolvePaths()) === undefined) return withFiles(work);
  await withClient((client) =>
    work({
      packet: (project) => client.call('context.packet', { project }),
      refresh: (project, o) => client.call('context.refresh', { project, ...o }),
      topics: async (project) => (await client.call('context.topics', { project })).topics,
    }),
  );
}

async function withFiles(work: (source: Source) => Promise<void>): Promise<void> {
  const { data } = resolvePaths();
  const tokenizer = attach();
  const pantry = new Pantry({
    data,
    clock: systemClock,
    count: (text) => tokenizer.count(text, 'o200k_base'),
    entries: new EntryStore(join(data, 'context', 'entries.db')),
    // What fails here is thrown as well, and nothing is watched.
    health: { green: () => {}, red: () => {}, tell: () => {} },
  });
  try {
    await work({
      packet: async (project) => pantry.packet(TENANT, project),
      refresh: (project, o) => pantry.refresh(TENANT, project, o),
      topics: async (project) =>
        pantry.topics(TENANT, project).topics.map((t) => ({
          label: t.label,
          prefix: prefixOf(t.collection),
          count: t.doc_count,
        })),
    });
  } finally {
    await pantry.close();
    tokenizer.dispose();
  }
}

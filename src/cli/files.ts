// curated files: the working buffer and the archives of a session as files, made again from its journal.

import { join } from 'node:path';
import type { Command } from 'commander';
import { printJson, say, withClient } from './connection.js';

export function register(program: Command): void {
  program
    .command('files')
    .description("make a session's readable files again from its journal, and say where they are")
    .argument('<session>', 'id of the session')
    .option('--json', 'as JSON')
    .action(async (session: string, o: { json?: boolean }) => {
      const { folder, files } = await withClient((c) => c.call('session.files', { session }));
      if (o.json === true) return printJson({ session, folder, files });
      for (const file of files) say(join(folder, file));
      if (files.length === 0)
        say(`no files: neither compaction nor the cap keeps any (persist) in ${session}`);
    });
}

#!/usr/bin/env node
// The command line's door: parses, hands over to one file per command, sets the exit code.

import { Command } from 'commander';
import { start } from './cli/start.js';
import { VERSION } from './version.js';

const program = new Command('curated')
  .description('Keeps the context of LLM agents small, valid and cheap')
  .version(VERSION);

program
  .command('start')
  .description('run the daemon')
  .option('--config <file>', 'YAML configuration')
  .option('--port <n>', 'TCP port on 127.0.0.1; 0 for any free one', Number)
  .option('--socket <path>', 'unix socket')
  .option('--detach', 'run in the background')
  .action(async (o) => {
    process.exitCode = await start(o);
  });

try {
  await program.parseAsync();
} catch (e) {
  process.stderr.write(`curated: ${(e as Error).message}\n`);
  process.exitCode = 1;
}

#!/usr/bin/env node
// The command line's door: parses, hands over to one file per command, sets the exit code.
import { Command, CommanderError } from 'commander';
import { registerFor } from './cli/commands.js';
import { EXIT, misused, report } from './cli/failure.js';
import { saysErrors } from './cli/help.js';
import { VERSION } from './version.js';

/** Ends the parsing: nothing else is asked for. */
const PRINT_CONFIG = 'curated.printConfig';

const program = saysErrors(new Command('curated'))
  .description('Keeps the context of LLM agents small, valid and cheap')
  .version(VERSION)
  .option('--print-config', 'print the effective configuration with defaults, units and ranges')
  .showSuggestionAfterError()
  // `start --print-config` is start's own, which knows of its --config.
  .enablePositionalOptions()
  .addHelpText(
    'after',
    `
Everything is under $CURATED_HOME where that is set, else in the XDG folders.
Exit codes: 0 done, 1 failed or found something wrong, 2 the command line is
wrong, 3 a daemon runs already. With --json a failure is {"error": …} on stdout.`,
  )
  .exitOverride()
  .on('option:print-config', () => {
    throw new CommanderError(EXIT.ok, PRINT_CONFIG, '');
  });

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (e: NodeJS.ErrnoException) => {
  process.exit(e.code === 'EPIPE' ? EXIT.ok : report(e));
});
// Nobody is left to be told.
process.stderr.on('error', () => {});

async function run(): Promise<void> {
  await registerFor(program, process.argv.slice(2));
  try {
    await program.parseAsync();
  } catch (e) {
    if (!(e instanceof CommanderError) || e.code !== PRINT_CONFIG) throw e;
    const { printConfig } = await import('./cli/config.js');
    printConfig();
  }
}

try {
  await run();
} catch (e) {
  // Commander has said what is wrong itself.
  if (e instanceof CommanderError) process.exitCode = e.exitCode === 0 ? EXIT.ok : misused(e);
  else process.exitCode = report(e);
}

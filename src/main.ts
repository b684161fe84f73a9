#!/usr/bin/env node
// The command line's door: parses, hands over to one file per command, sets the exit code.
import { Command, CommanderError } from 'commander';
import { register as bisect } from './cli/bisect.js';
import { register as completion } from './cli/completion.js';
import { register as config, printConfig } from './cli/config.js';
import { register as context } from './cli/context.js';
import { register as count } from './cli/count.js';
import { register as demo } from './cli/demo.js';
import { register as diff } from './cli/diff.js';
import { register as doctor } from './cli/doctor.js';
import { register as evaluate } from './cli/eval.js';
import { EXIT, misused, report } from './cli/failure.js';
import { register as files } from './cli/files.js';
import { register as forget } from './cli/forget.js';
import { register as help, saysErrors } from './cli/help.js';
import { register as journal } from './cli/journal.js';
import { register as mcp } from './cli/mcp.js';
import { register as promote } from './cli/promote.js';
import { register as replay } from './cli/replay.js';
import { register as run } from './cli/run.js';
import { register as sample } from './cli/sample.js';
import { register as savings } from './cli/savings.js';
import { register as sessions } from './cli/sessions.js';
import { register as start } from './cli/start.js';
import { register as state } from './cli/state.js';
import { register as status } from './cli/status.js';
import { register as stop } from './cli/stop.js';
import { register as tail } from './cli/tail.js';
import { register as token } from './cli/token.js';
import { register as tokenizers } from './cli/tokenizers.js';
import { register as undo } from './cli/undo.js';
import { register as whatif } from './cli/whatif.js';
import { VERSION } from './version.js';

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
    printConfig();
    throw new CommanderError(EXIT.ok, 'curated.printed', '');
  });

// In the order of the help.
for (const register of [
  start,
  stop,
  status,
  doctor,
  whatif,
  evaluate,
  promote,
  sample,
  savings,
  run,
  sessions,
  tail,
  replay,
  files,
  state,
  diff,
  bisect,
  undo,
  forget,
  journal,
  context,
  mcp,
  count,
  tokenizers,
  token,
  config,
  demo,
  completion,
  help,
])
  register(program);

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (e: NodeJS.ErrnoException) => {
  process.exit(e.code === 'EPIPE' ? EXIT.ok : report(e));
});
// Nobody is left to be told.
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (e) {
  // Commander has said what is wrong itself.
  if (e instanceof CommanderError) process.exitCode = e.exitCode === 0 ? EXIT.ok : misused(e);
  else process.exitCode = report(e);
}

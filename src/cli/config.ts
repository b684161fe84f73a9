// curated config check, and --print-config wherever it stands: the configuration validated and shown with defaults, units and ranges.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { LIMITS } from '../config.js';
import { readText } from '../named-file.js';
import { resolvePaths } from '../paths.js';
import { faultText, renderConfig } from '../settings/index.js';
import { loadSettingsFile, settingsOfText } from '../settings-file.js';
import { printJson, say } from './connection.js';
import { CommandError, EXIT } from './failure.js';
import { paint } from './paint.js';

export function register(program: Command): void {
  const config = program.command('config').description('the configuration');
  config
    .command('check')
    .description('validate a YAML configuration; exits 1 with every fault named')
    .argument('[file]', "the file; the daemon's own when absent")
    .option('--print-config', 'print the effective configuration with defaults, units and ranges')
    .option('--json', 'as JSON')
    .action((file: string | undefined, o: { printConfig?: boolean; json?: boolean }) => {
      if (o.printConfig === true) printConfig(file);
      else process.exitCode = file === undefined ? checkOwn(o.json === true) : check(file, o.json === true);
    });
}

/** The daemon's own file need not be there: without one the defaults hold. */
function checkOwn(json: boolean): number {
  const file = resolvePaths().config;
  if (existsSync(file)) return check(file, json);
  if (json) printJson({ ok: true, file: null, notices: [] });
  else say(`${paint.green('ok')} no configuration file (${file}), so the defaults hold`);
  return EXIT.ok;
}

function check(file: string, json: boolean): number {
  const loaded = loadSettingsFile(file);
  const { notices } = loaded;
  if (json) {
    printJson(loaded.ok ? { ok: true, file, notices } : { ok: false, file, errors: loaded.errors, notices });
    return loaded.ok ? EXIT.ok : EXIT.failed;
  }
  for (const n of notices) say(`${paint.yellow(n.level)} ${n.path}: ${n.text}`);
  if (loaded.ok) {
    say(`${paint.green('ok')} ${file}`);
    return EXIT.ok;
  }
  for (const e of loaded.errors) say(`${paint.red('error')} ${faultText(e, file)}`);
  return EXIT.failed;
}

/** The effective settings as YAML, the daemon's limits behind them as comments: they are no part of the file. */
export function printConfig(file?: string): void {
  const path = file ?? resolvePaths().config;
  let source = '';
  try {
    source = readText(path);
  } catch (e) {
    // Without a file of its own the daemon runs on the defaults; a file that was named must be there.
    if (file !== undefined || (e as NodeJS.ErrnoException).code !== 'ENOENT') throw e;
  }
  const loaded = settingsOfText(source, path);
  if (!loaded.ok) throw new CommandError(loaded.errors.map((e) => faultText(e, path)).join('\n'));
  say(`# Effective configuration; the file is ${path}.`);
  process.stdout.write(renderConfig(loaded.settings));
  say('\n# Limits of the daemon: name, default, range, reason.');
  for (const [name, row] of Object.entries(LIMITS))
    say(`#   ${name}: ${row.default} ${row.unit} (${row.min}..${row.max}): ${row.reason}`);
}

// curated whatif: what each preset would have saved or lost on logs that an agent has written already. No daemon.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { EvalThreads } from '../eval/threads.js';
import { playable, type WhatIfReport, whatIf } from '../eval/whatif/index.js';
import { isThere } from '../named-file.js';
import { printJson } from './connection.js';
import { CommandError, EXIT } from './failure.js';
import { share } from './numbers.js';
import { FileProgress } from './progress.js';
import { counted, whole } from './table.js';
import { whatIfTable } from './whatif-table.js';

const LOG_FILE = /\.(jsonl|json|ndjson|log)$/;

export function register(program: Command): void {
  program
    .command('whatif')
    .description('say what each preset would have saved or lost on your existing agent logs; needs no daemon')
    .argument('<logs...>', 'files or folders: Claude Code, Codex, OpenAI or Anthropic request logs, exports')
    .option(
      '--sample <share>',
      'play the presets on this share of the sessions only, 1 for all; the rest is of all (default: as many as take seconds)',
      share,
    )
    .option('--json', 'as JSON')
    .action(async (logs: string[], o: { sample?: number; json?: boolean }) => {
      const report = await run(logs, o.sample);
      const isEmpty = report.sessions === 0;
      if (o.json === true) printJson(report);
      else if (!isEmpty) process.stdout.write(whatIfTable(report));
      // Nothing was read: a script must not take that for a saving of nothing.
      if (isEmpty) {
        const { skipped, lines } = report;
        process.stderr.write(
          `curated: no session in these logs: ${whole(skipped)} of ${counted(lines, 'line')} damaged or of no known kind\n`,
        );
        process.exitCode = EXIT.usage;
      }
    });
}

async function run(logs: readonly string[], sample: number | undefined): Promise<WhatIfReport> {
  const files = logs.flatMap(filesOf);
  if (files.length === 0)
    throw new CommandError('no log files there', {
      hint: 'Claude Code keeps its logs in ~/.claude/projects, Codex in ~/.codex/sessions',
      exit: EXIT.usage,
    });
  const threads = new EvalThreads(Date.now());
  const progress = new FileProgress(files);
  try {
    return await whatIf(files, {
      judge: (session, plays) => threads.judge(session, plays),
      sample: sample ?? playable(files.reduce((sum, file) => sum + statSync(file).size, 0)),
      ahead: threads.ahead,
      onSession: (session, bytes) => progress.show(session.id, bytes),
    });
  } finally {
    progress.end();
    await threads.close();
  }
}

/** A file itself, whatever its name; of a folder all logs in it, in the order of their names. */
function filesOf(path: string): string[] {
  if (!isThere(path)) throw new CommandError(`${path}: no such file`, { exit: EXIT.usage });
  if (!statSync(path).isDirectory()) return [path];
  return (
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => LOG_FILE.test(name))
      .map((name) => join(path, name))
      // A link whose end is gone is no log.
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
      .sort()
  );
}

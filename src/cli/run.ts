// curated run: recorded conversations through the daemon as their agents would have sent them, with what it saved or lost.
import { type Command, Option } from 'commander';
import { parse } from 'yaml';
import { attach } from '../../native/index.js';
import type { Client } from '../client/index.js';
import { readConversations } from '../eval/conversation.js';
import { play } from '../eval/play.js';
import { addFigures, isSound, noFigures, type RunReport } from '../eval/report.js';
import { isThere, readText } from '../named-file.js';
import { PRESETS } from '../protocol/index.js';
import { configError } from '../settings/index.js';
import { settingsOfText } from '../settings-file.js';
import { printJson, withClient } from './connection.js';
import { CommandError, EXIT } from './failure.js';
import { startPrivateDaemon } from './private-daemon.js';
import { Progress } from './progress.js';
import { runTable } from './run-table.js';

interface RunOptions {
  preset?: string;
  config?: string;
  live?: boolean;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('run')
    .description(
      'play recorded conversations through a daemon and check every request; exits 1 if a check fails',
    )
    .argument('<file...>', 'conversations, one JSON value a line')
    .addOption(
      new Option('--preset <name>', 'of the sessions; default is that of --config, else balanced').choices(
        PRESETS,
      ),
    )
    .option('--config <file>', 'YAML configuration of the sessions')
    .option('--live', 'through the running daemon; default is a private one in a temporary folder')
    .option('--json', 'as JSON')
    .action(async (files: string[], o: RunOptions) => {
      const report = await run(files, o);
      if (o.json === true) printJson(report);
      else if (report.conversations.length > 0) process.stdout.write(runTable(report));
      if (!report.ok) process.exitCode = EXIT.failed;
      // Nothing was checked: a script must not take that for a pass.
      if (report.conversations.length === 0) {
        process.stderr.write(`${none(report)}\n`);
        process.exitCode = EXIT.usage;
      }
    });
}

async function run(files: readonly string[], o: RunOptions): Promise<RunReport> {
  for (const file of files)
    if (!isThere(file)) throw new CommandError(`${file}: no such file`, { exit: EXIT.usage });
  const { preset, config } = settingsOf(o);
  const play = (client: Client) => playAll(client, files, preset, config);
  if (o.live === true) return withClient(play);
  const daemon = await startPrivateDaemon();
  try {
    return await withClient(play, daemon.home);
  } finally {
    await daemon.stop();
  }
}

/** The preset of the command line, else the configuration's, else the one that clears by default. */
function settingsOf(o: RunOptions): { preset: string; config?: Record<string, unknown> } {
  if (o.config === undefined) return { preset: o.preset ?? 'balanced' };
  const source = readText(o.config);
  const loaded = settingsOfText(source, o.config);
  if (!loaded.ok) throw configError(loaded.errors, o.config);
  const preset = o.preset ?? loaded.layer.curated?.preset ?? 'balanced';
  const config = (parse(source) ?? {}) as Record<string, unknown>;
  return { preset, config };
}

function none({ skipped }: RunReport): string {
  const [first] = skipped;
  const why = first === undefined ? 'they are empty' : `${first.file}:${first.line}: ${first.reason}`;
  return `curated: no conversation in these files: ${why}`;
}

async function playAll(
  client: Client,
  files: readonly string[],
  preset: string,
  config: Record<string, unknown> | undefined,
): Promise<RunReport> {
  const report: RunReport = { preset, conversations: [], total: noFigures(), skipped: [], ok: true };
  const tokenizer = attach();
  const progress = new Progress(files.length);
  const count = (text: string) => tokenizer.count(text, 'o200k_base');
  try {
    for (const file of files) {
      for await (const line of readConversations(file)) {
        if (!line.ok) {
          report.skipped.push({ file: line.file, line: line.line, reason: line.reason });
          continue;
        }
        const { conversation } = line;
        const played = await play(conversation, {
          client,
          preset,
          ...(config === undefined ? {} : { config }),
          count,
          now: Date.now(),
          onStep: (step) => progress.show(`${conversation.id}, request ${step.request}`),
        });
        report.conversations.push(played);
        addFigures(report.total, played);
      }
      progress.step();
    }
  } finally {
    progress.end();
    tokenizer.dispose();
  }
  report.ok = report.conversations.length > 0 && report.conversations.every(isSound);
  return report;
}

// curated promote: a session of the running daemon as an eval case (E-4).
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { Client } from '../client/index.js';
import { say, withClient } from './connection.js';
import { CommandError, EXIT } from './failure.js';
import { sessionEvents } from './session-events.js';

interface PromoteOptions {
  name?: string;
  tag?: string[];
}

export function register(program: Command): void {
  program
    .command('promote')
    .description('write a session of the running daemon as a case for `curated eval`')
    .argument('<session>', 'its id')
    .argument('<dir>', 'folder of the case; must not hold anything yet')
    .option('--name <name>', 'of the case; default is the session')
    .option('--tag <tag...>', 'tags of the case')
    .action(async (session: string, dir: string, o: PromoteOptions) => {
      if (existsSync(dir) && readdirSync(dir).length > 0)
        throw new CommandError(`${dir} is not empty`, { exit: EXIT.usage });
      const { lines, model, hasTools } = await withClient((client) => journalOf(client, session));
      mkdirSync(join(dir, 'journal'), { recursive: true });
      mkdirSync(join(dir, 'input'), { recursive: true });
      writeFileSync(join(dir, 'journal', 'session.jsonl'), `${lines.join('\n')}\n`);
      writeFileSync(
        join(dir, 'case.yaml'),
        stringify({
          name: o.name ?? session,
          tags: o.tag ?? [],
          ...(model === '' ? {} : { model_baseline: model }),
          recorded_at: new Date().toISOString(),
        }),
      );
      const assertions = [
        { kind: 'event_emitted', type: 'llm.request' },
        ...(!hasTools ? [] : [{ kind: 'tool_invocation_parity', count_tolerance: 0 }]),
        { kind: 'event_count_bounds', type: 'llm.error', max: 0 },
      ];
      writeFileSync(join(dir, 'assertions.yaml'), stringify({ assertions }));
      say(
        `${dir}: a case with ${assertions.length} assertions to start from; run \`curated eval --data ${dir}\``,
      );
    });
}

interface Journal {
  lines: string[];
  model: string;
  hasTools: boolean;
}

/** The session's events, exact texts and all, one a line. */
async function journalOf(client: Client, session: string): Promise<Journal> {
  const found: Journal = { lines: [], model: '', hasTools: false };
  for await (const line of sessionEvents(client, session)) {
    const e = JSON.parse(line) as Record<string, unknown>;
    if (found.lines.length === 0)
      found.lines.push(JSON.stringify({ schema_version: '1', created_at: e['ts'], session_id: session }));
    if (e['type'] === 'session.opened') found.model = String(e['model'] ?? '');
    if (e['type'] === 'tool.invoke') found.hasTools = true;
    // White space inside an exact text may be a line feed.
    found.lines.push(/[\n\r]/.test(line) ? JSON.stringify(e) : line);
  }
  return found;
}

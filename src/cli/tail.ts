// curated tail: a session's events as they happen, after the last ones there were.
import type { Command } from 'commander';
import type { CuratedEvent } from '../client/index.js';
import { say, withClient } from './connection.js';
import { paint } from './paint.js';
import { seqNumber } from './seq-number.js';
import { bytes, counted } from './table.js';

/** Events of the past that are shown first. */
const PAST = 10;

export function register(program: Command): void {
  program
    .command('tail')
    .description("follow a session's events until interrupted")
    .argument('<session>', 'id of the session, or * for all')
    .option('--from <seq>', 'first event to show', seqNumber)
    .option('--json', 'one JSON value a line')
    .action(async (session: string, o: { from?: number; json?: boolean }) => {
      await withClient(async (client) => {
        let from = o.from;
        if (from === undefined && session !== '*') {
          const { seq } = await client.call('session.state', { session });
          from = Math.max(1, seq - PAST + 1);
        }
        const stream = await client.events(session, from);
        process.once('SIGINT', () => void stream.return?.());
        for await (const event of stream)
          say(o.json === true ? JSON.stringify(event) : lineOf(event, session === '*'));
      });
    });
}

export function lineOf(e: CuratedEvent, withSession: boolean): string {
  // No entry of the journal: it has no seq and no time.
  if (e.type === 'session.rewound')
    return `${paint.dim(withSession ? e.session : '')} ${e.type} to #${String(e['to_seq'])}`.trimStart();
  const at = new Date(Number(e['ts'])).toISOString().slice(11, 23);
  const observed = e['observed'] === true ? paint.yellow(' (observed)') : '';
  const name = e.type.startsWith('memory.') ? paint.cyan(e.type) : e.type;
  const where = withSession ? `${e.session} ` : '';
  return `${paint.dim(`${where}${at} #${e.seq} turn ${String(e['turn'])}`)} ${name}${observed} ${detail(e)}`.trimEnd();
}

/** What a person wants to know of an event, in few words. */
function detail(e: CuratedEvent): string {
  const s = (key: string): string => String(e[key]);
  switch (e.type) {
    case 'memory.tool_result_cleared':
      return `${s('tool')} ${bytes(Number(e['original_size']))}, ${s('reason')}, ${paint.dim(s('handle'))}`;
    case 'memory.curated':
      return `${s('layer')}${e['cache_invalidates'] === true ? `, from message ${s('first_message')}` : ''}`;
    case 'llm.request':
      return `${counted(Number(e['messages']), 'message')}, ${s('tokens')} tokens`;
    case 'session.message':
      return `${s('role')}, ${s('tokens')} tokens`;
    case 'tool.invoke':
      return s('name');
    case 'tool.result':
      return `${s('tool')}, ${bytes(Number(e['size']))}`;
    default:
      return e['reason'] === undefined ? '' : s('reason');
  }
}

// curated demo: the main job once, from end to end: a private daemon, an agent over WebSocket that plays a bundled coding
// session, what was cleared at each turn and why, tokens and money with and without, a recall and a replay.
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { attach } from '../../native/index.js';
import type { Client, CuratedEvent, Session } from '../client/index.js';
import { type Conversation, readConversations } from '../eval/conversation.js';
import { play, type Step } from '../eval/play.js';
import { type ConversationReport, isSound, savedShare } from '../eval/report.js';
import { specOf } from '../providers/spec.js';
import { say, withClient } from './connection.js';
import { CommandError, EXIT } from './failure.js';
import { paint } from './paint.js';
import { startPrivateDaemon } from './private-daemon.js';
import { bytes, counted, gain, money, short, table, whole } from './table.js';

const SESSION_FILE = fileURLToPath(new URL('../../../demo/coding-session.jsonl', import.meta.url));
const PRESET = 'balanced';

export function register(program: Command): void {
  program
    .command('demo')
    .description('a bundled coding session through a private daemon: what is cleared, and what it saves')
    .action(async () => {
      const daemon = await startPrivateDaemon();
      try {
        const isWell = await withClient((client) => demo(client, daemon.pid), daemon.home);
        process.exitCode = isWell ? EXIT.ok : EXIT.failed;
      } finally {
        await daemon.stop();
      }
    });
}

async function demo(client: Client, pid: number): Promise<boolean> {
  const conversation = await bundled();
  const calls = callsOf(conversation);
  say(paint.bold('curated demo'));
  say(
    `A coding agent's session: ${calls.size} tool calls in ${conversation.messages.length} messages, made from this repository.`,
  );
  say(
    `A private daemon (pid ${pid}) curates it over WebSocket; preset ${PRESET}, prices of ${conversation.model}.`,
  );
  const turns = new Turns(userTexts(conversation), calls);
  const tokenizer = attach();
  let session: Session | undefined;
  let report: ConversationReport;
  try {
    report = await play(conversation, {
      client,
      preset: PRESET,
      count: (text) => tokenizer.count(text, 'o200k_base'),
      now: Date.now(),
      forget: false,
      onStep: (step) => {
        session = step.session;
        turns.step(step);
      },
    });
  } finally {
    tokenizer.dispose();
  }
  say();
  process.stdout.write(turns.table(report));
  await showRecall(client, turns.cleared, calls);
  await showReplay(session!);
  say();
  const { requests, violations, recalls } = report;
  say(
    `All ${requests} requests against the provider's rules: ${violations === 0 ? paint.green('no violation') : paint.red(`${violations} violations`)}. ` +
      `${recalls.exact} of ${recalls.checked} cleared results came back byte for byte.`,
  );
  for (const f of report.failures) say(paint.red(f));
  return isSound(report);
}

async function bundled(): Promise<Conversation> {
  for await (const line of readConversations(SESSION_FILE)) if (line.ok) return line.conversation;
  throw new CommandError(`${SESSION_FILE} holds no conversation`);
}

/** What each call was, in few words: `Read src/gate/gate.ts`. */
function callsOf(c: Conversation): Map<string, string> {
  const calls = new Map<string, string>();
  for (const native of c.messages) {
    for (const part of specOf(c.format).read(native).parts) {
      if (part.kind !== 'tool_call' || part.callId === undefined) continue;
      const args = (part.args ?? {}) as Record<string, unknown>;
      const subject = args['file_path'] ?? args['command'] ?? args['pattern'] ?? '';
      calls.set(part.callId, `${part.tool} ${String(subject)}`.trim());
    }
  }
  return calls;
}

function userTexts(c: Conversation): string[] {
  const readings = c.messages.map((m) => specOf(c.format).read(m));
  return readings.filter((r) => r.role === 'user' && r.ownText !== '').map((r) => r.ownText);
}

interface Turn {
  said: string;
  requests: number;
  tokens: { off: number; curated: number };
  /** Size of the turn's last request. */
  last: { off: number; curated: number };
  /** USD up to its last request. */
  cost: { off: number | undefined; curated: number | undefined };
  cleared: CuratedEvent[];
}

/** Why a result was cleared, for people. */
const REASONS: Record<string, string> = {
  age: 'old',
  keep: 'beyond the newest that are kept',
  size: 'large',
  superseded: 'read again later',
  supersede: 'read again later',
  duplicate: 'the same text came again',
  dedup: 'the same text came again',
  shaped: 'shortened before its first send',
};

/** What made an edit worth its price then: what the cache loses by it once, and what each further request saves. */
function whyNow(pass: CuratedEvent): string[] {
  if (pass['cache_invalidates'] !== true) return [];
  if (pass['saves_per_request'] === undefined) return ['the request had to become smaller, whatever it cost'];
  const lost = short(Number(pass['recache_tokens'] ?? 0));
  const saves = short(Number(pass['saves_per_request'] ?? 0));
  const after = Math.ceil(Number(pass['break_even_requests'] ?? 0));
  return [
    `loses the cache of ${lost} tokens once, saves the price of ${saves} input tokens a request: ` +
      `${after === 0 ? 'paid back at once' : `paid back after ${counted(after, 'request')}`}`,
  ];
}

class Turns {
  readonly cleared: CuratedEvent[] = [];
  readonly #turns: Turn[] = [];
  readonly #said: readonly string[];
  readonly #calls: ReadonlyMap<string, string>;

  constructor(said: readonly string[], calls: ReadonlyMap<string, string>) {
    this.#said = said;
    this.#calls = calls;
  }

  step(s: Step): void {
    if (s.isNewTurn || this.#turns.length === 0) this.#begin();
    const turn = this.#turns.at(-1)!;
    turn.requests++;
    turn.tokens.off += s.tokens.off;
    turn.tokens.curated += s.tokens.curated;
    turn.last = s.tokens;
    turn.cost = s.cost;
    turn.cleared.push(...s.cleared);
    this.cleared.push(...s.cleared);
    if (s.cleared.length > 0) this.#tell(s);
  }

  #begin(): void {
    const said = this.#said[this.#turns.length] ?? '';
    const zero = { off: 0, curated: 0 };
    this.#turns.push({ said, requests: 0, tokens: { ...zero }, last: zero, cost: zero, cleared: [] });
    say();
    say(
      `${paint.cyan(paint.bold(`Turn ${this.#turns.length}`))}  ${said.length > 90 ? `${said.slice(0, 89)}…` : said}`,
    );
  }

  /** What went before this request, its largest pieces by name. */
  #tell(s: Step): void {
    const size = (e: CuratedEvent): number => Number(e['original_size']);
    const total = s.cleared.reduce((sum, e) => sum + size(e), 0);
    const { off, curated } = s.tokens;
    say(
      `  ${paint.dim(`request ${String(s.request).padStart(2)}`)}  cleared ${paint.bold(counted(s.cleared.length, 'result'))} (${bytes(total)}): ` +
        `the prompt has ${short(curated)} tokens in place of ${short(off)}`,
    );
    for (const line of s.passes.flatMap(whyNow)) say(`              ${line}`);
    const shown = [...s.cleared].sort((a, b) => size(b) - size(a)).slice(0, 3);
    for (const e of shown) {
      const reason = String(e['reason']);
      const call = this.#calls.get(String(e['tool_call_id'])) ?? String(e['tool']);
      say(
        `              ${paint.dim('-')} ${call.slice(0, 44).padEnd(44)} ${bytes(size(e)).padStart(9)}  ${paint.dim(REASONS[reason] ?? reason)}`,
      );
    }
    if (s.cleared.length > shown.length)
      say(paint.dim(`              - and ${s.cleared.length - shown.length} more`));
  }

  table(report: ConversationReport): string {
    let before: Turn['cost'] = { off: 0, curated: 0 };
    const rows = this.#turns.map((t, i) => {
      const cost = {
        off: (t.cost.off ?? 0) - (before.off ?? 0),
        curated: (t.cost.curated ?? 0) - (before.curated ?? 0),
      };
      before = t.cost;
      return [
        String(i + 1),
        whole(t.requests),
        whole(t.cleared.length),
        `${short(t.last.off)} ${paint.dim('→')} ${short(t.last.curated)}`,
        short(t.tokens.off),
        short(t.tokens.curated),
        gain(savedShare(t.tokens)),
        money(cost.off),
        money(cost.curated),
        gain(savedShare(cost)),
      ];
    });
    const total = [
      'all',
      whole(report.requests),
      whole(report.cleared.results),
      '',
      short(report.tokens.off),
      short(report.tokens.curated),
      gain(savedShare(report.tokens)),
      money(report.cost?.off),
      money(report.cost?.curated),
      report.cost === null ? '' : gain(savedShare(report.cost)),
    ];
    const columns = [
      'turn',
      'requests',
      'cleared',
      'last prompt',
      'tokens without',
      'with',
      '',
      'cost without',
      'with',
      '',
    ];
    return (
      table(
        columns.map((title, i) => ({ title, right: i > 0 })),
        [...rows, undefined, total],
      ) +
      `${paint.dim(`tokens: prompts of all requests; cost: cache reads and writes included, ${report.cache_breaks.curated} cache rewrites by edits among them`)}\n`
    );
  }
}

async function showRecall(
  client: Client,
  cleared: readonly CuratedEvent[],
  calls: ReadonlyMap<string, string>,
): Promise<void> {
  const files = cleared.filter((e) => e['tool'] === 'Read');
  const largest = files.sort((a, b) => Number(b['original_size']) - Number(a['original_size']))[0];
  if (largest === undefined) return;
  const handle = String(largest['handle']);
  const whole = await client.call('recall.get', { handle });
  const part = await client.call('recall.get', { handle, grep: 'export ' });
  const lines = (part.text ?? '').split('\n').filter((l) => l !== '');
  say();
  say(
    `${paint.bold('Recall')}  the largest file that was cleared is still there: ${calls.get(String(largest['tool_call_id'])) ?? handle}`,
  );
  say(`  recall.get ${handle}: ${bytes(whole.total_bytes)}, the original bytes`);
  say(`  recall.get ${handle} grep "export ": ${lines.length} lines, of which`);
  for (const line of lines.slice(0, 3)) say(`    ${paint.dim(line.slice(0, 100))}`);
}

async function showReplay(session: Session): Promise<void> {
  const r = await session.call('journal.replay', {});
  const verdict = r.identical
    ? paint.green('all with the hash that was recorded')
    : paint.red('not all identical');
  say();
  say(`${paint.bold('Replay')}  ${r.requests} requests rebuilt from the journal alone: ${verdict}`);
}

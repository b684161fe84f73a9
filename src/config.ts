// Every limit of the daemon in one table: unit, default, range and the reason for it. Foundation: knows errors, nothing else.
// A room that needs a limit adds a row here and is handed the resolved values; no limit stands anywhere else.
import { fail } from './errors.js';

export type LimitUnit = 'bytes' | 'ms' | 'count' | 'per second';

export interface LimitRow {
  readonly unit: LimitUnit;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** Why it exists and why this default; printed by `--print-config`. */
  readonly reason: string;
}

const KiB = 1024;
const MiB = 1024 * KiB;

/** All limits by name. Values are whole numbers in the unit of the row. */
export const LIMITS = {
  // What an agent may send.
  append_messages: row(
    'count',
    100,
    1,
    10_000,
    'messages in one append; keeps one command short in the mailbox',
  ),
  turn_messages: row(
    'count',
    10_000,
    1,
    1_000_000,
    'messages appended in one turn; bounds what a runaway loop stores',
  ),
  frame_bytes: row(
    'bytes',
    8 * MiB,
    1 * KiB,
    256 * MiB,
    'one WebSocket message; refused from its header, before it is buffered',
  ),
  frame_fragments: row(
    'count',
    2048,
    1,
    65_536,
    'fragments of one message; each costs about 200 bytes while it waits',
  ),
  frame_chunks: row(
    'count',
    16_384,
    64,
    262_144,
    'socket reads that one unfinished frame may hold; 8 MiB in 512-byte reads',
  ),

  // Who may be connected.
  connections: row(
    'count',
    4000,
    1,
    100_000,
    'open WebSockets over both listeners; about 12 KiB each when idle',
  ),
  pending_sockets: row(
    'count',
    1024,
    1,
    65_536,
    'accepted sockets beyond `connections`, so that the surplus gets an answer',
  ),
  accept_backlog: row(
    'count',
    4096,
    1,
    65_535,
    'connections the kernel queues; of 5,000 at once on a busy machine 511 lost 385, 4096 none',
  ),
  upgrades_per_tick: row(
    'count',
    16,
    1,
    1024,
    'handshakes finished before other work gets its turn; about 0.1 ms each',
  ),
  header_bytes: row('bytes', 16 * KiB, 1 * KiB, 256 * KiB, 'headers of one HTTP request'),
  headers_ms: row('ms', 5000, 100, 60_000, 'until the headers of a request are complete (slow loris)'),
  auth_failures: row(
    'per second',
    10,
    1,
    10_000,
    'refused tokens, over all connections; beyond it the answer is 429',
  ),
  handshake_ms: row('ms', 10_000, 50, 600_000, 'from the upgrade to `initialize`; then close 4408'),

  // How a connection is kept honest.
  token_watch_ms: row(
    'ms',
    1000,
    20,
    60_000,
    'period of the look at the token files; a revoked token works no longer than that',
  ),
  heartbeat_ms: row('ms', 30_000, 50, 3_600_000, 'silence after which a ping is sent'),
  heartbeat_deadline_ms: row(
    'ms',
    20_000,
    50,
    3_600_000,
    'silence after that ping until the connection is cut',
  ),
  message_ms: row('ms', 30_000, 50, 600_000, 'from the first sight of an unfinished message until it is cut'),
  pings: row('per second', 10, 1, 10_000, 'pings that get a pong, for one connection; more are dropped'),
  ping_flood: row('per second', 500, 2, 1_000_000, 'pings on one connection that end it with 1008'),
  sweep_ms: row(
    'ms',
    500,
    10,
    10_000,
    'period of the one timer behind heartbeat and deadlines; their resolution',
  ),
  close_ms: row(
    'ms',
    10_000,
    50,
    120_000,
    'for the peer to answer a close frame, before its socket is destroyed',
  ),

  // What may wait to leave.
  out_pause_bytes: row(
    'bytes',
    1 * MiB,
    1 * KiB,
    64 * MiB,
    'unsent bytes above which no more is read from that connection',
  ),
  out_close_bytes: row(
    'bytes',
    8 * MiB,
    1 * KiB,
    1024 * MiB,
    'unsent bytes above which a further send closes with 4429',
  ),
  out_stall_ms: row('ms', 60_000, 50, 3_600_000, 'without progress while above `out_pause_bytes`; then 4429'),

  // Queues and the end.
  calls_in_flight: row(
    'count',
    1024,
    1,
    65_536,
    'unanswered calls of one connection, which may serve hundreds of sessions; beyond it BUSY',
  ),
  mailbox_commands: row('count', 1024, 1, 65_536, 'commands that wait for one session; beyond it BUSY'),
  park_ms: row(
    'ms',
    300_000,
    100,
    86_400_000,
    'idle time after which a session leaves memory, held by a connection or not; its journal brings it back',
  ),
  snapshot_events: row(
    'count',
    256,
    1,
    1_000_000_000,
    'events after which a session that leaves memory leaves a snapshot to come back from; one in use after eight times as many',
  ),
  pool_tasks: row('count', 4096, 1, 1_000_000, 'texts and plans that wait for the workers; beyond it BUSY'),
  pool_text_bytes: row(
    'bytes',
    64 * MiB,
    64 * KiB,
    4096 * MiB,
    'text that waits for the workers; beyond it BUSY, unless nothing else waits',
  ),
  pool_deadline_ms: row(
    'ms',
    10_000,
    100,
    600_000,
    'for one batch in a worker, plus 2 s per MiB of its text; then the worker is replaced',
  ),
  pool_heap_bytes: row(
    'bytes',
    256 * MiB,
    16 * MiB,
    16_384 * MiB,
    'V8 heap of a worker; one that outgrows it is replaced',
  ),
  pool_grace_ms: row('ms', 3000, 0, 60_000, 'for calls the pool still has when it closes; within drain_ms'),
  journal_bytes: row('bytes', 64 * MiB, 1 * MiB, 4096 * MiB, 'events that wait for the disk; beyond it BUSY'),
  drain_ms: row('ms', 4000, 0, 60_000, 'from SIGTERM until what still runs is cut; promised to be under 5 s'),
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;
export type Limits = { readonly [K in LimitName]: number };

/**
 * Defaults with `overrides` laid over them, checked once and frozen.
 * @param overrides whole numbers by limit name, in the row's unit; undefined means the default.
 * @throws CuratedError CONFIG naming the limit, its range and what was given.
 */
export function resolveLimits(overrides: Readonly<Record<string, unknown>> = {}): Limits {
  const table: Record<string, LimitRow> = LIMITS;
  const values: Record<string, number> = {};
  for (const [name, spec] of Object.entries(table)) values[name] = spec.default;
  for (const [name, given] of Object.entries(overrides)) {
    if (given === undefined) continue;
    const key = `limits.${name}`;
    const path = `/curated/limits/${name}`;
    const spec = Object.hasOwn(table, name) ? table[name] : undefined;
    if (spec === undefined) fail('CONFIG', `${key}: there is no such limit`, { path });
    if (typeof given !== 'number' || !Number.isInteger(given)) {
      fail('CONFIG', `${key}: a whole number (${spec.unit}) is needed`, { path });
    }
    if (given < spec.min || given > spec.max) {
      fail('CONFIG', `${key}: ${given} is outside ${spec.min}..${spec.max} ${spec.unit}`, { path });
    }
    values[name] = given;
  }
  if (values['out_pause_bytes']! > values['out_close_bytes']!) {
    fail('CONFIG', 'limits.out_pause_bytes: must not be above limits.out_close_bytes', {
      path: '/curated/limits/out_pause_bytes',
    });
  }
  return Object.freeze(values) as Limits;
}

function row(unit: LimitUnit, value: number, min: number, max: number, reason: string): LimitRow {
  return { unit, default: value, min, max, reason };
}

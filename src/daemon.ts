// The composition root: the only file that knows every room. Opens the journal, builds the rooms, opens the door, and
// takes everything down again in the right order.

import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attach, capabilities } from '../native/index.js';
import { type Clock, systemClock } from './clock.js';
import { type Limits, resolveLimits } from './config.js';
import { EntryStore } from './context/entry-store.js';
import { Pantry } from './context/pantry.js';
import { IndexThread } from './context/recall/index-thread.js';
import { FolderWatch } from './context/watcher.js';
import { DaemonConfig } from './daemon-config.js';
import { type DataLock, lockData } from './data-lock.js';
import {
  AlreadyRunningError,
  createGate,
  DEFAULT_PORT,
  loadTokens,
  OWNER,
  TokenWatch,
} from './gate/index.js';
import { MemoryStore, OPEN_VAULT, readKey, type Store } from './journal/index.js';
import { SqliteStore } from './journal/sqlite-store.js';
import { SweepClock } from './journal/sweep-clock.js';
import { MovableClock } from './movable-clock.js';
import { withPath } from './named-file.js';
import { createLog, createMetrics, Health, type LogLevel, observePages } from './observe/index.js';
import { Opened } from './opened.js';
import { checkSocketPath, type Paths } from './paths.js';
import { createPool, poolOptions } from './pool/pool.js';
import { processMark } from './process-life.js';
import type { Rooms } from './service/context.js';
import { Peer } from './service/peer.js';
import { RecallFeed } from './service/recall-feed.js';
import { tellRefusal, tellSpared } from './service/refusals.js';
import { Retention } from './service/retention.js';
import { summariserFor } from './service/summarisers.js';
import { WorkingFiles } from './service/working-files.js';
import { Backstage } from './session/backstage.js';
import { SessionRegistry } from './session/registry.js';
import { codeMark } from './session/snapshot/code.js';
import { extractIn } from './summary/task.js';
import { VERSION } from './version.js';
import { Vocabularies } from './vocabularies.js';

export interface DaemonOptions {
  paths: Paths;
  /** TCP port; 0 for any free one, false for none. */
  port?: number | false | undefined;
  /** Where the port is taken, any free one. */
  anyPort?: boolean | undefined;
  /** Loopback address to bind. */
  host?: string | undefined;
  /** Unix socket; false for none. */
  socket?: string | false | undefined;
  limits?: Partial<Limits>;
  logLevel?: LogLevel;
  logFile?: string;
  allowOrigins?: readonly string[];
  /** Keeps the journal in memory alone: tests and benchmarks. */
  memory?: boolean;
  clock?: Clock;
  /** Counts texts in the place of the token core: for benchmarks that leave the cost of counting out. */
  count?: (text: string | Uint8Array) => number;
  /** Lets `test.clock` move the clock. */
  testClock?: boolean;
}

export interface Daemon {
  readonly url: string | undefined;
  readonly socket: string | undefined;
  /** Drains: calls in flight end, the journal is synced, files are removed. A second call ends at once. */
  stop(): Promise<void>;
  /** Resolves when the daemon has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Reads the configuration file again; a wrong one keeps the running one and is reported. */
  reload(): void;
}

/** Idle sessions are looked for so often at the least. */
const PARK_EVERY_MS = 30_000;
/** Time that writing snapshots may take when the daemon ends. */
const LAST_SNAPSHOTS_MS = 1_000;
/** Journals past their retention are looked for at start and so often after it (J-13). */
const SWEEP_EVERY_MS = 6 * 60 * 60_000;

export async function startDaemon(o: DaemonOptions): Promise<Daemon> {
  for (const dir of [o.paths.run, o.paths.data]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  // Before anything of the folder is opened: a second daemon, on whatever socket, must not touch the first one's journal.
  const lock = lockData(o.paths.data);
  if (lock === undefined) throw new AlreadyRunningError(o.paths.data);
  const opened = new Opened();
  try {
    return await raise(o, lock, opened);
  } catch (e) {
    // The reason why it does not start is what the caller is told, whatever else fails now.
    await opened.close().catch(() => {});
    lock.release();
    throw e;
  }
}

async function raise(o: DaemonOptions, lock: DataLock, opened: Opened): Promise<Daemon> {
  const { paths, count } = o;
  const startedAt = Date.now();
  const base = o.clock ?? systemClock;
  const movable = o.testClock ? new MovableClock(base) : undefined;
  const clock = movable ?? base;
  const log = createLog({
    ...(o.logLevel === undefined ? {} : { level: o.logLevel }),
    ...(o.logFile === undefined ? {} : { file: o.logFile }),
  });
  const config = new DaemonConfig(paths.config, log);
  const { listen } = config.settings.curated;
  const limits = resolveLimits({ ...config.settings.curated.limits, ...o.limits });
  const metrics = createMetrics();
  const health = new Health(clock, VERSION);
  const tokenizer = opened.add(attach(), (t) => t.dispose());
  const { notice: lacking } = capabilities();
  if (lacking !== undefined) log.warn({ notice: lacking }, 'counting does not have all that it could use');
  // What snapshots on disk are marked with: read once, before anybody waits for it.
  if (!o.memory) codeMark();
  const store: Store = o.memory
    ? new MemoryStore({ bytes: limits.journal_bytes })
    : await SqliteStore.open(join(paths.data, 'journal.db'), {
        limits: { bytes: limits.journal_bytes },
        key: readKey(config.settings.journal.encrypt, process.env),
      });
  opened.add(store, (s) => s.close());
  const vault = store instanceof SqliteStore ? store.vault : OPEN_VAULT;
  if (vault.sealed)
    log.warn(
      { journal: join(paths.data, 'journal.db') },
      'values are sealed at rest: the search index is kept in memory and made anew at the first search, working files are not written',
    );
  // What lay there in plain text from before; the journal holds all of it.
  if (vault.sealed)
    for (const end of ['', '-wal', '-shm']) rmSync(join(paths.data, `recall.db${end}`), { force: true });
  for (const notice of store.health().notices) log.warn({ notice }, 'journal');
  health.declare('journal');
  store.onHealth((h) => {
    if (h.state === 'green') return health.green('journal');
    health.red('journal', h.error ?? 'the last write failed');
    metrics.journalFault(h.error?.kind ?? 'STORAGE');
    log.error({ error: h.error?.message }, 'the journal cannot be written: new work is refused until it can');
  });
  store.onCommit(({ level, seconds, records }) => metrics.journalFlush(level, seconds, records));
  const pool = opened.add(createPool(poolOptions(limits)), (p) => p.close());

  const pantry = new Pantry({
    data: paths.data,
    clock,
    count: (text) => tokenizer.count(text, 'o200k_base'),
    entries: new EntryStore(
      o.memory ? ':memory:' : join(paths.data, 'context', vault.sealed ? 'entries.sealed' : 'entries.db'),
      vault,
    ),
    health,
    sessions: !vault.sealed,
    roots: () => config.settings.curated.context.roots ?? [],
    watch: (root, events) => new FolderWatch(root, events),
  });
  opened.add(pantry, (p) => p.close());
  const recall = new RecallFeed({
    store,
    index: new IndexThread(o.memory || vault.sealed ? ':memory:' : join(paths.data, 'recall.db')),
    pantry,
    health,
  });
  opened.add(recall, (r) => r.close());
  const files =
    o.memory || vault.sealed
      ? undefined
      : new WorkingFiles({
          store,
          root: join(paths.data, 'sessions'),
          health,
          skipped: (key, file, lines) => {
            log.warn({ session: key.session, file, lines }, 'lines of a working file could not be read');
            void registry.diagnose(key, 'working_file_lines_skipped', { file, lines });
          },
        });
  const vocabularies = new Vocabularies((what, detail) => log.info(detail, what));
  const registry: SessionRegistry = new SessionRegistry({
    counted: (model) => vocabularies.want(model),
    store,
    ...(files === undefined ? {} : { files }),
    pool: count === undefined ? pool : { countTokens: async (texts) => Uint32Array.from(texts, count) },
    clock,
    limits: {
      messagesAnAppend: limits.append_messages,
      snapshotEvents: limits.snapshot_events,
      messagesATurn: limits.turn_messages,
      commandsASession: limits.mailbox_commands,
    },
    countShort: count ?? ((text, encoding) => tokenizer.count(text, encoding)),
    newId: () => randomUUID(),
    summariser: (wanted) => summariserFor(wanted, pool, process.env),
    extract: (payload, how) => extractIn(pool, payload, how),
    decided: (payload, how) => pool.run('first_decisions', payload, how),
    backstage: new Backstage(),
    configLayers: () => config.layers,
    configVersion: () => config.version,
    fsync: () => config.settings.journal.fsync,
    notice: (what, detail) => log.warn(detail ?? {}, what),
    used: ({ prompt, cached, written, output }) => {
      metrics.usage('input', prompt - cached - written);
      metrics.usage('cache_read', cached);
      metrics.usage('cache_write', written);
      metrics.usage('output', output);
    },
  });
  metrics.watch('sessions', () => registry.loaded);
  metrics.watch('pool_queue', () => {
    const { queuedCalls, queuedBackground } = pool.stats();
    return queuedCalls + queuedBackground;
  });

  let stopping: Promise<void> | undefined;
  let ended!: () => void;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });

  const rooms: Rooms = {
    registry,
    store,
    pool,
    clock,
    version: VERSION,
    owner: OWNER.tenant,
    truncate: (text, max, encoding) => tokenizer.truncate(text, max, encoding).text,
    status: async (tenant) => {
      const common = {
        version: VERSION,
        pid: process.pid,
        started_at: startedAt,
        process: processMark(process.pid),
        uptime_ms: Date.now() - startedAt,
        draining: gate.draining,
      };
      if (tenant !== OWNER.tenant) {
        const stored = (await store.heads(tenant)).length;
        return {
          ...common,
          connections: gate.sizeOf(tenant),
          sessions: { open: registry.loadedOf(tenant), stored },
          pool: {},
          journal: {},
        };
      }
      const stats = await store.stats();
      return {
        ...common,
        connections: gate.size,
        sessions: { open: registry.loaded, stored: stats.sessions },
        pool: pool.stats(),
        journal: stats,
        memory: process.memoryUsage(),
        health: health.report(),
      };
    },
    stop: () => {
      setImmediate(() => void stop());
    },
    layers: () => config.layers,
    redactor: () => config.redactor,
    pantry,
    recall,
    meter: {
      traced: (spans) => {
        for (const span of spans)
          metrics.curation(
            span.layer,
            span.ms / 1000,
            span.decision === 'edits' ? -span.tokens_delta : undefined,
          );
      },
      prepared: (seconds, raw, curated) => metrics.prepared(seconds, raw, curated),
    },
    files,
    fault: (error, method) => tellSpared(log, error, method),
    advance: movable === undefined ? undefined : (ms) => movable.advance(ms),
  };

  const tokens = loadTokens(paths.tokenFile, { named: paths.namedTokens });
  const gate = createGate({
    socketPath: o.socket === false ? undefined : checkSocketPath(o.socket ?? listen.socket ?? paths.socket),
    port: o.port ?? listen.port ?? DEFAULT_PORT,
    anyPort: o.anyPort,
    host: o.host,
    tokens,
    limits,
    allowOrigins: o.allowOrigins ?? listen.allowOrigins,
    routes: observePages(health, metrics, OWNER.tenant),
    clock,
    log,
    metrics: metrics.gate,
    onConnection: (connection) => {
      new Peer(connection, {
        rooms,
        limits,
        draining: () => gate.draining,
        onError: (error, method) => tellRefusal(log, error, method),
        onCall: (method, ms, tenant, kind) => metrics.call(method, ms / 1000, kind, tenant),
      });
    },
  });

  // A start that fails behind this line must not leave a door that nobody answers.
  opened.add(gate, (g) => g.close());

  const tokenWatch = new TokenWatch({
    tokenFile: paths.tokenFile,
    named: paths.namedTokens,
    table: tokens,
    everyMs: limits.token_watch_ms,
    onChange: () => log.info({ tokens: tokens.size, closed: gate.review() }, 'tokens read again'),
    onFault: (e) => log.error({ error: e.message }, 'the token files cannot be used: the known tokens stay'),
  });
  let parkingNow: Promise<unknown> | undefined;
  const park = () => {
    parkingNow ??= registry.park(limits.park_ms).finally(() => {
      parkingNow = undefined;
    });
  };
  const parking = setInterval(park, Math.min(PARK_EVERY_MS, limits.park_ms));
  parking.unref();
  const sweepClock = new SweepClock(join(paths.data, 'sweep.json'));
  const retention = new Retention({
    store,
    clock,
    due: (now) => sweepClock.due(now),
    retainDays: () => config.settings.journal.retainDays,
    open: () => registry.keys(),
    isOpen: (key) => registry.holds(key),
    files,
    recall,
    log,
  });
  const sweeping = setInterval(() => void retention.sweep(), SWEEP_EVERY_MS);
  sweeping.unref();
  const stopTimers = () => {
    clearInterval(parking);
    clearInterval(sweeping);
    tokenWatch.stop();
  };
  opened.add(undefined, stopTimers);

  async function takeDown(): Promise<void> {
    log.info({ connections: gate.size }, 'draining');
    stopTimers();
    const swept = retention.stop();
    await gate.drain();
    await parkingNow;
    await swept;
    await registry.settle();
    // The next daemon finds them written down; what is not by then it folds.
    await registry.park(0, LAST_SNAPSHOTS_MS);
    await opened.close();
    rmSync(paths.daemonJson, { force: true });
    lock.release();
    log.info('ended');
    ended();
  }

  function stop(): Promise<void> {
    if (stopping !== undefined) void gate.close();
    stopping ??= takeDown();
    return stopping;
  }

  const listening = await gate.listen();
  void retention.sweep();
  await writeDaemonFile(paths, listening, startedAt);
  log.info({ url: listening.url, socket: listening.socket }, 'listening');
  return { url: listening.url, socket: listening.socket, stop, ended: end, reload: () => config.reload() };
}

/** `run/daemon.json`: how a client finds the daemon. Whole or not at all. */
async function writeDaemonFile(
  paths: Paths,
  at: { url: string | undefined; socket: string | undefined },
  startedAt: number,
): Promise<void> {
  const text = JSON.stringify({
    pid: process.pid,
    version: VERSION,
    socket: at.socket,
    url: at.url,
    token_file: paths.tokenFile,
    started_at: startedAt,
    process: processMark(process.pid),
  });
  const draft = `${paths.daemonJson}.${process.pid}`;
  try {
    await writeFile(draft, `${text}\n`, { mode: 0o600 });
    await rename(draft, paths.daemonJson);
  } catch (e) {
    rmSync(draft, { force: true });
    throw withPath(e, paths.daemonJson);
  }
}

// What the journal costs: commit throughput by group size, replay, bytes, acknowledgement latency, resume, cold start.
// Baselines in the same run: the same rows written naively to SQLite, and fdatasync alone.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChainHead, chain, GENESIS, type JournalRecord, type SessionKey } from '../src/journal/index.js';
import { readAll } from '../src/journal/read-all.js';
import { SqliteStore } from '../src/journal/sqlite-store.js';
import { foldState, loadState } from '../src/session/load.js';
import { bodyOf } from '../src/session/snapshot/body.js';
import { packed } from '../src/session/snapshot/container.js';
import type { SessionState } from '../src/session/state/state.js';
import { openSqlite } from '../src/sqlite.js';
import { BenchDaemon } from '../test/session/bench-daemon.js';

interface BenchOptions {
  json: boolean;
  args: readonly string[];
}

type Figures = Record<string, number>;

const SESSIONS = 16;

export async function run({ args }: BenchOptions): Promise<{ name: string; figures: Figures }> {
  const scale = args.includes('--quick') ? 0.1 : 1;
  const folder = mkdtempSync(join(tmpdir(), 'curated-bench-'));
  const figures: Figures = {};
  try {
    for (const size of [64, 512]) {
      const total = Math.round((size === 64 ? 60_000 : 120_000) * scale);
      figures[`events_per_s_group${size}`] = await groups(join(folder, `g${size}.db`), size, total);
      figures[`naive_events_per_s_group${size}`] = naive(
        join(folder, `n${size}.db`),
        size,
        Math.round(total / 4),
      );
    }
    figures['naive_events_per_s_single'] = naive(join(folder, 'n1.db'), 1, Math.round(2_000 * scale));
    await replay(join(folder, 'replay.db'), Math.round(100_000 * scale), figures);
    await acknowledgements(folder, Math.round(1_000 * scale), figures);
    await resume(join(folder, 'resume.db'), figures);
    await sessionResume(join(folder, 'session.db'), figures);
    await coldStart(join(folder, 'cold.db'), 10_000, figures);
    await mainThread(join(folder, 'main.db'), figures);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { name: 'journal', figures };
}

/** A record of the size and make that a turn leaves. */
function event(head: ChainHead): JournalRecord {
  const seq = head.seq + 1;
  const payload =
    seq % 4 === 0
      ? {
          layer: 'L2',
          tool_call_id: `toolu_${seq}`,
          tool: 'read_file',
          original_size: 1234,
          cleared_at_turn: seq >> 2,
          handle: `h${seq}`,
        }
      : {
          id: `m${seq}`,
          tokens: 812,
          text: 'The file was read and holds the parser; the tests pass except two.',
        };
  return chain(head, {
    seq,
    ts: 1_700_000_000_000 + seq,
    type: 'memory.tool_result_cleared',
    turn: seq >> 2,
    payload,
  });
}

function chainOf(head: ChainHead, count: number): JournalRecord[] {
  const out: JournalRecord[] = [];
  let last = head;
  for (let i = 0; i < count; i++) {
    last = event(last);
    out.push(last as JournalRecord);
  }
  return out;
}

const key = (n: number): SessionKey => ({ tenant: 'bench', session: `session-${n}` });

/** Events a second with `size` events a synced commit, spread over 16 sessions; the next group is made while one is written. */
async function groups(path: string, size: number, total: number): Promise<number> {
  const store = await SqliteStore.open(path);
  const heads: ChainHead[] = Array.from({ length: SESSIONS }, () => GENESIS);
  const each = size / SESSIONS;
  const work: JournalRecord[][][] = [];
  for (let n = 0; n < total; n += size) {
    work.push(
      heads.map((head, s) => {
        const records = chainOf(head, each);
        heads[s] = records.at(-1)!;
        return records;
      }),
    );
  }
  const from = performance.now();
  let before: Promise<void> = Promise.resolve();
  for (const tick of work) {
    for (let s = 0; s < SESSIONS; s++) store.append(key(s), tick[s]![0]!.seq - 1, tick[s]!);
    const now = store.flush('sync');
    await before;
    before = now;
  }
  await before;
  const seconds = (performance.now() - from) / 1000;
  await store.close();
  return Math.round((work.length * size) / seconds);
}

/** The same columns with one autoincrement key and an index on (session, seq), FULL, one transaction a group. */
function naive(path: string, size: number, total: number): number {
  const db = openSqlite(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(
    'CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, seq INTEGER, ts INTEGER, type TEXT, turn INTEGER, prev TEXT, hash TEXT, payload TEXT, UNIQUE (session, seq))',
  );
  const insert = db.prepare(
    'INSERT INTO events (session, seq, ts, type, turn, prev, hash, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const records = chainOf(GENESIS, Math.ceil(total / SESSIONS));
  const from = performance.now();
  let n = 0;
  while (n < total) {
    db.transaction(() => {
      for (let i = 0; i < size; i++, n++) {
        const r = records[Math.floor(n / SESSIONS) % records.length]!;
        const unique = n; // the index is fed as it would be
        insert.run(`session-${n % SESSIONS}`, unique, r.ts, r.type, r.turn, r.prev, r.hash, r.json);
      }
    })();
  }
  const seconds = (performance.now() - from) / 1000;
  db.close();
  return Math.round(n / seconds);
}

async function replay(path: string, total: number, figures: Figures): Promise<void> {
  const store = await SqliteStore.open(path);
  let head: ChainHead = GENESIS;
  for (let n = 0; n < total; n += 1000) {
    const records = chainOf(head, 1000);
    store.append(key(0), head.seq, records);
    head = records.at(-1)!;
    await (store.room() ?? undefined);
    if (n % 10_000 === 0) await store.flush('os');
  }
  await store.close();
  figures['bytes_per_event'] = Math.round(statSync(path).size / total);
  const again = await SqliteStore.open(path);
  const from = performance.now();
  let n = 0;
  for await (const record of readAll(again, key(0))) if (record.payload) n++;
  figures['replay_events_per_s'] = Math.round(n / ((performance.now() - from) / 1000));
  await again.close();
}

/**
 * Latency of one synced turn end under light load, against an fdatasync of the same bytes on the same disk; and of an append that is
 * answered once it survives the process.
 */
async function acknowledgements(folder: string, rounds: number, figures: Figures): Promise<void> {
  const fd = openSync(join(folder, 'fsync.log'), 'w');
  const bytes = Buffer.alloc(4096 * 3, 1);
  const store = await SqliteStore.open(join(folder, 'ack.db'));
  const fsyncs: number[] = [];
  const acks: number[] = [];
  const appends: number[] = [];
  let head: ChainHead = GENESIS;
  const answered = async (level: 'ack' | 'sync'): Promise<number> => {
    const records = chainOf(head, 5);
    const from = performance.now();
    store.append(key(0), head.seq, records);
    head = records.at(-1)!;
    await store.flush(level, key(0));
    return performance.now() - from;
  };
  // In turns, so that a noisy disk hits both alike.
  for (let i = 0; i < rounds; i++) {
    const from = performance.now();
    writeSync(fd, bytes);
    fdatasyncSync(fd);
    fsyncs.push(performance.now() - from);
    acks.push(await answered('sync'));
    appends.push(await answered('ack'));
  }
  closeSync(fd);
  await store.close();
  const p99 = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length * 0.99)]!;
  const p50 = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1]!;
  figures['fdatasync_p50_ms'] = round(p50(fsyncs));
  figures['fdatasync_p99_ms'] = round(p99(fsyncs));
  figures['ack_p50_ms'] = round(p50(acks));
  figures['ack_p99_ms'] = round(p99(acks));
  figures['append_p50_ms'] = round(p50(appends));
  figures['append_p99_ms'] = round(p99(appends));
  figures['ack_p99_over_fsync'] = round(p99(acks) / p99(fsyncs));
}

async function resume(path: string, figures: Figures): Promise<void> {
  const store = await SqliteStore.open(path);
  for (let s = 0; s < 20; s++) store.append(key(s), 0, chainOf(GENESIS, 2_000));
  await store.close();
  const again = await SqliteStore.open(path);
  const times: number[] = [];
  for (let s = 0; s < 20; s++) {
    const from = performance.now();
    let n = 0;
    for await (const record of readAll(again, key(s))) if (record.payload) n++;
    if (n !== 2_000) throw new Error(`resumed ${n} records`);
    times.push(performance.now() - from);
  }
  figures['resume_first_ms_2000_events'] = round(times[0]!);
  figures['resume_ms_2000_events'] = round(times.sort((a, b) => a - b)[10]!);
  await again.close();
}

/** A whole session of 2,000 events, 592 messages of a tool loop, brought back: from all of its events, and from its snapshot. */
async function sessionResume(path: string, figures: Figures): Promise<void> {
  const store = await SqliteStore.open(path);
  const daemon = new BenchDaemon({ store });
  const session = 's';
  await daemon.call('session.open', {
    session,
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    preset: 'balanced',
  });
  let seq = 0;
  for (let i = 0; seq < 2_000; i++) {
    await daemon.call('llm.prepare', {
      session,
      append: [{ role: 'user', content: `question ${i} ${'word '.repeat(30)}` }],
    });
    const call = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `t${i}`, name: 'read', input: { path: `f${i}` } }],
    };
    const result = { type: 'tool_result', tool_use_id: `t${i}`, content: `line of text ${i}\n`.repeat(20) };
    await daemon.call('session.append', { session, messages: [call, { role: 'user', content: [result] }] });
    await daemon.call('llm.prepare', { session });
    await daemon.call('session.append', { session, messages: [{ role: 'assistant', content: `done ${i}` }] });
    seq = (await daemon.call('turn.end', { session, usage: { input_tokens: 100 + i, output_tokens: 5 } }))
      .seq;
  }
  const name = { tenant: 'default', session };
  const p50 = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1]!;
  const measure = async (label: string, load: () => Promise<SessionState>) => {
    const times: number[] = [];
    const own: number[] = [];
    for (let i = 0; i < 15; i++) {
      const from = performance.now();
      const before = performance.eventLoopUtilization();
      const state = await load();
      if (state.seq !== seq) throw new Error(`resumed ${state.seq} of ${seq}`);
      times.push(performance.now() - from);
      own.push(performance.eventLoopUtilization(before).active);
    }
    figures[`${label}_ms_2000_events`] = round(p50(times));
    figures[`${label}_main_ms_2000_events`] = round(p50(own));
  };
  await measure('session_fold', () => foldState(store, name));
  // The same with the snapshot that a session leaves when it leaves memory.
  const state = await foldState(store, name);
  const takes: number[] = [];
  for (let i = 0; i < 15; i++) {
    const from = performance.now();
    bodyOf(state);
    takes.push(performance.now() - from);
  }
  const bytes = await packed(bodyOf(state));
  store.saveSnapshot(name, state.seq, state.hash, bytes);
  await measure('session_resume', () => loadState(store, name));
  figures['snapshot_take_main_ms_2000_events'] = round(p50(takes));
  figures['snapshot_bytes_per_event'] = round(bytes.length / seq);
  await store.close();
}

async function coldStart(path: string, sessions: number, figures: Figures): Promise<void> {
  const store = await SqliteStore.open(path);
  const records = chainOf(GENESIS, 10);
  for (let s = 0; s < sessions; s++) {
    store.append(key(s), 0, records);
    if (s % 500 === 499) await store.flush('os');
  }
  await store.close();
  const from = performance.now();
  const again = await SqliteStore.open(path);
  figures['cold_open_ms_10000_sessions'] = round(performance.now() - from);
  const heads = await again.heads();
  if (heads.length !== sessions) throw new Error(`found ${heads.length} sessions`);
  figures['cold_start_ms_10000_sessions'] = round(performance.now() - from);
  await again.close();
}

/** CPU of the calling thread for a turn of 5 events, hashing and acknowledgement included, 64 sessions a tick. */
async function mainThread(path: string, figures: Figures): Promise<void> {
  const store = await SqliteStore.open(path);
  const heads: ChainHead[] = Array.from({ length: 64 }, () => GENESIS);
  let busy = 0;
  let turns = 0;
  for (let round = 0; round < 150; round++) {
    const waits: Promise<void>[] = [];
    const before = performance.eventLoopUtilization();
    for (let s = 0; s < 64; s++) {
      const records = chainOf(heads[s]!, 5);
      store.append(key(s), heads[s]!.seq, records);
      heads[s] = records.at(-1)!;
      waits.push(store.flush('ack', key(s)));
    }
    await Promise.all(waits);
    if (round < 50) continue;
    busy += performance.eventLoopUtilization(before).active;
    turns += 64;
  }
  figures['main_us_per_turn'] = round((busy * 1000) / turns);
  await store.close();
}

const round = (x: number): number => Math.round(x * 100) / 100;

export default run;

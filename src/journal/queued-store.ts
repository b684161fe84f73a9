// The Store in front of any engine: gathers a tick's appends into one batch, settles all waiters of a reply in bulk.
// Runs on the caller's thread and must stay cheap there: no promise, timer or message per event.
import { CuratedError } from '../errors.js';
import { Acknowledged, type Redo } from './acknowledged.js';
import { Asked } from './asked.js';
import type { CallName, EngineStats } from './engine.js';
import { Failures } from './failures.js';
import { Gathering } from './gathering.js';
import { type PackedRecords, packGroup, unpackError, unpackRecords } from './packed.js';
import type { JournalRecord } from './record.js';
import type { Batch, Reply } from './runner.js';
import {
  type Blob,
  type CheckReport,
  type Commit,
  type FlushLevel,
  type Health,
  keyText,
  type RewindResult,
  type SessionHead,
  type SessionKey,
  type Snapshot,
  type Store,
  type StoreStats,
  type SweepOptions,
  type SweepResult,
} from './store.js';
import { type Sent, UnderWay, type Unlogged, unloggedOf } from './under-way.js';
import { Waiters } from './waiters.js';

/** Carries batches to the engine's thread, or runs them on this one. */
export interface Transport {
  post(batch: Batch): void;
  /** Frees the thread; called once, after the engine was closed. */
  end(): Promise<void>;
}

export interface QueueLimits {
  /** Groups appended and not yet durable before `room()` asks to wait. */
  groups: number;
  /** Bytes of payload waiting, at most; beyond it `append` throws BUSY. */
  bytes: number;
}

/**
 * Time that groups which survive the process already wait for others, so that one transaction serves many; and bytes at most. Nobody
 * waits for them, and each transaction keeps a core from the agent and the daemon for a while.
 */
const LINGER_MS = 50;
const LINGER_BYTES = 1024 * 1024;

export class QueuedStore implements Store {
  readonly #limits: QueueLimits;
  #transport: Transport | undefined;
  /** Absent where the engine alone survives the process, or nothing does. */
  #acknowledged: Acknowledged | undefined;
  #linger: NodeJS.Timeout | undefined;
  readonly #gathering = new Gathering();
  readonly #underWay = new UnderWay();
  readonly #asked = new Asked();
  readonly #failures = new Failures();
  readonly #waiters = new Waiters(this.#failures);
  #roomWaiters: (() => void)[] = [];
  #scheduled = false;
  /** Number of the batch that is being gathered. */
  #next = 1;
  #done = 0;
  #synced = 0;
  #red: CuratedError | undefined;
  /** Set while there is no engine at all: reads fail too. */
  #away: CuratedError | undefined;
  #notices: readonly string[] = [];
  #closed: Promise<void> | undefined;
  #commitListener: ((commit: Commit) => void) | undefined;
  readonly #listeners = new Set<(health: Health) => void>();
  readonly #changeListeners: ((key: SessionKey) => void)[] = [];

  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = { groups: 1024, bytes: 64 * 1024 * 1024, ...limits };
  }

  /** Called once by the store that owns the transport. */
  protected connect(transport: Transport, notices: readonly string[], redo?: Redo): void {
    this.#transport = transport;
    if (redo !== undefined) this.#acknowledged = new Acknowledged(redo);
    this.#notices = notices;
  }

  append(
    key: SessionKey,
    expectedSeq: number,
    records: readonly JournalRecord[],
    blobs?: readonly Blob[],
  ): void {
    this.#usable();
    if (records.length === 0) return;
    const group = packGroup(key, expectedSeq, records);
    if (!this.#failures.none) {
      const refusal = this.#failures.refusal(keyText(key), expectedSeq, this.#next);
      if (refusal) throw refusal;
    }
    let bytes = 0;
    for (const r of records) bytes += r.json.length;
    if (blobs) for (const b of blobs) bytes += b.bytes.byteLength;
    const waiting = this.#gathering.bytes + this.#underWay.bytes;
    if (waiting + bytes > this.#limits.bytes && waiting > 0) {
      throw new CuratedError('BUSY', 'the journal queue is full', { detail: { bytes: this.#limits.bytes } });
    }
    this.#gathering.addGroup(
      blobs === undefined || blobs.length === 0 ? { op: 'append', group } : { op: 'append', group, blobs },
      records.length,
      bytes,
    );
    this.#schedule();
    this.#changed(key);
  }

  flush(level: FlushLevel, key?: SessionKey): Promise<void> {
    if (this.#away) return Promise.reject(this.#away);
    const k = key === undefined ? undefined : keyText(key);
    const sync = level === 'sync';
    const gathering = this.#gathering;
    const pending = !gathering.isEmpty;
    const no = pending ? this.#next : this.#next - 1;
    const isThere =
      (sync ? this.#synced : this.#done) >= no ||
      (level === 'ack' && k !== undefined && this.#acknowledged?.hasAll(gathering.items, k) === true);
    if (isThere) {
      const error =
        k === undefined ? this.#failures.any() : this.#failures.of(k, no, this.#failures.birth(k));
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    }
    gathering.sync ||= sync;
    if (sync || pending) this.#schedule();
    return this.#waiters.wait(sync ? this.#next : no, level, k);
  }

  room(): Promise<void> | undefined {
    if (this.#queued < this.#limits.groups) return undefined;
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Groups that the engine has not answered for yet. */
  get #queued(): number {
    return this.#gathering.groups + this.#underWay.groups;
  }

  async read(key: SessionKey, fromSeq: number, limit: number): Promise<JournalRecord[]> {
    const packed = (await this.#call('read', key, fromSeq, limit)) as PackedRecords;
    if (!this.#failures.none) this.#failures.looked(keyText(key), this.#next);
    return unpackRecords(packed);
  }

  blob(key: SessionKey, hash: string): Promise<Uint8Array | undefined> {
    return this.#call('blob', key, hash) as Promise<Uint8Array | undefined>;
  }

  blobs(key: SessionKey, hashes: readonly string[]): Promise<Map<string, Uint8Array>> {
    if (hashes.length === 0) return Promise.resolve(new Map());
    return this.#call('blobs', key, hashes) as Promise<Map<string, Uint8Array>>;
  }

  async head(key: SessionKey): Promise<SessionHead | undefined> {
    const head = (await this.#call('head', key)) as SessionHead | undefined;
    if (!this.#failures.none) this.#failures.looked(keyText(key), this.#next);
    return head;
  }

  heads(tenant?: string): Promise<SessionHead[]> {
    return this.#call('heads', tenant) as Promise<SessionHead[]>;
  }

  setMeta(key: SessionKey, meta: Record<string, unknown>): void {
    this.#usable();
    this.#gathering.add({ op: 'meta', key, meta: JSON.stringify(meta) });
    this.#schedule();
  }

  saveSnapshot(key: SessionKey, seq: number, hash: string, bytes: Uint8Array): void {
    this.#usable();
    this.#gathering.add({ op: 'snapshot', key, seq, hash, bytes }, bytes.byteLength);
    this.#schedule();
  }

  loadSnapshot(key: SessionKey): Promise<Snapshot | undefined> {
    return this.#call('loadSnapshot', key) as Promise<Snapshot | undefined>;
  }

  async copy(from: SessionKey, toSeq: number, to: SessionKey, now?: number): Promise<void> {
    this.#replaced(to);
    await this.#call('copy', from, toSeq, to, now);
  }

  async rewind(key: SessionKey, toSeq: number, archive: string, now?: number): Promise<RewindResult> {
    this.#replaced(key);
    const result = (await this.#call('rewind', key, toSeq, archive, now)) as RewindResult;
    this.#acknowledged?.changed(keyText(key));
    this.#failures.replaced(keyText(key), this.#next);
    return result;
  }

  async restore(
    key: SessionKey,
    archive: string,
    archiveCurrentAs: string,
    now?: number,
  ): Promise<SessionHead> {
    this.#replaced(key);
    const head = (await this.#call('restore', key, archive, archiveCurrentAs, now)) as SessionHead;
    this.#acknowledged?.changed(keyText(key));
    this.#failures.replaced(keyText(key), this.#next);
    return head;
  }

  archives(key: SessionKey): Promise<string[]> {
    return this.#call('archives', key) as Promise<string[]>;
  }

  async erase(key: SessionKey): Promise<void> {
    this.#replaced(key);
    await this.#call('erase', key);
    this.#acknowledged?.changed(keyText(key));
    this.#failures.replaced(keyText(key), this.#next);
    await this.#emptyRedo(key);
  }

  async sweep(options: SweepOptions): Promise<SweepResult> {
    const swept = (await this.#call('sweep', options)) as SweepResult;
    for (const key of swept.removed) this.#acknowledged?.changed(keyText(key));
    const [gone] = swept.removed;
    if (gone !== undefined) await this.#emptyRedo(gone);
    return swept;
  }

  /** What was erased must not stay in the log either: all that is in it now goes. */
  async #emptyRedo(key: SessionKey): Promise<void> {
    const redo = this.#acknowledged?.redo;
    if (redo === undefined) return;
    // Two files by turns: after a call, which has all before it written, the one that was left is empty.
    for (let i = 0; i < 2; i++) {
      redo.rotate();
      await this.#call('head', key);
    }
  }

  async backup(path: string): Promise<void> {
    await this.#call('backup', path);
  }

  check(): Promise<CheckReport> {
    return this.#call('check') as Promise<CheckReport>;
  }

  async stats(): Promise<StoreStats> {
    const stats = (await this.#call('stats')) as EngineStats;
    return { ...stats, queued: this.#queued };
  }

  health(): Health {
    return this.#red === undefined
      ? { state: 'green', notices: this.#notices }
      : { state: 'red', error: this.#red, notices: this.#notices };
  }

  onHealth(listener: (health: Health) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onCommit(listener: (commit: Commit) => void): void {
    this.#commitListener = listener;
  }

  #tell({ records, sync, at }: Sent): void {
    if (records === 0 && !sync) return;
    try {
      this.#commitListener?.({
        level: sync ? 'sync' : 'os',
        seconds: (performance.now() - at) / 1000,
        records,
      });
    } catch {
      // The commit stands, counted or not; those who wait for it are behind this line.
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const flushed = this.#red === undefined ? this.flush('sync') : Promise.resolve();
    const ended = this.#call('close');
    try {
      await flushed;
    } finally {
      const isDone = await ended.then(
        () => this.#red === undefined,
        () => false,
      );
      await this.#transport?.end();
      // What the engine could not take is read at the next start.
      if (isDone) this.#acknowledged?.redo.close();
    }
  }

  /** A reply of the engine's thread. */
  protected onReply(reply: Reply): void {
    if (reply.red !== undefined) this.#setRed(reply.red === null ? undefined : unpackError(reply.red));
    for (const f of reply.failures ?? []) {
      this.#acknowledged?.changed(keyText(f.key));
      this.#failures.note(keyText(f.key), f.no, f.expectedSeq, unpackError(f.error));
    }
    this.#done = Math.max(this.#done, reply.done);
    this.#synced = Math.max(this.#synced, reply.synced);
    const sent = this.#underWay.upTo(this.#done);
    for (const one of sent) this.#tell(one);
    const record = sent.at(-1)?.redo ?? 0;
    // While it is red the engine owes what was acknowledged.
    this.#acknowledged?.settled(this.#done, record, this.#red !== undefined);
    this.#waiters.settleDone(this.#done, this.#synced, () => this.#red ?? unsynced());
    if (!this.#failures.none) this.#failures.settled(this.#done);
    if (reply.results !== undefined) this.#asked.answered(reply.results);
    if (this.#queued < this.#limits.groups) this.#roomForAll();
  }

  /** The engine's thread is gone: all that is not durable is lost, and said to be. Red until `onBack`. */
  protected onGone(error: CuratedError): void {
    this.#setRed(error);
    this.#away = error;
    this.#acknowledged?.gone();
    clearTimeout(this.#linger);
    this.#linger = undefined;
    for (const { no, unlogged } of this.#underWay.upTo(this.#next)) this.#lose(no, unlogged, error);
    this.#lose(this.#next, unloggedOf(this.#gathering.take().items), error);
    this.#waiters.rejectAll(error);
    this.#asked.rejectAll(error);
    this.#roomForAll();
  }

  #roomForAll(): void {
    if (this.#roomWaiters.length === 0) return;
    const waiters = this.#roomWaiters;
    this.#roomWaiters = [];
    for (const resolve of waiters) resolve();
  }

  /** What is in the redo log is there again with the next thread; the rest is not. */
  #lose(no: number, unlogged: readonly Unlogged[], error: CuratedError): void {
    for (const { key, expectedSeq } of unlogged) this.#failures.note(keyText(key), no, expectedSeq, error);
  }

  /** A new thread serves the same store. What the old one left undone counts as lost; its callers have been told. */
  protected onBack(): void {
    this.#away = undefined;
    // The batch that was being gathered is gone too.
    this.onReply({ done: this.#next, synced: this.#next, red: null });
    this.#next++;
  }

  #usable(): void {
    if (this.#closed) throw new CuratedError('STORAGE', 'the journal is closed');
    if (this.#red) throw this.#red;
  }

  #setRed(error: CuratedError | undefined): void {
    const changed = (this.#red === undefined) !== (error === undefined);
    this.#red = error;
    if (changed) for (const listener of this.#listeners) listener(this.health());
  }

  onChange(listener: (key: SessionKey) => void): void {
    this.#changeListeners.push(listener);
  }

  /** The journal of `key` becomes another one. */
  #replaced(key: SessionKey): void {
    this.#acknowledged?.changed(keyText(key));
    this.#changed(key);
  }

  #changed(key: SessionKey): void {
    for (const listener of this.#changeListeners) listener(key);
  }

  #call(name: CallName, ...args: unknown[]): Promise<unknown> {
    if (this.#closed && name !== 'close') {
      return Promise.reject(new CuratedError('STORAGE', 'the journal is closed'));
    }
    if (this.#away) return Promise.reject(this.#away);
    const { call, answer } = this.#asked.ask(name, args);
    this.#gathering.add(call);
    this.#schedule();
    return answer;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After the poll phase: all that arrived on the sockets in this tick leaves as one batch.
    setImmediate(() => this.#tick());
  }

  #tick(): void {
    this.#scheduled = false;
    if (this.#gathering.isEmpty && !this.#gathering.sync) return;
    this.#look();
    if (!this.#mayLinger()) {
      this.#post();
      return;
    }
    this.#linger ??= setTimeout(() => {
      this.#linger = undefined;
      if (!this.#gathering.isEmpty) this.#post();
    }, LINGER_MS);
  }

  #mayLinger(): boolean {
    const { sync, bytes, items } = this.#gathering;
    if (this.#acknowledged === undefined || sync || bytes > LINGER_BYTES) return false;
    return !this.#waiters.isWaitedFor(this.#next) && this.#acknowledged.mayLinger(items);
  }

  /** Answers those who wait for no more than that it survives the process, where it does. */
  #look(): void {
    const safe = this.#acknowledged;
    if (safe === undefined) return;
    const synced = this.#waiters.syncing(this.#next);
    safe.look(this.#gathering.items, this.#next, synced, !this.#underWay.isEmpty);
    this.#waiters.settleSafe((key) => safe.isSafe(key));
  }

  #post(): void {
    this.#look();
    clearTimeout(this.#linger);
    this.#linger = undefined;
    const no = this.#next++;
    const { items: gathered, ...sums } = this.#gathering.take();
    const items = this.#acknowledged?.leave(gathered) ?? gathered;
    const batch: Batch = { no, sync: sums.sync, items };
    this.#underWay.push({
      ...sums,
      no,
      unlogged: unloggedOf(gathered),
      at: this.#commitListener === undefined ? 0 : performance.now(),
      redo: this.#acknowledged?.written ?? 0,
    });
    this.#transport!.post(batch);
  }
}

function unsynced(): CuratedError {
  return new CuratedError('STORAGE', 'the journal could not be synced');
}

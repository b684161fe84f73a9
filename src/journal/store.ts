// The store interface: what every journal engine must do. Knows records and keys, no engine, no session rules.
import type { CuratedError } from '../errors.js';
import type { ChainHead, JournalRecord } from './record.js';

/** Names a journal. Two tenants never share anything, not even equal texts. */
export interface SessionKey {
  readonly tenant: string;
  readonly session: string;
  /** Name of an archived journal of this session (`rewind`); absent = the live one. */
  readonly archive?: string;
}

/** A content-addressed text; `hash` is `sha256:` and 64 hex digits of `bytes`. */
export interface Blob {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export interface SessionHead extends ChainHead {
  readonly key: SessionKey;
  /** Epoch ms of the newest record, or of the copy, rewind or restore that came after it: retention counts from there. */
  readonly updatedAt: number;
  /** Epoch ms of the first record. */
  readonly createdAt: number;
  /** What the session wants to be listed with (model, turn, tokens): a JSON value, not part of the chain. */
  readonly meta: Record<string, unknown>;
}

export interface Snapshot {
  readonly seq: number;
  /** Hash of the record the snapshot stands on. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** How far what was appended has come; each level has those before it. */
export type FlushLevel =
  /** With the operating system, in the journal or in the log beside it: it survives the process. */
  | 'ack'
  /** In the journal: others who read the file see it. */
  | 'os'
  /** On the disk: it survives a power loss. */
  | 'sync';

export interface Commit {
  readonly level: 'os' | 'sync';
  readonly seconds: number;
  readonly records: number;
}

export interface Health {
  /** 'red': the last write failed; nothing is accepted until a probe write succeeds. Reads go on. */
  readonly state: 'green' | 'red';
  readonly error?: CuratedError;
  /** What was found at open and cut or skipped (a torn tail, a damaged log), in words. */
  readonly notices: readonly string[];
}

export interface StoreStats {
  readonly sessions: number;
  /** Journals that rewinds put aside; their events count too. */
  readonly archives: number;
  readonly events: number;
  readonly blobs: number;
  /** Bytes on disk, log included. */
  readonly bytes: number;
  readonly logBytes: number;
  /** Groups appended and not yet durable. */
  readonly queued: number;
  readonly commits: number;
  readonly syncs: number;
  readonly checkpoints: number;
}

export interface RewindResult {
  readonly archive: string;
  /** The seq that was the head before. */
  readonly truncatedSeq: number;
  /** Records kept. */
  readonly kept: number;
}

export interface SweepOptions {
  /** Epoch ms. */
  readonly now: number;
  /** Journals older than this many days go; 0 or less: none. */
  readonly retainDays: number;
  /** Sessions in use: never touched. */
  readonly open?: readonly SessionKey[];
}

export interface SweepResult {
  readonly removed: readonly SessionKey[];
  readonly blobs: number;
}

export interface CheckReport {
  /** Structural faults, as the engine words them; empty = sound. */
  readonly structure: readonly string[];
  /** Sessions whose chain is broken. */
  readonly broken: readonly { key: SessionKey; seq: number; reason: string }[];
  readonly sessions: number;
  /** Journals that rewinds put aside; their events count too. */
  readonly archives: number;
  readonly events: number;
}

/**
 * A journal store. Calls take effect in the order they were made, reads included (a read sees all that was appended before it).
 * Errors: STORAGE_FULL (no space), STORAGE (all else; `detail.quarantined` for a broken session), BUSY (queue limit in bytes).
 */
export interface Store {
  /**
   * Enqueues records after `expectedSeq` (0 = a new session); whole or not at all, and `blobs` before the records that name them.
   * Throws when the store is closed or red, or when the session's last append failed and this one continues it: after a failure
   * the caller asks with `head` or `read` what is stored and goes on from there (records of a failed sync may be there after all).
   * A gap, a wrong `prev` or a lost lease is found by the writer: `flush` for that session then rejects, nothing is written.
   */
  append(
    key: SessionKey,
    expectedSeq: number,
    records: readonly JournalRecord[],
    blobs?: readonly Blob[],
  ): void;
  /**
   * Resolves when all that was appended before has come as far as `level`. With a key it rejects for that session's failures and the store's alone, else for any.
   */
  flush(level: FlushLevel, key?: SessionKey): Promise<void>;
  /** Back-pressure: undefined while the queue has room, else resolves when it has. Ask before taking in more work. */
  room(): Promise<void> | undefined;

  /** At most `limit` records from `fromSeq` on, chain verified; [] beyond the end or for an unknown session. */
  read(key: SessionKey, fromSeq: number, limit: number): Promise<JournalRecord[]>;
  /** Bytes of a blob of this tenant, verified by hash; undefined when there is none. */
  blob(key: SessionKey, hash: string): Promise<Uint8Array | undefined>;
  /** Several at once; those that there are. */
  blobs(key: SessionKey, hashes: readonly string[]): Promise<Map<string, Uint8Array>>;
  head(key: SessionKey): Promise<SessionHead | undefined>;
  /** Live sessions (no archives), of one tenant or of all. */
  heads(tenant?: string): Promise<SessionHead[]>;
  /** Replaces what the session is listed with; durable with the next flush. Ignored for an unknown session. */
  setMeta(key: SessionKey, meta: Record<string, unknown>): void;

  /** A cache: lost without harm, replaced by the next. */
  saveSnapshot(key: SessionKey, seq: number, hash: string, bytes: Uint8Array): void;
  /** The newest snapshot that stands on a stored record and has its own hash right; else undefined. */
  loadSnapshot(key: SessionKey): Promise<Snapshot | undefined>;

  /** Copies the records up to `toSeq` to a new session; fails when `to` exists. Same chain, synced. `now` in epoch ms, here and below: it counts as touched then. */
  copy(from: SessionKey, toSeq: number, to: SessionKey, now?: number): Promise<void>;
  /** Archives the whole journal as `archive` and keeps the records up to `toSeq`; one step, synced. */
  rewind(key: SessionKey, toSeq: number, archive: string, now?: number): Promise<RewindResult>;
  /** Makes `archive` the live journal again, after archiving the live one as `archiveCurrentAs`. */
  restore(key: SessionKey, archive: string, archiveCurrentAs: string, now?: number): Promise<SessionHead>;
  /** Names of the session's archives, sorted. */
  archives(key: SessionKey): Promise<string[]>;

  /** Removes the session, its archives, its snapshots and the blobs nobody else names; leaves no bytes of them behind. */
  erase(key: SessionKey): Promise<void>;
  sweep(options: SweepOptions): Promise<SweepResult>;
  /** A consistent copy while writing goes on; `path` must not exist. */
  backup(path: string): Promise<void>;
  check(): Promise<CheckReport>;
  stats(): Promise<StoreStats>;
  health(): Health;
  /** Called at each change between green and red; returns the way to stop it. */
  onHealth(listener: (health: Health) => void): () => void;
  /** Called once a group commit: the level it reached, the time from handing over to the answer, the records in it. */
  onCommit(listener: (commit: Commit) => void): void;
  /**
   * Called for each live journal that gets records or becomes another one (append, copy, rewind, restore, erase), on the caller's
   * thread, before that is written. Cheap and never throws.
   */
  onChange(listener: (key: SessionKey) => void): void;
  /** Writes out all that was appended, syncs, and ends. Later calls fail. */
  close(): Promise<void>;
}

/** A key as one string: a JSON list, so that no id can be mistaken for another. */
export function keyText(key: SessionKey): string {
  return key.archive === undefined
    ? JSON.stringify([key.tenant, key.session])
    : JSON.stringify([key.tenant, key.session, key.archive]);
}

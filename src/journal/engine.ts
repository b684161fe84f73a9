// What a storage engine does, synchronously, on the thread that owns it. Queues, promises and group commit are not its concern.
import { CuratedError } from '../errors.js';
import type { PackedGroup, PackedRecords } from './packed.js';
import type {
  Blob,
  CheckReport,
  RewindResult,
  SessionHead,
  SessionKey,
  Snapshot,
  StoreStats,
  SweepOptions,
  SweepResult,
} from './store.js';

export type WriteOp =
  | {
      readonly op: 'append';
      readonly group: PackedGroup;
      readonly blobs?: readonly Blob[];
      /** Number of its record in the redo log: it was acknowledged, and a lost commit does not lose it. */
      redo?: number;
    }
  | { readonly op: 'meta'; readonly key: SessionKey; readonly meta: string }
  | {
      readonly op: 'snapshot';
      readonly key: SessionKey;
      readonly seq: number;
      readonly hash: string;
      readonly bytes: Uint8Array;
    };

/** A transaction that may or may not be on the disk: the engine must be probed before it takes another. */
export class LostCommit extends CuratedError {
  constructor(why: CuratedError) {
    super(why.kind, why.message, { detail: why.detail, cause: why.cause });
  }
}

export type EngineStats = Omit<StoreStats, 'queued'>;

export interface Engine {
  /** What was cut or skipped when the store was opened, in words. */
  readonly notices: readonly string[];
  /**
   * One transaction; `sync` = it must survive a power loss, with all that came before. Returns what single ops failed with, by
   * index (those left no trace); throws when the transaction as a whole is lost. `redo`: number of the newest record of the redo
   * log that it makes superfluous, kept with it by an engine that has such a log.
   */
  commit(ops: readonly WriteOp[], sync: boolean, redo?: number): Map<number, Error>;
  /** After a lost commit: gets back to what is on disk and proves that a write reaches it; throws when it does not. */
  probe(): void;
  /** Housekeeping when the queue is empty; `busy` = it is not, do only what cannot wait. */
  idle(busy: boolean): void;

  read(key: SessionKey, fromSeq: number, limit: number): PackedRecords;
  blob(key: SessionKey, hash: string): Uint8Array | undefined;
  head(key: SessionKey): SessionHead | undefined;
  heads(tenant?: string): SessionHead[];
  loadSnapshot(key: SessionKey): Snapshot | undefined;
  copy(from: SessionKey, toSeq: number, to: SessionKey, now?: number): void;
  rewind(key: SessionKey, toSeq: number, archive: string, now?: number): RewindResult;
  restore(key: SessionKey, archive: string, archiveCurrentAs: string, now?: number): SessionHead;
  archives(key: SessionKey): string[];
  erase(key: SessionKey): void;
  sweep(options: SweepOptions): SweepResult;
  backup(path: string): Promise<void>;
  check(): CheckReport;
  stats(): EngineStats;
  close(): void;
}

/** Those of the blobs that there are. */
export function blobsOf(
  engine: Pick<Engine, 'blob'>,
  key: SessionKey,
  hashes: readonly string[],
): Map<string, Uint8Array> {
  const out = new Map<string, Uint8Array>();
  for (const hash of hashes) {
    const bytes = engine.blob(key, hash);
    if (bytes) out.set(hash, bytes);
  }
  return out;
}

/** What a store calls by name: methods of its engine, and `blobs`. */
export type CallName =
  | 'read'
  | 'blob'
  | 'blobs'
  | 'head'
  | 'heads'
  | 'loadSnapshot'
  | 'copy'
  | 'rewind'
  | 'restore'
  | 'archives'
  | 'erase'
  | 'sweep'
  | 'backup'
  | 'check'
  | 'stats'
  | 'close';

/** Calls that change the store: refused while it is red. */
export const CHANGES: ReadonlySet<CallName> = new Set(['copy', 'rewind', 'restore', 'erase', 'sweep']);

// Runs batches on an engine: one transaction for all writes in a row, red after a lost commit until a probe succeeds.
// Lives on the engine's thread; knows no session and no engine in particular.
import { CuratedError } from '../errors.js';
import { blobsOf, type CallName, CHANGES, type Engine, LostCommit, type WriteOp } from './engine.js';
import { Owed } from './owed.js';
import { type PackedError, packError } from './packed.js';
import { groupsIn } from './packed-bytes.js';
import type { SessionKey } from './store.js';

export interface Call {
  readonly op: 'call';
  readonly id: number;
  readonly name: CallName;
  readonly args: readonly unknown[];
}

/** The groups of a record of the redo log as they go to the engine: packed once, for both. */
export interface Logged {
  readonly op: 'logged';
  readonly redo: number;
  readonly bytes: Uint8Array;
}

/** What one tick of the caller sends; numbered from 1. */
export interface Batch {
  readonly no: number;
  readonly sync: boolean;
  readonly items: readonly (WriteOp | Call | Logged)[];
}

export interface Failure {
  readonly no: number;
  readonly key: SessionKey;
  readonly expectedSeq: number;
  readonly error: PackedError;
}

export interface Reply {
  /** All batches up to this number are done; those that failed are in `failures`. */
  done: number;
  /** All batches up to this number are synced, as far as they were written. */
  synced: number;
  failures?: Failure[];
  results?: { id: number; value?: unknown; error?: PackedError }[];
  /** Present when it changed: null = green again. */
  red?: PackedError | null;
}

/** Time between two tries to write again, and the longer one once as many were in vain: each opens the file anew. */
const PROBE_MS = 250;
const PROBES = 40;
const LATE_PROBE_MS = 5_000;

export class Runner {
  #red: PackedError | undefined;
  #redTold = false;
  #synced = 0;
  #unsynced = false;
  #done = 0;
  readonly #owed = new Owed();
  #probe: NodeJS.Timeout | undefined;
  #probes = 0;

  constructor(
    readonly engine: Engine,
    readonly reply: (reply: Reply) => void,
  ) {}

  /** Runs batches in order and replies once. */
  take(batches: readonly Batch[]): void {
    const reply: Reply = { done: this.#done, synced: this.#synced };
    let run: WriteOp[] = [];
    let owners: number[] = [];
    let sync = false;
    for (const batch of batches) {
      sync ||= batch.sync;
      for (const item of batch.items) {
        if (item.op === 'call') {
          // A call sees what came before it, so the writes so far are a transaction of their own.
          this.#commit(run, owners, sync, reply);
          run = [];
          owners = [];
          this.#call(item, reply);
        } else if (item.op === 'logged') {
          for (const group of groupsIn(item.bytes)) {
            run.push({ op: 'append', group, redo: item.redo });
            owners.push(batch.no);
          }
        } else {
          run.push(item);
          owners.push(batch.no);
        }
      }
    }
    this.#commit(run, owners, sync, reply);
    const last = batches.at(-1);
    if (last) this.#done = last.no;
    if (sync && this.#red === undefined) this.#synced = this.#done;
    reply.done = this.#done;
    reply.synced = this.#synced;
    if ((this.#red !== undefined) !== this.#redTold) {
      reply.red = this.#red ?? null;
      this.#redTold = this.#red !== undefined;
    }
    this.reply(reply);
  }

  /** Housekeeping; true when it is worth calling again soon. */
  idle(busy: boolean): void {
    if (this.#red === undefined) this.#guard(() => this.engine.idle(busy));
  }

  stop(): void {
    clearTimeout(this.#probe);
  }

  #commit(ops: readonly WriteOp[], owners: readonly number[], sync: boolean, reply: Reply): void {
    if (ops.length === 0 && !(sync && this.#unsynced)) return;
    if (this.#red === undefined) {
      try {
        const failed = this.engine.commit(ops, sync, newestRedo(ops));
        this.#unsynced = !sync;
        for (const [i, error] of failed) addFailure(reply, ops[i]!, owners[i]!, packError(error));
        return;
      } catch (e) {
        this.#turnRed(e);
      }
    }
    const error = this.#red!;
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i]!;
      if (op.op === 'append' && op.redo !== undefined) this.#owed.add(op);
      else addFailure(reply, op, owners[i]!, error);
    }
  }

  /** Writes what was acknowledged while nothing could be written. */
  #payOwed(): void {
    if (this.#owed.none) return;
    const { ops } = this.#owed;
    const failed = this.engine.commit(ops, true, newestRedo(ops));
    const reply: Reply = { done: this.#done, synced: this.#synced };
    for (const [i, error] of failed) addFailure(reply, ops[i]!, this.#done, packError(error));
    this.#owed.clear();
    if (failed.size > 0) this.reply(reply);
  }

  #call(call: Call, reply: Reply): void {
    reply.results ??= [];
    const { id } = call;
    try {
      if (this.#red !== undefined && CHANGES.has(call.name)) throw refused(this.#red);
      const value = this.#carryOut(call);
      if (value instanceof Promise) this.#later(id, value);
      else reply.results.push({ id, value });
    } catch (e) {
      if (e instanceof LostCommit) this.#turnRed(e);
      reply.results.push({ id, error: packError(e) });
    }
  }

  #carryOut({ name, args }: Call): unknown {
    if (!this.#owed.none && name === 'read') {
      const [key, fromSeq, limit] = args as [SessionKey, number, number];
      return this.#owed.read(key, fromSeq, limit, this.engine.read(key, fromSeq, limit));
    }
    if (!this.#owed.none && name === 'head') {
      const [key] = args as [SessionKey];
      return this.#owed.head(key, this.engine.head(key));
    }
    if (name === 'blobs') return blobsOf(this.engine, ...(args as [SessionKey, string[]]));
    const method = this.engine[name] as (...args: readonly unknown[]) => unknown;
    return method.apply(this.engine, args as unknown[]);
  }

  /** A call that takes its time (a backup) is answered by a reply of its own; writes go on meanwhile. */
  #later(id: number, work: Promise<unknown>): void {
    const send = (result: { id: number; value?: unknown; error?: PackedError }) =>
      this.reply({ done: this.#done, synced: this.#synced, results: [result] });
    work.then(
      (value) => send({ id, value }),
      (e) => send({ id, error: packError(e) }),
    );
  }

  #turnRed(e: unknown): void {
    this.#red = packError(e);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#probe);
    this.#probes++;
    const pause = this.#probes > PROBES ? LATE_PROBE_MS : PROBE_MS;
    this.#probe = setTimeout(() => {
      try {
        this.engine.probe();
        this.#payOwed();
      } catch (e) {
        this.#red = packError(e);
        this.#schedule();
        return;
      }
      this.#probes = 0;
      this.#red = undefined;
      this.#redTold = false;
      this.#unsynced = false;
      this.#synced = this.#done;
      this.reply({ done: this.#done, synced: this.#synced, red: null });
    }, pause);
    this.#probe.unref();
  }

  #guard(fn: () => void): void {
    try {
      fn();
    } catch (e) {
      this.#turnRed(e);
      this.#redTold = true;
      this.reply({ done: this.#done, synced: this.#synced, red: this.#red! });
    }
  }
}

/** What the redo log need not hold any more, once these are written. */
function newestRedo(ops: readonly WriteOp[]): number | undefined {
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i]!;
    if (op.op === 'append' && op.redo !== undefined) return op.redo;
  }
  return undefined;
}

function addFailure(reply: Reply, op: WriteOp, no: number, error: PackedError): void {
  // A lost snapshot or listing is no loss: the one is a cache, the other comes again with the next change.
  if (op.op !== 'append') return;
  reply.failures ??= [];
  reply.failures.push({ no, key: op.group.key, expectedSeq: op.group.expectedSeq, error });
}

function refused(e: PackedError): CuratedError {
  return new CuratedError(e.kind, `the journal takes no writes: ${e.message}`, { detail: e.detail });
}

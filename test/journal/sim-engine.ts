// A journal engine on the simulated disk: one log of checksummed frames, replayed at open. Small, so that every crash can be tried.
import { CuratedError } from '../../src/errors.js';
import { type Engine, type EngineStats, LostCommit, type WriteOp } from '../../src/journal/engine.js';
import { MemoryEngine } from '../../src/journal/memory-engine.js';
import type { PackedRecords } from '../../src/journal/packed.js';
import { sha256 } from '../../src/journal/record.js';
import type {
  CheckReport,
  RewindResult,
  SessionHead,
  SessionKey,
  Snapshot,
  SweepOptions,
  SweepResult,
} from '../../src/journal/store.js';
import type { SimDisk } from './sim-disk.js';

const LOG = 'journal.log';
const NEW = 'journal.new';
/** Frame: length of the body (u32), 12 bytes of its sha256, body. */
const FRAME_HEADER = 16;
/** Logs above this are rewritten without what is gone. */
const COMPACT_BYTES = 256 * 1024;

type ChangeName = 'copy' | 'rewind' | 'restore' | 'erase' | 'sweep';
type Frame =
  | { readonly ops: readonly WriteOp[]; readonly redo?: number }
  | { readonly call: ChangeName; readonly args: readonly unknown[] };

export interface SimOptions {
  /** Leaves out a step that must not be left out, so that a test can show that it would be found. */
  readonly omit?: 'sync' | 'checksum' | 'cut';
}

export class SimEngine implements Engine {
  readonly notices: string[] = [];
  readonly #disk: SimDisk;
  readonly #omit: SimOptions['omit'];
  #state = new MemoryEngine();
  /** Number of the newest record of the redo log that it has. */
  redone = 0;
  /** Bytes of the log that are whole frames. */
  #length = 0;
  #compactions = 0;
  #syncs = 0;

  constructor(disk: SimDisk, options: SimOptions = {}) {
    this.#disk = disk;
    this.#omit = options.omit;
    this.#recover();
  }

  #recover(): void {
    // Left by a rewrite that did not get to its rename.
    if (this.#disk.exists(NEW)) this.#disk.remove(NEW);
    const { frames, length } = decode(this.#disk.read(LOG), this.#omit === 'checksum');
    const tail = this.#disk.size(LOG) - length;
    if (tail > 0 && this.#omit !== 'cut') {
      // Cut and synced before anything is appended: the next frame must not be glued to a torn one.
      this.notices.push(
        `the log was cut behind ${frames.length} sound frames: ${tail} bytes were torn or damaged`,
      );
      this.#disk.truncate(LOG, length);
      this.#disk.sync(LOG);
    }
    this.#length = this.#omit === 'cut' ? length + tail : length;
    this.#state = new MemoryEngine();
    this.redone = 0;
    for (const frame of frames) {
      apply(this.#state, frame);
      if ('ops' in frame) this.redone = frame.redo ?? this.redone;
    }
  }

  commit(ops: readonly WriteOp[], sync: boolean, redo?: number): Map<number, Error> {
    if (ops.length > 0 || redo !== undefined) this.#write(redo === undefined ? { ops } : { ops, redo });
    this.redone = redo ?? this.redone;
    if (sync) this.#sync();
    return this.#state.commit(ops, sync);
  }

  #write(frame: Frame): void {
    const bytes = encode(frame);
    this.#disk.append(LOG, bytes);
    this.#length += bytes.length;
  }

  #sync(): void {
    this.#syncs++;
    if (this.#omit !== 'sync') this.#disk.sync(LOG);
  }

  /** Runs a change on a copy of the state first: one that is refused must not reach the log. */
  #change<T>(call: ChangeName, ...args: unknown[]): T {
    const frame: Frame = { call, args };
    const trial = new MemoryEngine();
    for (const ops of this.#state.dump()) trial.commit(ops, false);
    const result = apply(trial, frame) as T;
    try {
      this.#write(frame);
      this.#sync();
    } catch (e) {
      throw e instanceof CuratedError ? new LostCommit(e) : e;
    }
    this.#state = trial;
    return result;
  }

  probe(): void {
    this.#recover();
    // What the cache shows may never have reached the disk (a failed sync); so all of it is written once more, elsewhere.
    this.#rewrite();
  }

  idle(busy: boolean): void {
    if (!busy && this.#length > COMPACT_BYTES) this.#rewrite();
  }

  /** The log anew, with what the state holds and nothing that is gone. */
  #rewrite(): void {
    if (this.#disk.exists(NEW)) this.#disk.remove(NEW);
    let length = 0;
    for (const frame of [...this.#state.dump().map((ops) => ({ ops })), { ops: [], redo: this.redone }]) {
      const bytes = encode(frame);
      this.#disk.append(NEW, bytes);
      length += bytes.length;
    }
    this.#disk.sync(NEW);
    this.#disk.rename(NEW, LOG);
    this.#disk.syncFolder();
    this.#length = length;
    this.#compactions++;
  }

  erase(key: SessionKey): void {
    this.#change('erase', key);
    this.#rewrite();
  }

  copy(from: SessionKey, toSeq: number, to: SessionKey): void {
    this.#change('copy', from, toSeq, to);
  }

  rewind(key: SessionKey, toSeq: number, archive: string): RewindResult {
    return this.#change('rewind', key, toSeq, archive);
  }

  restore(key: SessionKey, archive: string, archiveCurrentAs: string): SessionHead {
    return this.#change('restore', key, archive, archiveCurrentAs);
  }

  sweep(options: SweepOptions): SweepResult {
    return this.#change('sweep', options);
  }

  read(key: SessionKey, fromSeq: number, limit: number): PackedRecords {
    return this.#state.read(key, fromSeq, limit);
  }

  blob(key: SessionKey, hash: string): Uint8Array | undefined {
    return this.#state.blob(key, hash);
  }

  head(key: SessionKey): SessionHead | undefined {
    return this.#state.head(key);
  }

  heads(tenant?: string): SessionHead[] {
    return this.#state.heads(tenant);
  }

  loadSnapshot(key: SessionKey): Snapshot | undefined {
    return this.#state.loadSnapshot(key);
  }

  archives(key: SessionKey): string[] {
    return this.#state.archives(key);
  }

  backup(): Promise<void> {
    return Promise.reject(new CuratedError('UNSUPPORTED', 'the simulated disk has no backup'));
  }

  check(): CheckReport {
    return this.#state.check();
  }

  stats(): EngineStats {
    return {
      ...this.#state.stats(),
      logBytes: this.#length,
      syncs: this.#syncs,
      checkpoints: this.#compactions,
    };
  }

  close(): void {
    this.#disk.sync(LOG);
  }
}

function apply(state: MemoryEngine, frame: Frame): unknown {
  if ('ops' in frame) return state.commit(frame.ops, false);
  return (state[frame.call] as (...args: readonly unknown[]) => unknown).apply(
    state,
    frame.args as unknown[],
  );
}

/** Blobs and snapshots stand as base64: the log is JSON in frames. */
function encode(frame: Frame): Uint8Array {
  const body = Buffer.from(
    JSON.stringify(frame, (_, value) => {
      return value instanceof Uint8Array ? { $bytes: Buffer.from(value).toString('base64') } : value;
    }),
  );
  const out = Buffer.alloc(FRAME_HEADER + body.length);
  out.writeUInt32LE(body.length, 0);
  out.write(sha256(body).slice(0, 24), 4, 'hex');
  body.copy(out, FRAME_HEADER);
  return out;
}

function decode(log: Uint8Array, trusting: boolean): { frames: Frame[]; length: number } {
  const buf = Buffer.from(log.buffer, log.byteOffset, log.length);
  const frames: Frame[] = [];
  let at = 0;
  while (at + FRAME_HEADER <= buf.length) {
    const size = buf.readUInt32LE(at);
    const end = at + FRAME_HEADER + size;
    if (size === 0 || end > buf.length) break;
    const body = buf.subarray(at + FRAME_HEADER, end);
    if (!trusting && sha256(body).slice(0, 24) !== buf.toString('hex', at + 4, at + FRAME_HEADER)) break;
    try {
      frames.push(JSON.parse(body.toString('utf8'), revive) as Frame);
    } catch {
      break;
    }
    at = end;
  }
  return { frames, length: at };
}

function revive(_: string, value: unknown): unknown {
  const bytes = (value as { $bytes?: unknown } | null)?.$bytes;
  return typeof bytes === 'string' ? new Uint8Array(Buffer.from(bytes, 'base64')) : value;
}

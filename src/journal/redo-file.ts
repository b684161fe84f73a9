// One file of the redo log: records of a length, a checksum, a number and bytes, one behind the other. Written by the thread
// that acknowledges, read at the next start. Knows no journal.
import { closeSync, fchmodSync, ftruncateSync, openSync, readFileSync, rmSync, writevSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Length of what follows the checksum, checksum, number (a double, so that it never wraps). Little endian. */
const HEAD = 4 + 4 + 8;

export interface RedoRecord {
  readonly no: number;
  readonly bytes: Uint8Array;
}

export class RedoFile {
  readonly path: string;
  readonly #fd: number;
  readonly #head = Buffer.alloc(HEAD);
  #size = 0;
  /** Number of the newest record; 0 when the file is empty. */
  last = 0;

  /** Makes the file, or empties it: what it held must have been read. Throws what fs throws. */
  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, 'w', 0o600);
    fchmodSync(this.#fd, 0o600);
  }

  get size(): number {
    return this.#size;
  }

  /** Hands the record to the operating system. Throws what fs throws, and leaves nothing of the record then. */
  write(no: number, bytes: Uint8Array): void {
    const length = HEAD + bytes.length;
    const head = this.#head;
    head.writeUInt32LE(length - 8, 0);
    head.writeDoubleLE(no, 8);
    head.writeUInt32LE(crc32(bytes, crc32(head.subarray(8))), 4);
    try {
      if (writevSync(this.#fd, [head, bytes], this.#size) < length) throw new Error('a short write');
    } catch (e) {
      ftruncateSync(this.#fd, this.#size);
      throw e;
    }
    this.#size += length;
    this.last = no;
  }

  empty(): void {
    ftruncateSync(this.#fd, 0);
    this.#size = 0;
    this.last = 0;
  }

  /** Takes the file away. */
  remove(): void {
    closeSync(this.#fd);
    rmSync(this.path, { force: true });
  }
}

/** The sound records of a file from its start on, and how many bytes lie behind them: torn or damaged. [] where there is none. */
export function readRedo(path: string): { records: RedoRecord[]; behind: number } {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ENOENT') return { records: [], behind: 0 };
    throw e;
  }
  const records: RedoRecord[] = [];
  let at = 0;
  while (at + HEAD <= file.length) {
    const end = at + 8 + file.readUInt32LE(at);
    if (end < at + HEAD || end > file.length) break;
    if (crc32(file.subarray(at + 8, end)) !== file.readUInt32LE(at + 4)) break;
    records.push({ no: file.readDoubleLE(at + 8), bytes: file.subarray(at + HEAD, end) });
    at = end;
  }
  return { records, behind: file.length - at };
}

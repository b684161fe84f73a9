// The redo log: what is acknowledged is first handed to the operating system here, by the thread that acknowledges it, and
// written to the journal a little later, many turns in one transaction. A kill loses nothing: the next start writes what the
// journal lacks (redo-replay.ts). Two files by turns, so that one can be emptied while the other takes what comes.
import type { Redo, Written } from './acknowledged.js';
import type { PackedGroup } from './packed.js';
import { groupsOut } from './packed-bytes.js';
import { fileIdentity } from './private-file.js';
import { RedoFile } from './redo-file.js';
import type { Vault } from './vault.js';

/** A file that is larger gives way to the other; one that cannot, and is this large, takes nothing until it can. */
const FILE_BYTES = 4 * 1024 * 1024;
const MOST_BYTES = 2 * FILE_BYTES;

/** Where the redo log of the journal at `path` lies. */
export const redoPaths = (path: string): readonly [string, string] => [`${path}-redo0`, `${path}-redo1`];

/** What seals a record: its number is part of the place. */
export const redoPlace = (no: number): string => `redo:${no}`;

export class RedoLog implements Redo {
  readonly #path: string;
  readonly #vault: Vault;
  readonly #identity: string;
  #files: readonly [RedoFile, RedoFile] | undefined;
  /** The one that is written, and the one that waits until the journal has what it holds. */
  #active: 0 | 1 = 0;
  #no: number;

  /**
   * @param path of the journal
   * @param last number of the newest record that the journal has; what the files held is in the journal, and goes
   */
  constructor(path: string, vault: Vault, last: number) {
    this.#path = path;
    this.#vault = vault;
    this.#identity = fileIdentity(path);
    this.#no = last;
    const [first, second] = redoPaths(path);
    try {
      this.#files = [new RedoFile(first), new RedoFile(second)];
    } catch {
      // Without it everything waits for the journal itself.
    }
  }

  /**
   * @returns the record once the operating system has it; undefined where that failed, where the journal is too far behind, or where
   * its folder was moved away: then nothing of it is written and the journal itself must be waited for
   */
  write(groups: readonly PackedGroup[]): Written | undefined {
    if (this.#files === undefined || fileIdentity(this.#path) !== this.#identity) return undefined;
    if (this.#files[this.#active].size > FILE_BYTES) this.rotate();
    const file = this.#files[this.#active];
    if (file.size > MOST_BYTES) return undefined;
    const no = this.#no + 1;
    const bytes = groupsOut(groups);
    try {
      file.write(no, this.#vault.bytesOut('file', redoPlace(no), bytes));
    } catch {
      return undefined;
    }
    this.#no = no;
    return { no, bytes };
  }

  /** The journal has all records up to `no`. */
  done(no: number): void {
    const waiting = this.#files?.[this.#active === 0 ? 1 : 0];
    if (waiting === undefined || waiting.last === 0 || waiting.last > no) return;
    try {
      waiting.empty();
    } catch {
      // It is read again at the next start, and what the journal has is skipped.
    }
  }

  /** What comes goes to the other file, if that is free. The one so far is emptied once the journal has what it holds. */
  rotate(): void {
    const other = this.#active === 0 ? 1 : 0;
    if (this.#files?.[other].last === 0) this.#active = other;
  }

  /** The journal has all of it: the files go. */
  close(): void {
    for (const file of this.#files ?? []) file.remove();
    this.#files = undefined;
  }
}

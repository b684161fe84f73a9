// After a kill: what was acknowledged from the redo log and is not in the journal yet is written to it, synced, before anything
// else. Runs where the engine lives.
import type { Engine } from './engine.js';
import { CELLS, type PackedGroup, verifyPacked } from './packed.js';
import { groupsIn } from './packed-bytes.js';
import { type RedoRecord, readRedo } from './redo-file.js';
import { redoPaths, redoPlace } from './redo-log.js';
import type { Vault } from './vault.js';

/** An engine that keeps the number of the newest record of the log that it has. */
export type Redoing = Pick<Engine, 'commit' | 'head'> & { readonly redone: number };

export interface Replayed {
  /** Number of the newest record; of the journal's, where the log holds none that is newer. */
  readonly last: number;
  /** What was found, in words. */
  readonly notices: readonly string[];
}

/** @throws STORAGE, STORAGE_FULL when the journal takes no writes: the files are left as they are then. */
export function replayRedo(path: string, engine: Redoing, vault: Vault): Replayed {
  const notices: string[] = [];
  const read = redoPaths(path).map((file) => {
    const { records, behind } = readRedo(file);
    if (behind > 0) notices.push(`${behind} bytes of ${file} are torn or damaged and were left out`);
    return records;
  });
  const { last, added, lost } = replayRecords(read.flat(), engine, vault, notices);
  if (added > 0)
    notices.push(`${added} records that were acknowledged before the daemon ended were written to ${path}`);
  if (lost > 0)
    notices.push(
      `${lost} records of the redo log do not continue what ${path} holds, as after a power loss; their clients are told by last_seq`,
    );
  return { last, notices };
}

/**
 * Writes what the engine lacks of the log's records, in their order; synced when it returns.
 * @returns number of the newest record, and how many of the journal's records were written, and cannot be
 */
export function replayRecords(
  log: readonly RedoRecord[],
  engine: Redoing,
  vault: Vault,
  notices: string[],
): { last: number; added: number; lost: number } {
  const from = engine.redone;
  const records = [...log].sort((a, b) => a.no - b.no);
  const last = records.at(-1)?.no ?? 0;
  let [added, lost] = [0, 0];
  for (const { no, bytes } of records) {
    if (no <= from) continue;
    for (const group of opened(no, bytes, vault, notices)) {
      const wanted = beyond(engine, group);
      if (wanted === undefined) continue;
      const count = wanted.cells.length / CELLS;
      if (isSound(wanted) && engine.commit([{ op: 'append', group: wanted }], false).size === 0)
        added += count;
      else lost += count;
    }
  }
  // One sync for all of it, and for the number, without which the next start would read the log again.
  if (last > from) engine.commit([], true, last);
  return { last: Math.max(last, from), added, lost };
}

function opened(no: number, bytes: Uint8Array, vault: Vault, notices: string[]): PackedGroup[] {
  try {
    return groupsIn(vault.bytesIn('file', redoPlace(no), bytes));
  } catch (e) {
    notices.push(`record ${no} of the redo log cannot be read: ${(e as Error).message}`);
    return [];
  }
}

/** What of the group the journal lacks; undefined where it has all of it. */
function beyond(engine: Redoing, group: PackedGroup): PackedGroup | undefined {
  const seq = seqOf(engine, group);
  const has = Math.max(0, seq - group.expectedSeq) * CELLS;
  if (has === 0) return group;
  if (has >= group.cells.length) return undefined;
  const prev = group.cells[has - 2] as string;
  return { ...group, expectedSeq: seq, prev, cells: group.cells.slice(has) };
}

/** A session whose head is damaged takes nothing: the write says so. */
function seqOf(engine: Redoing, { key, expectedSeq }: PackedGroup): number {
  try {
    return engine.head(key)?.seq ?? 0;
  } catch {
    return expectedSeq;
  }
}

function isSound({ key, expectedSeq, prev, cells }: PackedGroup): boolean {
  const hash = cells[cells.length - 2] as string;
  try {
    verifyPacked(
      key,
      { firstSeq: expectedSeq + 1, prev, cells: [...cells] },
      { seq: expectedSeq + cells.length / CELLS, hash },
    );
    return true;
  } catch {
    return false;
  }
}

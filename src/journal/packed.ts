// The flat form in which records cross to an engine and back: one array of primitives a group, cheap to clone. Pure.
import { CuratedError, type ErrorKind } from '../errors.js';
import { type ChainHead, type JournalRecord, type Payload, quarantined, recordHash } from './record.js';
import type { SessionKey } from './store.js';

/** Cells of one record in a flat list: ts, type, ver, turn, observed (0 absent, 1 false, 2 true), hash, json. */
export const CELLS = 7;
export type Cell = number | string;

export interface PackedGroup {
  readonly key: SessionKey;
  readonly expectedSeq: number;
  /** Hash of the record at `expectedSeq`. */
  readonly prev: string;
  readonly cells: readonly Cell[];
}

/** Records in a row; the first has seq `firstSeq` and follows `prev`. */
export interface PackedRecords {
  readonly firstSeq: number;
  readonly prev: string;
  readonly cells: Cell[];
}

/** Packs records that must follow `expectedSeq` and each other; throws STORAGE at a gap or a wrong `prev`. */
export function packGroup(
  key: SessionKey,
  expectedSeq: number,
  records: readonly JournalRecord[],
): PackedGroup {
  const cells = new Array<Cell>(records.length * CELLS);
  let n = 0;
  let seq = expectedSeq;
  let hash = records[0]?.prev ?? '';
  const first = hash;
  for (const r of records) {
    if (r.seq !== seq + 1 || r.prev !== hash) throw gap(key, seq, r.seq);
    cells[n++] = r.ts;
    cells[n++] = r.type;
    cells[n++] = r.ver;
    cells[n++] = r.turn;
    cells[n++] = r.observed === undefined ? 0 : r.observed ? 2 : 1;
    cells[n++] = r.hash;
    cells[n++] = r.json;
    seq = r.seq;
    hash = r.hash;
  }
  return { key, expectedSeq, prev: first, cells };
}

export function unpackRecords(packed: PackedRecords): JournalRecord[] {
  const { cells } = packed;
  const out: JournalRecord[] = [];
  let prev = packed.prev;
  let seq = packed.firstSeq;
  for (let i = 0; i < cells.length; i += CELLS) {
    const hash = cells[i + 5] as string;
    const json = cells[i + 6] as string;
    const record = {
      seq,
      ts: cells[i] as number,
      type: cells[i + 1] as string,
      ver: cells[i + 2] as number,
      prev,
      hash,
      turn: cells[i + 3] as number,
      payload: JSON.parse(json) as Payload,
      json,
    };
    out.push(cells[i + 4] === 0 ? record : { ...record, observed: cells[i + 4] === 2 });
    prev = hash;
    seq++;
  }
  return out;
}

/**
 * Verifies packed records against each other and against the head, when they reach it. Throws the quarantine error.
 * Hash cells that are '' are filled with what they must be; since each hash covers the one before, the last cell, which must be
 * given, vouches for them all.
 */
export function verifyPacked(key: SessionKey, packed: PackedRecords, head: ChainHead): void {
  const { cells } = packed;
  let prev = packed.prev;
  let seq = packed.firstSeq;
  for (let i = 0; i < cells.length; i += CELLS) {
    const observed = cells[i + 4];
    const hash = recordHash(prev, {
      seq,
      ts: cells[i] as number,
      type: cells[i + 1] as string,
      ver: cells[i + 2] as number,
      turn: cells[i + 3] as number,
      observed: observed === 0 ? undefined : observed === 2,
      json: cells[i + 6] as string,
    });
    if (cells[i + 5] === '') cells[i + 5] = hash;
    else if (hash !== cells[i + 5]) throw quarantined(key.session, seq, 'does not match its hash');
    prev = hash;
    seq++;
  }
  if (seq - 1 === head.seq && prev !== head.hash) {
    throw quarantined(key.session, head.seq, 'is not the one the session ended with');
  }
}

/** Why a group cannot follow the head, or undefined. */
export function misfit(head: ChainHead, group: PackedGroup): CuratedError | undefined {
  if (group.expectedSeq !== head.seq) return gap(group.key, head.seq, group.expectedSeq + 1);
  if (group.cells.length > 0 && group.prev !== head.hash) {
    return new CuratedError(
      'STORAGE',
      `the records do not follow record ${head.seq} of ${group.key.session}`,
      {
        detail: { expected: head.seq + 1, wrong: 'prev' },
      },
    );
  }
  return undefined;
}

function gap(key: SessionKey, headSeq: number, got: number): CuratedError {
  return new CuratedError('STORAGE', `record ${got} of ${key.session} cannot follow record ${headSeq}`, {
    detail: { expected: headSeq + 1, got },
  });
}

/** An error as it crosses a thread. */
export interface PackedError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly detail?: unknown;
}

export function packError(e: unknown): PackedError {
  if (e instanceof CuratedError) {
    return e.detail === undefined
      ? { kind: e.kind, message: e.message }
      : { kind: e.kind, message: e.message, detail: e.detail };
  }
  return { kind: 'STORAGE', message: e instanceof Error ? e.message : String(e) };
}

export function unpackError(e: PackedError): CuratedError {
  return new CuratedError(e.kind, e.message, { detail: e.detail });
}

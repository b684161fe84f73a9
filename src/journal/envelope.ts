// The journal as people and other tools read it: header (J-2) and envelope (J-1), one JSON text a line. Pure.
import { CuratedError } from '../errors.js';
import { RawJson, sliceValue, writeJson } from '../json/index.js';
import { type ChainHead, type JournalRecord, type Payload, recordHash } from './record.js';
import type { Blob, SessionKey } from './store.js';

export const EXPORT_VERSION = '1';

export type FsyncMode = 'turn-boundary' | 'every-event' | 'none';

export interface ExportHeader {
  readonly schema_version: string;
  /** Epoch ms of the first record. */
  readonly created_at: number;
  readonly fsync_mode: FsyncMode;
  readonly session_id: string;
}

/** What a payload may say about its origin, under `_meta`; all of it optional. */
interface Origin {
  source?: string;
  trace_id?: string;
  parent_seq?: number;
  agent_id?: string;
  depth?: number;
  side_effect?: boolean;
  vetoed?: boolean;
  veto_reason?: string;
}

export function headerLine(header: ExportHeader): string {
  return JSON.stringify(header);
}

/** Throws STORAGE (`detail.schema_version`) for another version: nothing is migrated in silence. */
export function parseHeader(line: string): ExportHeader {
  const value = parseLine(line, 1) as Partial<ExportHeader>;
  if (value.schema_version !== EXPORT_VERSION) {
    throw new CuratedError(
      'STORAGE',
      `the export has schema_version ${JSON.stringify(value.schema_version)}; this version reads "${EXPORT_VERSION}"`,
      { detail: { schema_version: value.schema_version ?? null, known: EXPORT_VERSION } },
    );
  }
  if (typeof value.session_id !== 'string' || typeof value.created_at !== 'number') {
    throw new CuratedError('STORAGE', 'the header of the export lacks session_id or created_at');
  }
  return value as ExportHeader;
}

/** The envelope of J-1 as a value; `turn`, `ver`, `observed` and `hash` stand beside it, so that the chain can be checked. */
export function envelope(key: SessionKey, r: JournalRecord): Record<string, unknown> {
  const origin = (r.payload['_meta'] ?? {}) as Origin;
  const parent = origin.parent_seq ?? null;
  const oneLine = !/[\n\r]/.test(r.json);
  return {
    seq: r.seq,
    ts: r.ts,
    type: r.type,
    event_id: `${key.session}:${r.seq}`,
    source: origin.source ?? 'curated',
    trace_id: origin.trace_id ?? `${key.session}:${r.turn}`,
    parent_seq: parent,
    parent_id: parent === null ? null : `${key.session}:${parent}`,
    session_id: key.session,
    agent_id: origin.agent_id ?? 'main',
    depth: origin.depth ?? 0,
    side_effect: origin.side_effect ?? false,
    vetoed: origin.vetoed ?? false,
    veto_reason: origin.veto_reason ?? null,
    turn: r.turn,
    ver: r.ver,
    observed: r.observed,
    hash: r.hash,
    payload: oneLine ? new RawJson(r.json) : r.payload,
    // White space inside an exact text may be a line feed; the text then stands a second time, as a string.
    payload_text: oneLine ? undefined : r.json,
  };
}

export function envelopeLine(key: SessionKey, r: JournalRecord): string {
  return writeJson(envelope(key, r));
}

/** The record of a line, chained to `prev`. Throws STORAGE when it does not follow or does not match its hash. */
export function parseEnvelope(line: string, prev: ChainHead, lineNo: number): JournalRecord {
  const value = parseLine(line, lineNo) as Record<string, unknown>;
  const json =
    typeof value['payload_text'] === 'string' ? value['payload_text'] : sliceValue(line, ['payload']);
  const { seq, ts, type, ver, turn, hash, observed } = value;
  const sound =
    typeof seq === 'number' &&
    typeof ts === 'number' &&
    typeof type === 'string' &&
    typeof ver === 'number' &&
    typeof turn === 'number' &&
    typeof hash === 'string' &&
    (observed === undefined || typeof observed === 'boolean') &&
    json !== undefined;
  if (!sound) throw damagedLine(lineNo, 'is no record');
  if (seq !== prev.seq + 1) throw damagedLine(lineNo, `is record ${seq}, not ${prev.seq + 1}`);
  if (recordHash(prev.hash, { seq, ts, type, ver, turn, observed, json }) !== hash) {
    throw damagedLine(lineNo, 'does not match its hash');
  }
  const record = {
    seq,
    ts,
    type,
    ver,
    prev: prev.hash,
    hash,
    turn,
    payload: JSON.parse(json) as Payload,
    json,
  };
  return observed === undefined ? record : { ...record, observed };
}

/** A blob as a line of its own, before the first record that names it. */
export function blobLine(blob: Blob): string {
  return JSON.stringify({ blob: blob.hash, base64: Buffer.from(blob.bytes).toString('base64') });
}

/** The blob of a line, or undefined when the line is a record. */
export function parseBlob(line: string, lineNo: number): Blob | undefined {
  if (!line.startsWith('{"blob":')) return undefined;
  const { blob, base64 } = parseLine(line, lineNo) as { blob: unknown; base64: unknown };
  if (typeof blob !== 'string' || typeof base64 !== 'string') throw damagedLine(lineNo, 'is no blob');
  return { hash: blob, bytes: new Uint8Array(Buffer.from(base64, 'base64')) };
}

function parseLine(line: string, lineNo: number): object {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw damagedLine(lineNo, 'is no JSON');
  }
  if (typeof value !== 'object' || value === null) throw damagedLine(lineNo, 'is no record');
  return value;
}

export function damagedLine(lineNo: number, why: string): CuratedError {
  return new CuratedError('STORAGE', `line ${lineNo} of the export ${why}`, { detail: { line: lineNo } });
}

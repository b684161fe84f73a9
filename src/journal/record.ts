// A journal record and the hash chain that joins the records of one session. Pure: no store, no session rules, no clock.
import { CuratedError } from '../errors.js';
import { sha256 } from '../hash.js';
import { writeJson } from '../json/index.js';

/** A JSON value as it stands in a payload. Texts above BLOB_BYTES stand as `{$blob: 'sha256:…'}` (blobs.ts). */
export type Payload = Record<string, unknown>;

export interface JournalRecord {
  /** Per session, from 1, without a gap. */
  readonly seq: number;
  /** Wall time of the writer in epoch ms; for people only, order is by seq. */
  readonly ts: number;
  readonly type: string;
  /** Version of this type's payload, from 1. */
  readonly ver: number;
  /** Hash of the record before, 64 hex digits; '' at seq 1. */
  readonly prev: string;
  /** sha256 of `prev + '\n' + envelope text`, 64 hex digits. */
  readonly hash: string;
  readonly turn: number;
  /** Present when the daemon watched and did not decide. */
  readonly observed?: boolean;
  /** What `json` says, parsed (or as it was given to `chain`). Numbers that a double cannot hold are exact in `json` alone. */
  readonly payload: Payload;
  /** The payload's exact JSON text: what is hashed, stored and exported. */
  readonly json: string;
}

/** What a caller states about a record; the rest follows from the chain. */
export interface RecordFields {
  seq: number;
  ts: number;
  type: string;
  ver?: number;
  turn: number;
  observed?: boolean;
  /** May hold RawJson. */
  payload: Payload;
  /** Exact text of `payload`, when the caller has it; else it is written here. */
  json?: string;
}

/** The point a session's chain has reached; `{seq: 0, hash: ''}` before the first record. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

export const GENESIS: ChainHead = Object.freeze({ seq: 0, hash: '' });

export { sha256 };

/** The part of a record that its hash covers. */
interface Envelope {
  seq: number;
  ts: number;
  type: string;
  ver: number;
  turn: number;
  observed?: boolean | undefined;
  json: string;
}

/** The text whose hash, after the previous hash and a line feed, is the record's hash; up to the payload, behind which a brace ends it. */
function envelopeHead(r: Envelope): string {
  const observed = r.observed === undefined ? '' : `,"observed":${r.observed}`;
  return `{"seq":${r.seq},"ts":${r.ts},"type":${quote(r.type)},"ver":${r.ver},"turn":${r.turn}${observed},"payload":`;
}

const quoted = new Map<string, string>();

/** JSON text of a type name; there are few of them, so each is written once. */
function quote(type: string): string {
  let text = quoted.get(type);
  if (text === undefined) {
    text = JSON.stringify(type);
    if (quoted.size < 1024) quoted.set(type, text);
  }
  return text;
}

/** Payloads of more UTF-16 units, and of no more than this, are hashed from one room: no text is made of payload and envelope. */
const LONG = 1024;
const MOST = 32 * 1024;
/** For what stands around the payload. */
const AROUND = 1024;
const room = Buffer.allocUnsafeSlow(AROUND + 3 * MOST);

/** The hash a record must have after `prev`. */
export function recordHash(prev: string, r: Envelope): string {
  const { json } = r;
  const head = `${prev}\n${envelopeHead(r)}`;
  if (json.length <= LONG || json.length > MOST || head.length * 3 >= AROUND)
    return sha256(`${head}${json}}`);
  let end = room.write(head, 0);
  end += room.write(json, end);
  end += room.write('}', end);
  return sha256(room.subarray(0, end));
}

/**
 * The next record of a chain. `prev` is the record before, or GENESIS; `fields.seq` must be `prev.seq + 1`.
 * A payload that JSON cannot hold (a cycle, a BigInt) is recorded as `{__journal_error}`: the fact stays, in order.
 */
export function chain(prev: ChainHead, fields: RecordFields): JournalRecord {
  if (fields.seq !== prev.seq + 1) {
    throw new CuratedError('STORAGE', `record ${fields.seq} cannot follow ${prev.seq}`, {
      detail: { expected: prev.seq + 1, got: fields.seq },
    });
  }
  let payload = fields.payload;
  let json = fields.json;
  if (json === undefined) {
    try {
      json = writeJson(payload);
    } catch (e) {
      payload = { __journal_error: e instanceof Error ? e.message : String(e) };
      json = JSON.stringify(payload);
    }
  }
  const { seq, ts, type, ver = 1, turn, observed } = fields;
  const record: { -readonly [K in keyof JournalRecord]: JournalRecord[K] } =
    observed === undefined
      ? { seq, ts, type, ver, prev: prev.hash, hash: '', turn, payload, json }
      : { seq, ts, type, ver, prev: prev.hash, hash: '', turn, observed, payload, json };
  record.hash = recordHash(prev.hash, record);
  return record;
}

export interface ChainFault {
  /** Position in the list that was verified. */
  readonly index: number;
  readonly seq: number;
  readonly reason: 'gap' | 'prev' | 'hash';
}

/** The first fault in `records`, which must continue `from`; undefined when all is well. Linear. */
export function verifyChain(
  records: readonly JournalRecord[],
  from: ChainHead = GENESIS,
): ChainFault | undefined {
  let { seq, hash } = from;
  for (let index = 0; index < records.length; index++) {
    const r = records[index]!;
    const reason =
      r.seq !== seq + 1
        ? 'gap'
        : r.prev !== hash
          ? 'prev'
          : r.hash !== recordHash(hash, r)
            ? 'hash'
            : undefined;
    if (reason !== undefined) return { index, seq: r.seq, reason };
    seq = r.seq;
    hash = r.hash;
  }
  return undefined;
}

/** A session whose stored chain is broken. It is not served; other sessions are. */
export function quarantined(session: string, seq: number, why: string): CuratedError {
  return new CuratedError(
    'STORAGE',
    `session ${session} is quarantined: record ${seq} ${why}; see 'curated journal verify ${session}'`,
    { detail: { quarantined: true, session, seq } },
  );
}

// Old payloads as new ones, when read; the journal itself is never rewritten. Pure; which types there are is the session's to say.
import { CuratedError } from '../errors.js';
import type { JournalRecord, Payload } from './record.js';

export interface EventType {
  /** The version that is written today, from 1. */
  readonly ver: number;
  /** `up[n]` makes a payload of version n one of version n + 1; one for every old version. Fields are only ever added. */
  readonly up?: Readonly<Record<number, (payload: Payload) => Payload>>;
}

export type EventTypes = Readonly<Record<string, EventType>>;

/**
 * A function that brings a record to today's version; a record that is there already is returned as it is. `json`, `ver` and
 * `hash` stay those of the stored record. Throws STORAGE (`detail.unsupported`) for an unknown type and for a version that is
 * newer than this build: that session is not served, rather than served wrong.
 */
export function upcaster(types: EventTypes): (record: JournalRecord) => JournalRecord {
  const known = new Map(Object.entries(types));
  for (const [type, { ver, up }] of known) {
    for (let v = 1; v < ver; v++) {
      if (up?.[v] === undefined)
        throw new CuratedError('INTERNAL', `${type} has no way up from version ${v}`);
    }
  }
  return (record) => {
    const type = known.get(record.type);
    if (type === undefined) throw unsupported(record, 'is of a type this version does not know');
    if (record.ver === type.ver) return record;
    if (record.ver > type.ver)
      throw unsupported(record, `is newer than version ${type.ver}, the last one known here`);
    let payload = record.payload;
    for (let v = record.ver; v < type.ver; v++) payload = type.up![v]!(payload);
    return { ...record, payload };
  };
}

function unsupported(record: JournalRecord, why: string): CuratedError {
  return new CuratedError(
    'STORAGE',
    `record ${record.seq} (${record.type}, version ${record.ver}) ${why}; a newer curated wrote this session`,
    { detail: { unsupported: true, seq: record.seq, type: record.type, ver: record.ver } },
  );
}

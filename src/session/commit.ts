// From events to journal records: numbered, chained, folded into the state, handed to the store. The one place where a
// session writes.

import type { Blob, JournalRecord, RecordFields, SessionKey, Store } from '../journal/index.js';
import { type Emission, SEALED } from './emission.js';
import { forbidStaticEdits } from './request/static-guard.js';
import type { NewEvent, SessionEvent } from './state/events.js';
import { evolve } from './state/evolve.js';
import type { SessionState } from './state/state.js';

/** Version of curation payloads on the wire and in the journal (P-11). */
export const SCHEMA_VERSION = 1;

export interface Committed {
  record: JournalRecord;
  event: SessionEvent;
}

/** Events taken into the state and not yet given to the store: a call that fails before `seal` leaves no trace there. */
export class Draft {
  readonly committed: Committed[] = [];
  readonly #state: SessionState;
  readonly #from: number;
  readonly #now: () => number;
  readonly #emission: Emission;
  readonly #blobs: Blob[] = [];

  constructor(state: SessionState, now: () => number, emission = SEALED) {
    this.#emission = emission;
    this.#state = state;
    this.#from = state.seq;
    this.#now = now;
  }

  get dirty(): boolean {
    return this.committed.length > 0;
  }

  push(event: NewEvent): Committed {
    const state = this.#state;
    forbidStaticEdits(state, event);
    const payload = (
      event.type.startsWith('memory.') ? { _schema_version: SCHEMA_VERSION, ...event.payload } : event.payload
    ) as Record<string, unknown>;
    const { type, observed } = event;
    const { turn } = state;
    const seq = state.seq + 1;
    const ts = this.#now();
    // Written out: a spread of objects of many shapes costs more here than all else but the text.
    const fields: RecordFields = { seq, ts, type, turn, payload };
    if (observed !== undefined) fields.observed = observed;
    const record = this.#emission.record(state, fields, this.#blobs);
    // Told as it is journalled: who hears it now and who reads it later get the same.
    const folded = (
      observed === undefined ? { type, payload, seq, ts, turn } : { type, payload, observed, seq, ts, turn }
    ) as SessionEvent;
    evolve(state, folded);
    state.hash = record.hash;
    const committed = { record, event: folded };
    this.committed.push(committed);
    return committed;
  }

  pushAll(events: readonly NewEvent[]): void {
    for (const e of events) this.push(e);
  }

  /** Hands everything to the store, in one group. */
  seal(store: Store, key: SessionKey): void {
    if (this.committed.length === 0) return;
    store.append(
      key,
      this.#from,
      this.committed.map((c) => c.record),
      this.#blobs,
    );
  }
}

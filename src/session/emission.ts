// What a session makes of its decisions for others: sealed records for the journal, the hash and the text of a request for the
// agent. Nothing of it comes back into a decision.

import {
  BLOB_BYTES,
  type Blob,
  type ChainHead,
  chain,
  detach,
  type JournalRecord,
  type RecordFields,
} from '../journal/index.js';
import { RawJson } from '../json/index.js';
import { body, type Form, type Outgoing, type RequestBody } from './request/request-body.js';
import { requestHash } from './request/view.js';

export interface Emission {
  /**
   * The record behind `head`.
   * @param fields are the record's own from here on
   * @param blobs gets the texts that leave the payload
   */
  record(head: ChainHead, fields: RecordFields, blobs: Blob[]): JournalRecord;
  /** sha256 of the request as it stands, as `llm.prepare` reports it. */
  hash(of: Outgoing): string;
  /** The request in the form that is asked for. */
  body(of: Outgoing, form: Form): RequestBody;
}

/** What a daemon does: all of it can be stored, exported, verified and sent. */
export const SEALED: Emission = {
  record(head, fields, blobs) {
    // Long texts leave the payload before it is chained: the hash names the text, and the text is stored once. A payload
    // whose whole text is short holds none, and most are.
    const json = JSON.stringify(fields.payload);
    if (json.length <= BLOB_BYTES) fields.json = json;
    else {
      const split = detach(fields.payload);
      blobs.push(...split.blobs);
      fields.payload = split.payload;
    }
    return chain(head, fields);
  },
  hash: ({ state, rendering }) => requestHash(state, rendering),
  body,
};

/**
 * For sessions that nobody gets anything of but what was decided: records without text and hash (a ListStore keeps them), requests
 * without hash, and for every answer a patch that says nothing.
 */
export const UNSEALED: Emission = {
  record({ seq, hash: prev }, { ts, type, ver = 1, turn, observed, payload }) {
    const record = { seq: seq + 1, ts, type, ver, prev, hash: '', turn, payload, json: '' };
    return observed === undefined ? record : { ...record, observed };
  },
  hash: () => '',
  body: () => ({ patch: { base_messages: 0, ops: new RawJson('[]') } }),
};

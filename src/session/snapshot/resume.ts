// A state from the newest snapshot that can be trusted. Whatever is wrong with one, the journal is the truth: it is folded whole.

import { CuratedError } from '../../errors.js';
import type { SessionKey, Store } from '../../journal/index.js';
import type { SessionState } from '../state/state.js';
import { openBody } from './body.js';
import { codeMark } from './code.js';
import { type Refusal, unpacked } from './container.js';
import { MissingText } from './texts.js';

export type Found = { state: SessionState } | { refused: Refusal };

/** @returns undefined where there is none, or none that stands before `toSeq` */
export async function stateFromSnapshot(
  store: Store,
  key: SessionKey,
  toSeq: number,
): Promise<Found | undefined> {
  const snapshot = await store.loadSnapshot(key);
  if (snapshot === undefined || snapshot.seq > toSeq) return undefined;
  const body = await unpacked(snapshot.bytes);
  if (typeof body === 'string') return { refused: body };
  try {
    const opened = openBody(body);
    if (opened.code !== codeMark()) return { refused: 'build' };
    if (opened.seq !== snapshot.seq) return { refused: 'place' };
    const blobs = opened.blobs.length === 0 ? NONE : await store.blobs(key, opened.blobs);
    const state = opened.state(blobs);
    // The store vouches that the record with this seq has this hash.
    return state.hash === snapshot.hash ? { state } : { refused: 'place' };
  } catch (e) {
    // A text that is damaged is found again by the fold, which says so.
    return { refused: e instanceof MissingText || e instanceof CuratedError ? 'texts' : 'unreadable' };
  }
}

const NONE: ReadonlyMap<string, Uint8Array> = new Map();

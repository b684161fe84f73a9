// Replay: every prepared request again, from the recorded decisions alone. No tokenizer, no heuristic, no clock is asked.

import { sha256 } from '../../hash.js';
import type { SessionKey, Store } from '../../journal/index.js';
import { canonicalize } from '../../json/index.js';
import { events, foldOne } from '../load.js';
import { Rendering } from '../request/rendering.js';
import { requestHash, requestJson, requestText } from '../request/view.js';
import { freshState } from '../state/fresh.js';

export interface Replayed {
  requests: number;
  identical: boolean;
  mismatches: { seq: number; hash: string; replayed: string }[];
}

/**
 * @param onRequest gets the exact text of each rebuilt request
 */
export async function replay(
  store: Store,
  key: SessionKey,
  toSeq = Number.POSITIVE_INFINITY,
  onRequest?: (seq: number, text: string) => void,
): Promise<Replayed> {
  const state = freshState();
  const rendering = new Rendering();
  const found: Replayed = { requests: 0, identical: true, mismatches: [] };
  for await (const { event, record } of events(store, key, 1, toSeq)) {
    foldOne(key, state, event);
    state.hash = record.hash;
    if (event.type !== 'llm.request') continue;
    found.requests += 1;
    rendering.sync(state);
    const { passthrough, hash, _marks: marks } = event.payload;
    rendering.place(marks ?? []);
    const replayed =
      passthrough === undefined
        ? requestHash(state, rendering)
        : `sha256:${sha256(canonicalize(passthrough))}`;
    if (replayed !== hash) found.mismatches.push({ seq: event.seq, hash, replayed });
    onRequest?.(event.seq, passthrough ?? requestJson(requestText(state, rendering)).text);
  }
  found.identical = found.mismatches.length === 0;
  return found;
}

// A session as it was at a seq: the state folded to there, and the request that would have gone out.

import type { SessionKey, Store } from '../../journal/index.js';
import { loadState } from '../load.js';
import { Rendering } from '../request/rendering.js';
import type { SessionState } from '../state/state.js';
import type { Needle } from './needle.js';

export interface Past {
  state: SessionState;
  rendering: Rendering;
}

/** Costs a fold of the journal up to `seq`. */
export async function pastOf(store: Store, key: SessionKey, seq: number): Promise<Past> {
  const state = await loadState(store, key, seq);
  const rendering = new Rendering();
  rendering.sync(state);
  return { state, rendering };
}

/** Does the request at that point hold the text, in whichever part? */
export function holds({ state, rendering }: Past, needle: Needle): boolean {
  const parts = [rendering.statics.system(state), rendering.statics.tools(state)];
  if (parts.some((part) => part !== undefined && needle.isIn(part))) return true;
  return rendering.pieces.some((piece) => needle.isIn(piece.text));
}

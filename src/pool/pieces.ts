// Work on many items in pieces, with a turn of the event loop between two of them, so that no other call waits long.

import { setImmediate } from 'node:timers/promises';

/** Milliseconds that a piece takes, about. */
const PIECE_MS = 0.3;
/** Items between two looks at the clock. */
const LOOK_EVERY = 16;

/** The items' results, in order. What the work reads must not change under it: others run in between. */
export async function inPieces<A, B>(items: readonly A[], work: (item: A, i: number) => B): Promise<B[]> {
  const results: B[] = [];
  let began = performance.now();
  for (let i = 0; i < items.length; i += 1) {
    results.push(work(items[i]!, i));
    if (i % LOOK_EVERY !== LOOK_EVERY - 1 || performance.now() - began < PIECE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
  return results;
}

// Messages that were read and measured on their way in: the fold need not read them again. What it would read is the same,
// so a state from a journal, where nothing is remembered, is equal.

import type { Native, Reading } from '../../providers/types.js';

/** Beside what the journal writes and the wire tells: neither sees a symbol. */
const READ: unique symbol = Symbol('read already');

interface Read {
  native: Native;
  reading: Reading;
}

/** @param payload of the message's event */
export function remember(payload: object, native: Native, reading: Reading): void {
  (payload as { [READ]?: Read })[READ] = { native, reading };
}

export function remembered(payload: object): Read | undefined {
  return (payload as { [READ]?: Read })[READ];
}

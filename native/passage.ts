// How a text of any length passes a core's buffer: filled in parts that never split a character, what is not settled
// moved to the front, and a larger buffer for a piece that outgrows this one. Knows nothing of what is counted.
import { fail } from '../src/errors.js';
import { BUFFER_BYTES, type Core, LARGE_BYTES, largeSharedCore, privateCore } from './core.js';
import { privateTables, type SharedTables } from './tables.js';

export type Text = string | Uint8Array;

/** What a step returns to end the passage before the text's end. */
export const STOP = -1;

/**
 * Does what there is to do with the first `have` bytes of the core's buffer and returns how many of them are done
 * with, or STOP. `final`: the text ends there; its answer is not used then.
 */
export type Step = (core: Core, have: number, final: boolean) => number;

/** Text bytes that a private core may take: with its stack of four times that, what 32-bit addresses hold. */
const LARGEST = 768 << 20;

/** Bytes of a text's first part: enough to see that it is one unbroken piece, before all of the buffer is scanned in vain. */
const FIRST_BYTES = 8192;

const encoder = new TextEncoder();

/** Sends `text` through `own`'s buffer, or through larger ones while a piece needs them. Throws LIMIT beyond those. */
export function passThrough(tables: SharedTables, own: Core, text: Text, step: Step): void {
  let core = own;
  let clean = false;
  try {
    let have = 0;
    let at = 0;
    for (let first = true; ; first = false) {
      const part = fill(text, at, first ? core.bytes.subarray(0, FIRST_BYTES) : core.bytes, have);
      at = part.at;
      have = part.have;
      const final = at >= text.length;
      const consumed = step(core, have, final);
      if (final || consumed === STOP) break;
      have -= consumed;
      core.bytes.copyWithin(0, consumed, consumed + have);
      const full = have > core.bytes.length / 2;
      if (full || (core === own && have > FIRST_BYTES / 2)) {
        const next = larger(tables, core, have, text.length - at, full);
        if (next === undefined) continue;
        if (core !== own) core.release();
        core = next;
      }
    }
    clean = true;
  } finally {
    if (core !== own) core.release(clean);
  }
}

/**
 * A core with room for a long piece, the first `have` bytes of `core`'s buffer copied over. `rest`: UTF-16 units or bytes still to
 * come. `needed`: the piece fills more than half of `core`'s buffer; otherwise there may be none.
 */
function larger(
  tables: SharedTables,
  core: Core,
  have: number,
  rest: number,
  needed: boolean,
): Core | undefined {
  const need = (have + rest * 3 + 79) & ~15;
  const wanted = Math.min(need, Math.max(core.bytes.length, BUFFER_BYTES) * 16);
  let large = wanted <= LARGE_BYTES && tables.shared ? largeSharedCore(tables) : undefined;
  if (large === undefined) {
    if (!needed) return undefined;
    if (core.bytes.length >= LARGEST) {
      fail('LIMIT', `an unbroken piece of more than ${LARGEST / 2} bytes cannot be counted`);
    }
    large = privateCore(privateTables(tables), Math.min(Math.max(wanted, LARGE_BYTES), LARGEST));
  }
  large.bytes.set(core.bytes.subarray(0, have));
  return large;
}

/** Fills `into` from `have` on with text from `at` on, never splitting a character. */
function fill(text: Text, at: number, into: Uint8Array, have: number): { at: number; have: number } {
  const room = into.length - have;
  if (typeof text === 'string') {
    let to = Math.min(text.length, at + room);
    if (to < text.length && to > at + 1 && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to--;
    const { read, written } = encoder.encodeInto(text.slice(at, to), into.subarray(have));
    return { at: at + read, have: have + written };
  }
  let to = Math.min(text.length, at + room);
  if (to < text.length) {
    let back = to;
    while (back > to - 3 && back > at && (text[back]! & 0xc0) === 0x80) back--;
    if ((text[back]! & 0xc0) !== 0x80) to = back;
  }
  into.set(text.subarray(at, to), have);
  return { at: to, have: have + to - at };
}

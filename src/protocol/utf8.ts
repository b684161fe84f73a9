// UTF-8 with an opinion: valid, or an error that names the byte. Pure.
import { isUtf8 } from 'node:buffer';
import { fail } from '../errors.js';

/** Index of the first byte that cannot be part of valid UTF-8; -1 if there is none. Slow; for the error path. */
export function utf8FaultAt(bytes: Uint8Array): number {
  const at = (i: number): number => bytes[i] ?? 0;
  const trail = (i: number): boolean => (at(i) & 0xc0) === 0x80;
  let i = 0;
  while (i < bytes.length) {
    const c = at(i);
    if (c < 0x80) i++;
    else if (c >= 0xc2 && c < 0xe0) {
      if (!trail(i + 1)) return i;
      i += 2;
    } else if (c >= 0xe0 && c < 0xf0) {
      const second = at(i + 1);
      // Overlong forms and surrogates are not UTF-8.
      if (!trail(i + 1) || !trail(i + 2) || (c === 0xe0 && second < 0xa0) || (c === 0xed && second > 0x9f))
        return i;
      i += 3;
    } else if (c >= 0xf0 && c < 0xf5) {
      const second = at(i + 1);
      if (!trail(i + 1) || !trail(i + 2) || !trail(i + 3)) return i;
      if ((c === 0xf0 && second < 0x90) || (c === 0xf4 && second > 0x8f)) return i;
      i += 4;
    } else return i;
  }
  return -1;
}

/** Throws BAD_UTF8 with `detail.offset`, counted from the start of the frame. */
export function checkUtf8(bytes: Uint8Array, base = 0): void {
  if (isUtf8(bytes)) return;
  const offset = base + utf8FaultAt(bytes);
  fail('BAD_UTF8', `invalid UTF-8 at byte ${offset} of the frame`, { detail: { offset } });
}

/** A view of the same bytes as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

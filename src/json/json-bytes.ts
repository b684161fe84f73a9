// The JSON text of a string as bytes, for whoever hashes it: no text of that length is made. Pure but for the room it writes in.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Bytes that `writeJsonBytes` may need for a string of so many UTF-16 units: its escapes, and before that its own UTF-8. */
export function jsonBytesRoom(units: number): number {
  return 2 + 6 * units + 3 * units;
}

/**
 * Writes what `JSON.stringify(text)` gives, as UTF-8.
 * @param text without lone surrogates: for those UTF-8 has no bytes, and JSON an escape
 * @param room has `jsonBytesRoom(text.length)` bytes left from `at` on
 * @returns index behind the last byte
 */
export function writeJsonBytes(text: string, room: Buffer, at: number): number {
  // The plain bytes go far enough behind: no escape overtakes what is still to be read.
  const from = at + 2 + 6 * text.length;
  const end = from + room.write(text, from);
  let n = at;
  room[n++] = QUOTE;
  for (let i = from; i < end; i += 1) {
    const byte = room[i]!;
    if (byte < SPACE) {
      n += room.write(JSON.stringify(String.fromCharCode(byte)).slice(1, -1), n);
      continue;
    }
    if (byte === QUOTE || byte === BACKSLASH) room[n++] = BACKSLASH;
    room[n++] = byte;
  }
  room[n++] = QUOTE;
  return n;
}

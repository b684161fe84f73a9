// Walks the bytes of a MessagePack frame before anything is decoded: claimed lengths must fit, nesting is bounded,
// texts are UTF-8, nothing is an extension. Allocates nothing in proportion to what a frame claims. Pure.
import { isUtf8 } from 'node:buffer';
import { asCuratedError, CuratedError, fail } from '../errors.js';
import { utf8FaultAt } from './utf8.js';

export interface Scan {
  /** Number of map entries that all maps of the frame claim; fewer after decoding means duplicate keys. */
  entries: number;
  /** The first fault: BAD_TYPE (extension, key that is no text), BAD_UTF8, or BAD_FRAME where structure ends. */
  fault?: CuratedError;
  /** Byte ranges [start, end) of the outer map's `id` and `method`, if the frame is a map that has them. */
  id?: [number, number];
  method?: [number, number];
}

function truncated(at: number): never {
  return fail('BAD_FRAME', `not MessagePack: a length at byte ${at} goes beyond the frame`, {
    detail: { at },
  });
}

/** Checks one value and that nothing follows it; never throws. */
export function scanMsgpack(bytes: Buffer, maxDepth: number): Scan {
  const out: Scan = { entries: 0 };
  try {
    walk(bytes, maxDepth, out);
  } catch (e) {
    // Records of msgpackr look like an extension with values behind it: the extension is the fault to tell.
    out.fault ??= asCuratedError(e);
  }
  return out;
}

function walk(bytes: Buffer, maxDepth: number, out: Scan): void {
  // One frame of the stack: how many values are still due, and whether they are keys and values in turn.
  const due: number[] = [];
  const isMap: boolean[] = [];
  let i = 0;
  let outerKey = '';
  for (;;) {
    const start = i;
    const top = due.length - 1;
    const keyDue = top >= 0 && isMap[top]! && due[top]! % 2 === 0;
    const c = bytes[i];
    if (c === undefined) truncated(i);
    i++;
    let items = -1;
    let map = false;
    let textLength = -1;
    if (c <= 0x7f || c >= 0xe0 || c === 0xc0 || c === 0xc2 || c === 0xc3) {
      // fixint, nil, booleans: one byte
    } else if (c <= 0x8f) {
      items = (c & 0x0f) * 2;
      map = true;
    } else if (c <= 0x9f) items = c & 0x0f;
    else if (c <= 0xbf) textLength = c & 0x1f;
    else if (c === 0xc1)
      fail('BAD_FRAME', `not MessagePack: byte 0xc1 at ${start}`, { detail: { at: start } });
    else if (c >= 0xca && c <= 0xd3) i += FIXED[c - 0xca]!;
    else if (c === 0xc4 || c === 0xd9) textLength = length(bytes, i, 1);
    else if (c === 0xc5 || c === 0xda) textLength = length(bytes, i, 2);
    else if (c === 0xc6 || c === 0xdb) textLength = length(bytes, i, 4);
    else if (c === 0xdc) items = length(bytes, i, 2);
    else if (c === 0xdd) items = length(bytes, i, 4);
    else if (c === 0xde || c === 0xdf) {
      items = length(bytes, i, c === 0xde ? 2 : 4) * 2;
      map = true;
    } else {
      // fixext: a type byte and 1, 2, 4, 8 or 16 bytes; ext: a length of 1, 2 or 4 bytes and a type byte
      const width = c >= 0xd4 ? 0 : 1 << (c - 0xc7);
      i += 1 + (width === 0 ? 1 << (c - 0xd4) : width + length(bytes, i, width));
      if (i > bytes.length) truncated(start);
      out.fault ??= new CuratedError('BAD_TYPE', `MessagePack extensions are not taken (byte ${start})`, {
        detail: { at: start },
      });
    }
    if (textLength >= 0 || items >= 0) i += WIDTH[c] ?? 0;
    if (textLength >= 0) {
      if (textLength > bytes.length - i) truncated(start);
      checkText(bytes, i, i + textLength, out);
      i += textLength;
    }
    if (i > bytes.length) truncated(start);
    if (keyDue && (textLength < 0 || (c >= 0xc4 && c <= 0xc6)))
      out.fault ??= new CuratedError('BAD_TYPE', `a key of a map is no string (byte ${start})`, {
        detail: { at: start },
      });
    if (top === 0 && isMap[0]) {
      if (keyDue)
        outerKey = textLength >= 0 && textLength < 16 ? bytes.toString('latin1', i - textLength, i) : '';
      else if (items < 0 && (outerKey === 'id' || outerKey === 'method')) out[outerKey] = [start, i];
    }
    if (top >= 0) due[top]!--;
    if (items >= 0) {
      // Each item takes a byte at least, so a claim of more items than bytes is forged.
      if (items > bytes.length - i) truncated(start);
      if (map) out.entries += items / 2;
      if (due.length >= maxDepth)
        fail('BAD_FRAME', `nesting deeper than ${maxDepth} at byte ${start}`, { detail: { at: start } });
      due.push(items);
      isMap.push(map);
    }
    while (due.length > 0 && due.at(-1) === 0) {
      due.pop();
      isMap.pop();
    }
    if (due.length === 0) {
      if (i !== bytes.length)
        fail('BAD_FRAME', `${bytes.length - i} bytes behind the value`, { detail: { at: i } });
      return;
    }
  }
}

/** Bytes behind the marks 0xca (float 32) to 0xd3 (int 64). */
const FIXED = [4, 8, 1, 2, 4, 8, 1, 2, 4, 8];
/** Bytes of the length field behind the marks that have one. */
const WIDTH: Readonly<Record<number, number>> = {
  196: 1, // bin 8
  197: 2,
  198: 4,
  217: 1, // str 8
  218: 2,
  219: 4,
  220: 2, // array 16
  221: 4,
  222: 2, // map 16
  223: 4,
};

function length(bytes: Buffer, at: number, width: number): number {
  if (at + width > bytes.length) truncated(at - 1);
  return bytes.readUIntBE(at, width);
}

function checkText(bytes: Buffer, start: number, end: number, out: Scan): void {
  if (end - start < 32) {
    let i = start;
    while (i < end && bytes[i]! < 0x80) i++;
    if (i === end) return;
  }
  const text = bytes.subarray(start, end);
  if (isUtf8(text)) return;
  const offset = start + utf8FaultAt(text);
  out.fault ??= new CuratedError('BAD_UTF8', `invalid UTF-8 at byte ${offset} of the frame`, {
    detail: { offset },
  });
}

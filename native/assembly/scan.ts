// The encodings' split patterns, by hand, one piece at a time over any UTF-8. The 64-byte walker in
// window.ts is the fast way for ASCII; this is the definition, and the way for everything else.
import { CRLF, DEEPSEEK, LETTER, LOWERISH, MARK, NUMBER, O200K, PUNCT, QWEN, SPACE, UPPERISH, astralBlocks, astralIndex, bmp, pattern } from './layout';

/** Set when a decision looked at or past the end of the text at hand: with more text it could fall otherwise. */
export let touched: bool = false;
/** Set when the bytes are not valid UTF-8. */
export let malformed: bool = false;

export function resetTouched(): void { touched = false; }
export function resetMalformed(): void { malformed = false; }

/** Class bits | byte length << 8 of the character at `p`; 0 at the end. */
// @ts-ignore: decorator
@inline
export function at(p: usize, end: usize): u32 {
  if (p >= end) {
    touched = true;
    return 0;
  }
  const b = <u32>load<u8>(p);
  if (b < 0x80) return <u32>load<u8>(bmp + b) | 0x100;
  return wide(p, end);
}

/** `at` for characters of two bytes and more. */
export function wide(p: usize, end: usize): u32 {
  const w = load<u32>(p); // the buffer has slack
  if ((w & 0xc0c0f0) == 0x8080e0) {
    const c = ((w & 15) << 12) | ((w >> 2) & 0xfc0) | ((w >> 16) & 63);
    if (p + 3 <= end && c >= 0x800 && (c & 0xf800) != 0xd800) return <u32>load<u8>(bmp + c) | 0x300;
  } else if ((w & 0xc0e0) == 0x80c0) {
    const c = ((w & 31) << 6) | ((w >> 8) & 63);
    if (p + 2 <= end && c >= 0x80) return <u32>load<u8>(bmp + c) | 0x200;
  } else if ((w & 0xc0c0c0f8) == 0x808080f0) {
    const c = ((w & 7) << 18) | ((w << 4) & 0x3f000) | ((w >> 10) & 0xfc0) | (w >> 24 & 63);
    if (p + 4 <= end && c >= 0x10000 && c < 0x110000) {
      const i = <usize>(c - 0x10000);
      const block = <usize>load<u16>(astralIndex + ((i >> 8) << 1));
      return <u32>load<u8>(astralBlocks + (block << 8) + (i & 255)) | 0x400;
    }
  }
  malformed = true;
  touched = true;
  return 0x100;
}

/** Bytes of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `p`, or 0. Case folding lets U+017F stand for s. */
export function contraction(p: usize, end: usize): u32 {
  if (p + 3 > end) touched = true;
  if (p >= end || load<u8>(p) != 0x27 || p + 2 > end) return 0;
  const a = <u32>load<u8>(p, 1) | 0x20;
  if (a == 0x73 || a == 0x74 || a == 0x6d || a == 0x64) return 2;
  if (p + 3 > end) return 0;
  const b = <u32>load<u8>(p, 2);
  if (load<u8>(p, 1) == 0xc5 && b == 0xbf) return 3;
  const l = b | 0x20;
  if ((a == 0x72 || a == 0x76) && l == 0x65) return 3;
  return a == 0x6c && l == 0x6c ? 3 : 0;
}

/** End of the run of characters that have a bit of `mask`. */
// @ts-ignore: decorator
@inline
function run(from: usize, end: usize, mask: u32): usize {
  let p = from;
  while (true) {
    const c = at(p, end);
    if ((c & mask) == 0) return p;
    p += c >> 8;
  }
}

/** End of a word of o200k without its prefix and contraction, or 0: `X*Y+`, else `X+Y*`. */
function word(from: usize, end: usize): usize {
  let p = from;
  let both: usize = 0;
  let c: u32;
  while (true) {
    c = at(p, end);
    if ((c & UPPERISH) == 0) break;
    p += c >> 8;
    if ((c & LOWERISH) != 0) both = p;
  }
  if ((c & LOWERISH) != 0) return run(p + (c >> 8), end, LOWERISH);
  // X* gives back characters until Y+ has one: the last that is in both sets. Capitals behind it are the next word's.
  if (both != 0) return both;
  return 0;
}

/** `[^\s\p{L}\p{N}]+` and its tail: `[\r\n]*`, in o200k `[\r\n/]*`. `c` is the character at `from`. */
function symbols(from: usize, c: u32, end: usize): usize {
  let p = from;
  do {
    p += c >> 8;
    c = at(p, end);
  } while (c != 0 && (c & (LETTER | NUMBER | SPACE)) == 0);
  while (true) {
    if ((c & CRLF) == 0) {
      if (pattern != O200K || c == 0 || load<u8>(p) != 0x2f) return p;
    }
    p++;
    c = at(p, end);
  }
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+`; `c` is the space at `from`. */
function spaces(from: usize, c: u32, end: usize): usize {
  let p = from;
  let lineEnd: usize = 0;
  let lastAt = p;
  do {
    lastAt = p;
    p += c >> 8;
    if ((c & CRLF) != 0) lineEnd = p;
    c = at(p, end);
  } while ((c & SPACE) != 0);
  if (lineEnd != 0) return lineEnd;
  return c == 0 || lastAt == from ? p : lastAt;
}

/** End of the piece that starts at `p` (p < end). */
export function pieceEnd(p: usize, end: usize): usize {
  if (pattern == DEEPSEEK) return passesEnd(p, end);
  let c = at(p, end);
  let q = p + (c >> 8);
  if ((c & NUMBER) != 0) {
    if (pattern == QWEN) return q;
    c = at(q, end);
    if ((c & NUMBER) == 0) return q;
    q += c >> 8;
    c = at(q, end);
    return (c & NUMBER) != 0 ? q + (c >> 8) : q;
  }
  if (pattern == O200K) {
    let e: usize = 0;
    if ((c & LETTER) != 0) {
      e = word(p, end);
      if (e == 0) e = run(p, end, UPPERISH);
    } else if ((c & CRLF) == 0) {
      e = word(q, end);
      if (e == 0) {
        // Without the prefix a mark can only match alone: capitals alone follow it, or nothing.
        if ((c & UPPERISH) != 0) e = word(p, end);
        else {
          e = run(q, end, UPPERISH);
          if (e == q) e = 0;
        }
      }
    }
    if (e != 0) return e + contraction(e, end);
  } else {
    if ((c & LETTER) != 0) return run(q, end, LETTER);
    const k = contraction(p, end);
    if (k != 0) return p + k;
    if ((c & CRLF) == 0) {
      const d = at(q, end);
      if ((d & LETTER) != 0) return run(q + (d >> 8), end, LETTER);
    }
  }
  if ((c & SPACE) == 0) return symbols(p, c, end);
  if (load<u8>(p) == 0x20) {
    const d = at(q, end);
    if (d != 0 && (d & (LETTER | NUMBER | SPACE)) == 0) return symbols(q, d, end);
  }
  return spaces(p, c, end);
}

/** `[一-龥぀-ゟ゠-ヿ]` at `p`: DeepSeek cuts runs of them out before it looks at the rest. */
// @ts-ignore: decorator
@inline
function isHanOrKana(p: usize): bool {
  const w = load<u32>(p);
  if ((w & 0xc0c0f0) != 0x8080e0) return false;
  const c = ((w & 15) << 12) | ((w >> 2) & 0xfc0) | ((w >> 16) & 63);
  return (c >= 0x4e00 && c <= 0x9fa5) || (c >= 0x3040 && c <= 0x30ff);
}

/** Class of the character at `p` as the last pass sees it: numbers, Han and kana end its text, so they count as none. */
// @ts-ignore: decorator
@inline
function inPass(p: usize, end: usize): u32 {
  const c = at(p, end);
  return (c & NUMBER) != 0 || (c >> 8 == 3 && isHanOrKana(p)) ? 0 : c;
}

/** `[\p{L}\p{M}]+` from `from` on. */
function letters(from: usize, end: usize): usize {
  let p = from;
  while (true) {
    const c = inPass(p, end);
    if ((c & (LETTER | MARK)) == 0) return p;
    p += c >> 8;
  }
}

/** DeepSeek: numbers by three; Han and kana; then words with what stands before them, symbols, spaces, and the rest. */
function passesEnd(p: usize, end: usize): usize {
  let c = at(p, end);
  let q = p + (c >> 8);
  if ((c & NUMBER) != 0) {
    for (let n = 1; n < 3; n++) {
      c = at(q, end);
      if ((c & NUMBER) == 0) return q;
      q += c >> 8;
    }
    return q;
  }
  if (c >> 8 == 3 && isHanOrKana(p)) {
    do {
      q += 3;
      c = at(q - 3, end);
    } while (c >> 8 == 3 && isHanOrKana(q - 3));
    return q - 3;
  }
  const d = inPass(q, end);
  if ((c & PUNCT) != 0) {
    // An ASCII symbol takes the ASCII letters behind it.
    if (c >> 8 == 1 && isAsciiLetter(q, end)) {
      while (isAsciiLetter(q, end)) q++;
      at(q, end);
      return q;
    }
    return symbolsOf(p, end);
  }
  if ((c & (LETTER | MARK)) != 0) return letters(q, end);
  if ((c & CRLF) == 0 && (d & (LETTER | MARK)) != 0) return letters(q, end);
  if (load<u8>(p) == 0x20 && (d & PUNCT) != 0) return symbolsOf(q, end);
  if ((c & SPACE) != 0) return spacesOf(p, end);
  // What no alternative takes (controls, unassigned) is a piece up to where one does.
  while (true) {
    c = inPass(q, end);
    if (c == 0 || (c & (PUNCT | MARK | LETTER | SPACE | CRLF)) != 0) return q;
    if ((inPass(q + (c >> 8), end) & (LETTER | MARK)) != 0) return q;
    q += c >> 8;
  }
}

// @ts-ignore: decorator
@inline
function isAsciiLetter(p: usize, end: usize): bool {
  return p < end && <u32>((load<u8>(p) | 0x20) - 0x61) < 26;
}

/** `[\p{P}\p{S}]+[\r\n]*`. */
function symbolsOf(from: usize, end: usize): usize {
  let p = from;
  let c = inPass(p, end);
  while ((c & PUNCT) != 0) {
    p += c >> 8;
    c = inPass(p, end);
  }
  while ((c & CRLF) != 0) {
    p += c >> 8;
    c = inPass(p, end);
  }
  return p;
}

/** As `spaces`, where the end of the pass's text is an end. */
function spacesOf(from: usize, end: usize): usize {
  let p = from;
  let lineEnd: usize = 0;
  let lastAt = p;
  let c = inPass(p, end);
  while ((c & SPACE) != 0) {
    lastAt = p;
    p += c >> 8;
    if ((c & CRLF) != 0) lineEnd = p;
    c = inPass(p, end);
  }
  if (lineEnd != 0) return lineEnd;
  return c == 0 || lastAt == from ? p : lastAt;
}

// Runs of three-byte letters (Han, kana, Hangul, Thai ..) and the marks between them, up to 32 characters at once. A piece
// of CJK is a clause: here it is cut at seams while it is found, and its parts are short. Such a cut is as good as a
// piece border to go on from: both sides are merged alike, and what is left of the piece splits as it would have.
import { countPiece } from './cache';
import { CRLF, LETTER, NUMBER, O200K, SEAM_BITS, bmp, pattern, seams, wideClasses, wideScratch } from './layout';

// Bits of a byte of `wideClasses`; native/packer/wide-classes.mjs holds the same numbers. Bit 0: a letter without case; 1: of a letter,
// that no token holds it and an ASCII letter behind it, else that it ends a word; 2: it may stand before a word.
const NO_BEFORE: i32 = 3;
const NO_AFTER: i32 = 4;
const TWO: i32 = 5; // alone it is two tokens or more
const THREE: i32 = 6;
/** Told here, not in the table: a token may hold it and the character before together. */
const HELD: i32 = 7;

/** Characters of a window. */
const WIDTH: u32 = 32;

/** Where the last window ended. */
export let reached: usize = 0;

/** What is known of character `c`; `h`: the hash of it and the one before. */
// @ts-ignore: decorator
@inline
function factsOf(c: u32, h: u32): u32 {
  return <u32>load<u8>(wideClasses + c) | (((<u32>load<u8>(seams + (h >> 3)) >> (h & 7)) & 1) << 7);
}

/** Bit i: bit `b` of byte i. A shift of words brings no bit of one byte to the top of another. */
// @ts-ignore: decorator
@inline
function bitsOf(lo: v128, hi: v128, b: i32): u32 {
  return <u32>i8x16.bitmask(i16x8.shl(lo, 7 - b)) | (<u32>i8x16.bitmask(i16x8.shl(hi, 7 - b)) << 16);
}

/** Set by `leadIn`: small ASCII letters came last. In o200k no capital may follow in the same word. */
let small: bool = false;

/**
 * End of what may stand before the wide letters of a word that begins at `p`: an ASCII space or mark, ASCII letters. 0: the word ends
 * before them.
 */
// @ts-ignore: decorator
@inline
function leadIn(p: usize): usize {
  small = false;
  const b = <u32>load<u8>(p);
  if (b >= 0x80) return p;
  const k = <u32>load<u8>(bmp + b);
  if ((k & (NUMBER | CRLF)) != 0) return 0;
  let q = p;
  if ((k & LETTER) == 0) {
    q++;
    if (load<u8>(q) >= 0x80) return q;
    if (b == 0x27) return 0; // a contraction, it may be
  }
  while (<u32>load<u8>(q) - 0x41 < 26) q++;
  if (<u32>load<u8>(q) - 0x61 < 26) {
    small = true;
    do q++; while (<u32>load<u8>(q) - 0x61 < 26);
  }
  return load<u8>(q) >= 0xe1 ? q : 0;
}

/**
 * Tokens of the text at `p`, a border, up to the last certain cut of the window; `reached` says where that is. It is `p` itself where
 * there is none. `final`: `end` is the text's end. There is a character of three bytes not far behind `p`, and from it on 112 bytes must be
 * readable.
 */
export function countWide(p: usize, end: usize, final: bool): u32 {
  reached = p;
  const from = leadIn(p);
  if (from == 0 || from >= end) return 0;
  const led = from != p;
  // Characters of the text from here on, and how many of them have three bytes.
  const left = <u32>min<usize>(<usize>(end - from) / 3, WIDTH);
  const gather = i8x16(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  let have: u32 = 0;
  let before = i32x4.splat(0);
  while (have < left) {
    const w = i8x16.swizzle(v128.load(from + <usize>(have * 3)), gather);
    const three = <u32>i32x4.bitmask(i32x4.eq(v128.and(w, i32x4.splat(0xc0c0f0)), i32x4.splat(0x8080e0)));
    const c = v128.or(
      v128.or(
        i32x4.shl(v128.and(w, i32x4.splat(15)), 12),
        v128.and(i32x4.shr_u(w, 2), i32x4.splat(0xfc0))),
      v128.and(i32x4.shr_u(w, 16), i32x4.splat(63)));
    const h = i32x4.shr_u(
      v128.xor(
        i32x4.mul(v128.shuffle<i32>(before, c, 3, 4, 5, 6), i32x4.splat(0x9e3779b1)),
        i32x4.mul(c, i32x4.splat(0x85ebca6b))),
      32 - SEAM_BITS);
    const c01 = <u64>i64x2.extract_lane(c, 0);
    const c23 = <u64>i64x2.extract_lane(c, 1);
    const h01 = <u64>i64x2.extract_lane(h, 0);
    const h23 = <u64>i64x2.extract_lane(h, 1);
    store<u32>(wideScratch + <usize>have,
      factsOf(<u32>c01, <u32>h01) |
      (factsOf(<u32>(c01 >> 32), <u32>(h01 >> 32)) << 8) |
      (factsOf(<u32>c23, <u32>h23) << 16) |
      (factsOf(<u32>(c23 >> 32), <u32>(h23 >> 32)) << 24));
    before = c;
    if (three != 15) {
      have += ctz(~three);
      break;
    }
    have += 4;
    if (load<u8>(from + <usize>(have * 3)) < 0x80) break;
  }
  have = min<u32>(have, left);
  if (have <= 4) {
    // One short word, most of Korean: its piece is its own key.
    if (have == 0) return 0;
    const to = from + <usize>(have * 3);
    const letters: u32 = 0x01010101 >>> (32 - (have << 3));
    const apart = (load<u8>(wideScratch + <usize>(have - 1)) & 2) != 0;
    if ((load<u32>(wideScratch) & letters) == letters && isEnd(to, end, final, false, apart)) {
      reached = to;
      return countPiece(p, <u32>(to - p));
    }
  }

  const lo = v128.load(wideScratch);
  const hi = v128.load(wideScratch, 16);
  const known = <u32>((<u64>1 << <u64>have) - 1);
  const letter = bitsOf(lo, hi, 0) & known;
  const ends = bitsOf(lo, hi, 1) & known;
  const mark = bitsOf(lo, hi, 2) & known;
  // Words in a row, each with no more than one mark before it.
  let inside = letter | (mark & (letter >> 1));
  if (led) inside &= ~(mark & 1);
  const n = ctz(~<u64>inside);
  if (n == 0) return 0;
  const afterLetter = letter << 1;
  const seam =
    letter & (inside << 1) &
    ~(bitsOf(lo, hi, NO_BEFORE) | bitsOf(lo, hi, HELD) | (bitsOf(lo, hi, NO_AFTER) << 1));
  const within = (<u64>1 << n) - 2;
  const wordEnds =
    (<u64>(mark & afterLetter) & within) |
    (<u64>isEnd(from + <usize>(n * 3), end, final, (<u64>ends >> n & 1) != 0, (ends >> <u32>(n - 1) & 1) != 0) << n);
  const cuts = wordEnds | (<u64>seam & within);
  if (cuts == 0) return 0;
  // What is left behind a seam would take a capital.
  if (small && pattern == O200K && wordEnds == 0) return 0;

  // Parts of one character: their counts are known.
  const last = <u64>1 << (63 - clz(cuts));
  const starts = (cuts | 1) & (last - 1);
  let singles = starts & (cuts >> 1);
  if (led) singles &= ~(<u64>1);
  let tokens = <u32>popcnt(singles) + <u32>popcnt(singles & bitsOf(lo, hi, TWO)) + <u32>popcnt(singles & bitsOf(lo, hi, THREE));
  let rest = starts & ~singles;
  while (rest != 0) {
    const s = ctz(rest);
    rest &= rest - 1;
    const at = s == 0 ? p : from + <usize>(s * 3);
    const to = from + <usize>((ctz(cuts >> s >> 1) + s + 1) * 3);
    tokens += countPiece(at, <u32>(to - at));
  }
  reached = from + <usize>((63 - clz(cuts)) * 3);
  return tokens;
}

/**
 * Whether the text may be cut at `p`, behind wide letters, whatever follows. `ends`: it begins with a wide character that ends a word;
 * `apart`: no token holds the last letter and an ASCII one, and then it is all the same: what is left splits as it would have.
 */
// @ts-ignore: decorator
@inline
function isEnd(p: usize, end: usize, final: bool, ends: bool, apart: bool): bool {
  if (p >= end) return final;
  const b = <u32>load<u8>(p);
  if (b < 0x80) return b != 0x27 && (apart || (<u32>load<u8>(bmp + b) & LETTER) == 0);
  return ends;
}

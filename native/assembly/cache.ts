// Token counts of pieces seen before, keyed by the piece's own bytes (never by a hash alone: a collision would
// be a wrong count). Short pieces are their own 16-byte key; longer ones stand in 128-byte entries.
import { encodePiece } from './bpe';
import { LONG_BITS, LONG_MAX, NO_SEAM_AFTER, NO_SEAM_BEFORE, SEAM_BITS, SHORT_BITS, SHORT_MAX, bmp, cacheTag, keyMasks, longCache, seams, shortCache, wholeMask } from './layout';

const C1: u64 = 0x9e3779b97f4a7c15;
const C2: u64 = 0xc2b2ae3d27d4eb4f;

/** Tokens of the piece of `len` >= 1 bytes at `at`; up to 16 bytes may be read behind it. */
// @ts-ignore: decorator
@inline
export function countPiece(at: usize, len: u32): u32 {
  if (len > SHORT_MAX) return countLong(at, len);
  return countShort(at, len);
}

// @ts-ignore: decorator
@inline
function countShort(at: usize, len: u32): u32 {
  // Entry: 14 bytes, zero-filled; the tag; length (high nibble) and count (low). An empty entry has length 0.
  const mask = keyMasks + (<usize>len << 4);
  const lo = load<u64>(at) & load<u64>(mask);
  const hi = (load<u64>(at, 8) & load<u64>(mask, 8)) | cacheTag | (<u64>len << 60);
  const h = (lo ^ (hi * C2)) * C1;
  const slot = shortCache + (<usize>(h >>> (66 - SHORT_BITS)) << 6);
  const was = load<u64>(slot, 8);
  if (load<u64>(slot) == lo && ((was ^ hi) & 0xf0ffffffffffffff) == 0) return <u32>(was >>> 56) & 15;
  return countShortMiss(at, len, lo, hi, slot);
}

let missBytes: u32 = 0;
let missTokens: u32 = 0;
let misses: u32 = 0;
let noisy: bool = false;

/**
 * Whether a missed piece is not worth an entry. Of the last 64 misses: base64 and random bytes have 1.4 bytes a token,
 * rare words and names above 2.2. Noise hardly repeats, and keeping it would flush what does.
 */
function isNoise(at: usize, len: u32, n: u32): bool {
  missBytes += len;
  missTokens += n;
  if (++misses == 64) {
    noisy = missBytes * 16 < missTokens * 30;
    misses = 0;
    missBytes = 0;
    missTokens = 0;
  }
  return noisy && n > 1 && load<u8>(at) < 0xe0;
}

// @ts-ignore: decorator
@inline
function move(from: usize, to: usize): void {
  store<u64>(to, load<u64>(from));
  store<u64>(to, load<u64>(from, 8), 8);
}

/** The other three ways of the set (a cache line of four), then the encoder. What is found moves to the first way; the last one makes room. */
function countShortMiss(at: usize, len: u32, lo: u64, hi: u64, set: usize): u32 {
  for (let slot = set + 16; slot < set + 64; slot += 16) {
    const was = load<u64>(slot, 8);
    if (load<u64>(slot) == lo && ((was ^ hi) & 0xf0ffffffffffffff) == 0) {
      move(set, slot);
      store<u64>(set, lo);
      store<u64>(set, was, 8);
      return <u32>(was >>> 56) & 15;
    }
  }
  const n = len == 1 ? 1 : encodePiece(at, len);
  if (isNoise(at, len, n)) return n;
  move(set + 32, set + 48);
  move(set + 16, set + 32);
  move(set, set + 16);
  store<u64>(set, lo);
  store<u64>(set, hi | (<u64>n << 56), 8);
  return n;
}

function countLong(at: usize, len: u32): u32 {
  // Three-byte characters at its start (the first may be a space or a symbol that belongs to a word).
  // Where a whole piece may be a token that its parts are not, it is not cut.
  if (wholeMask == 0 && (load<u8>(at) >= 0xe0 || load<u8>(at, 1) >= 0xe0)) return countBySeams(at, len);
  return countWhole(at, len);
}

/** Cuts at seams and counts the parts. */
function countBySeams(at: usize, len: u32): u32 {
  const end = at + len;
  let from = at;
  let p = at;
  let before: u32 = 0; // the character before p when it is one of three bytes
  let tokens: u32 = 0;
  while (p < end) {
    const w = load<u32>(p);
    if ((w & 0xc0c0f0) != 0x8080e0) {
      before = 0;
      p++;
      continue;
    }
    const c = ((w & 15) << 12) | ((w >> 2) & 0xfc0) | ((w >> 16) & 63);
    if (before != 0) {
      const h = ((before * 0x9e3779b1) ^ (c * 0x85ebca6b)) >>> (32 - SEAM_BITS);
      const held = (<u32>load<u8>(seams + (h >> 3)) >> (h & 7)) & 1;
      const never = (<u32>load<u8>(bmp + before) & NO_SEAM_AFTER) | (<u32>load<u8>(bmp + c) & NO_SEAM_BEFORE);
      if ((held | never) == 0) {
        const n = <u32>(p - from);
        tokens += n > SHORT_MAX ? countWhole(from, n) : countShort(from, n);
        from = p;
      }
    }
    before = c;
    p += 3;
  }
  const n = <u32>(end - from);
  return tokens + (n > SHORT_MAX ? countWhole(from, n) : countShort(from, n));
}

function countWhole(at: usize, len: u32): u32 {
  if (len > LONG_MAX) return encodePiece(at, len);
  const head = cacheTag | <u64>len;
  let h: u64 = head * C2;
  let i: u32 = 0;
  for (; i + 8 < len; i += 8) h = rotl<u64>((h ^ load<u64>(at + i)) * C1, 29);
  h = (h ^ load<u64>(at + len - 8)) * C1;
  // Two ways a set; the first one's word at 12 says which was used last.
  const set = longCache + (<usize>(h >>> (65 - LONG_BITS)) << 8);
  for (let way: u32 = 0; way < 2; way++) {
    const slot = set + (<usize>way << 7);
    if (load<u64>(slot) != head) continue;
    let same = load<u64>(slot + 16 + len - 8) == load<u64>(at + len - 8);
    for (i = 0; same && i + 8 < len; i += 8) same = load<u64>(slot + 16 + i) == load<u64>(at + i);
    if (!same) continue;
    store<u32>(set, way, 12);
    return load<u32>(slot, 8);
  }
  const n = encodePiece(at, len);
  if (isNoise(at, len, n)) return n;
  const way = load<u32>(set, 12) ^ 1;
  const slot = set + (<usize>way << 7);
  store<u32>(set, way, 12);
  store<u64>(slot, head);
  store<u32>(slot, n, 8);
  memory.copy(slot + 16, at, len);
  return n;
}

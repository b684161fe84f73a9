// Byte pair encoding of one piece, linear on any input: longest match in the trie, kept while each neighbouring
// pair is one that merging would leave apart, stepping back otherwise. A position that failed is marked dead
// and never tried again: the encoding of a prefix is unique, so there is one way to reach a position. The method
// is that of GitHub's rust-gems (crates/bpe); the result equals rank-ordered merging.
import { NONE, VERDICT_BITS, dead, encoding, pairFilter, pairFilterMask, pairMask, pairs, root3, stack, tokenInfo, trie, trieRoot, verdicts, wholeMask, wholes } from './layout';

// @ts-ignore: decorator
@inline function leftOf(t: u32): u32 { return load<u32>(tokenInfo + (<usize>t << 4)); }
// @ts-ignore: decorator
@inline function rightOf(t: u32): u32 { return load<u32>(tokenInfo + (<usize>t << 4), 4); }
// @ts-ignore: decorator
@inline function prefixOf(t: u32): u32 { return load<u32>(tokenInfo + (<usize>t << 4), 8); }
// @ts-ignore: decorator
@inline export function lengthOf(t: u32): u32 { return load<u32>(tokenInfo + (<usize>t << 4), 12); }

/** The token that merges from exactly (a, b), or NONE. */
// @ts-ignore: decorator
@inline
function pairOf(a: u32, b: u32): u32 {
  let h = (a * 0x9e3779b1) ^ (b * 0x85ebca6b);
  h ^= h >>> 15;
  const bit = h & pairFilterMask;
  if (((<u32>load<u8>(pairFilter + (bit >> 3)) >> (bit & 7)) & 1) == 0) return NONE;
  const print = h >>> 18;
  let i = h & pairMask;
  while (true) {
    const slot = load<u32>(pairs + (<usize>i << 2));
    if (slot == 0) return NONE;
    if (slot >>> 18 == print) {
      const t = (slot & 0x3ffff) - 1;
      if (leftOf(t) == a && rightOf(t) == b) return t;
    }
    i = (i + 1) & pairMask;
  }
}

/**
 * The longest of `t` and its prefixes that may follow `last`, or NONE. Runs ask the same again and again, so answers are
 * kept: a slot is the whole question and its answer, bit 63 tells it from an empty one.
 */
// @ts-ignore: decorator
@inline
function fitting(last: u32, t: u32): u32 {
  const key = (<u64>1 << 63) | (<u64>encoding << 60) | (<u64>last << 40) | (<u64>t << 20);
  const slot = verdicts + (<usize>((key * 0x9e3779b97f4a7c15) >>> (64 - VERDICT_BITS)) << 3);
  const was = load<u64>(slot);
  if ((was & 0xfffffffffff00000) == key) {
    const answer = <u32>was & 0xfffff;
    return answer == 0xfffff ? NONE : answer;
  }
  let u = t;
  while (u != NONE && !mergesApart(last, u)) u = prefixOf(u);
  store<u64>(slot, key | (<u64>u & 0xfffff));
  return u;
}

/** Whether merging leaves `first` and `second` apart when they stand side by side. */
function mergesApart(first: u32, second: u32): bool {
  let a = first;
  let b = second;
  let limit = NONE;
  while (true) {
    const joined = pairOf(a, b);
    if (joined < limit) return false; // NONE is never below the limit
    if (a > b) {
      limit = a;
      a = rightOf(a);
      if (a == limit) {
        limit = b + 1;
        b = leftOf(b);
        if (b + 1 == limit) return true;
      }
    } else {
      limit = b + 1;
      b = leftOf(b);
      if (b + 1 == limit) {
        limit = a;
        a = rightOf(a);
        if (a == limit) return true;
      }
    }
  }
}

/** The longest token that starts at `p` and ends by `end` (p < end). */
// @ts-ignore: decorator
@inline
function longest(from: usize, end: usize): u32 {
  let p = from;
  let base = trieRoot;
  let best = NONE;
  if (end - p >= 3) {
    const w = load<u32>(p);
    // A three-byte character, most of CJK: one load in place of three.
    if ((w & 0xc0c0f0) == 0x8080e0) {
      const r = load<u64>(root3 + (<usize>(((w & 15) << 12) | ((w >> 2) & 0xfc0) | ((w >> 16) & 63)) << 3));
      best = <u32>(r >> 32) - 1;
      base = <u32>r;
      if (base == 0) return best;
      p += 3;
    }
  }
  while (p < end) {
    const c = <u32>load<u8>(p);
    const node = load<u64>(trie + (<usize>(base ^ c) << 3));
    if ((<u32>node & 0x1ff) != c) break;
    const t = <u32>(node >> 32);
    if (t != 0) best = t - 1;
    base = <u32>node >>> 9;
    if (base == 0) break;
    p++;
  }
  return best;
}

/** Length of the longest token; the packer refuses a vocabulary with a longer one. */
const TOKEN_MAX: usize = 128;

/** Bytes of the longest token that only a whole piece can be. */
const WHOLE_MAX: u32 = 40;

/** The token that these bytes are as a whole piece and in no other way, or NONE. */
function wholeOf(at: usize, len: u32): u32 {
  let h = len;
  for (let i: u32 = 0; i < len; i++) h = (h ^ <u32>load<u8>(at + i)) * 0x01000193;
  h ^= h >>> 15;
  let i = h & wholeMask;
  while (true) {
    const slot = wholes + <usize>i * 48;
    const n = load<u32>(slot);
    if (n == 0) return NONE;
    if (n == len && memory.compare(slot + 8, at, len) == 0) return load<u32>(slot, 4);
    i = (i + 1) & wholeMask;
  }
}

/** Tokens of the `len` bytes at `at`; they stand in `stack` afterwards. `dead` is all zero before and after. */
export function encodePiece(at: usize, len: u32): u32 {
  if (wholeMask != 0 && len <= WHOLE_MAX) {
    const t = wholeOf(at, len);
    if (t != NONE) {
      store<u32>(stack, t);
      return 1;
    }
  }
  const end = at + len;
  let sp: u32 = 0;
  let pos: u32 = 0;
  let last = NONE;
  let t = longest(at, end);
  let dirtyFrom = NONE;
  let dirtyTo: u32 = 0;
  // Within a run of one byte, up to `runSafe`, the longest match is always `runToken`: no 128 steps to find it.
  let runSafe: usize = 0;
  let runSeen: usize = 0;
  let runToken: u32 = 0;
  while (true) {
    if (sp != 0 && t != NONE) t = fitting(last, t);
    if (t != NONE) {
      const next = pos + lengthOf(t);
      if (((load<u8>(dead + (next >> 3)) >> <u8>(next & 7)) & 1) != 0) {
        t = prefixOf(t);
        continue;
      }
      store<u32>(stack + (<usize>sp << 2), t);
      sp++;
      if (next == len) break;
      last = t;
      pos = next;
      const p = at + pos;
      if (p < runSafe) {
        t = runToken;
        continue;
      }
      t = longest(p, end);
      if (p >= runSeen && lengthOf(t) >= 8) {
        const byte = load<u8>(p);
        runSeen = p + 1;
        while (runSeen < end && load<u8>(runSeen) == byte) runSeen++;
        if (runSeen - p > 2 * TOKEN_MAX) {
          runSafe = runSeen - TOKEN_MAX;
          runToken = t;
        }
      }
      continue;
    }
    const byte = dead + (pos >> 3);
    store<u8>(byte, load<u8>(byte) | (<u8>1 << <u8>(pos & 7)));
    if (pos >> 3 < dirtyFrom) dirtyFrom = pos >> 3;
    if (pos >> 3 >= dirtyTo) dirtyTo = (pos >> 3) + 1;
    sp--;
    pos -= lengthOf(last);
    t = prefixOf(last);
    last = sp == 0 ? NONE : load<u32>(stack + (<usize>(sp - 1) << 2));
  }
  if (dirtyFrom != NONE) memory.fill(dead + dirtyFrom, 0, dirtyTo - dirtyFrom);
  return sp;
}

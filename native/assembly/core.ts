// The token counter's exports. Knows addresses only: the host writes UTF-8 into the buffer and reads numbers back.
import { encodePiece, lengthOf } from './bpe';
import { countPiece } from './cache';
import { countWide, reached } from './cjk';
import { DEEPSEEK, buffer, pattern, stack, use, wholeMask } from './layout';
import { malformed, pieceEnd, resetMalformed, resetTouched, touched } from './scan';
import { borders, isOpen, limit } from './window';

export { classify } from './classes';
export { attach, regionBytes } from './layout';

let consumedBytes: u32 = 0;

/** Bytes `run` finished with in its last call: up to a border that more text cannot move. */
export function consumed(): u32 { return consumedBytes; }

/** 1 when the last `run` met bytes that are not UTF-8; its count is then of no use. */
export function isMalformed(): u32 { return <u32>malformed; }

/**
 * Tokens of the `len` bytes at `from`; `final` says that the text ends there. Otherwise it stops at the last
 * border that is certain. It also stops once more than `max` tokens are counted.
 */
export function run(enc: u32, from: usize, len: u32, final: bool, max: u32): u32 {
  use(enc);
  resetMalformed();
  const end = from + len;
  let p = from;
  let tokens: u32 = 0;
  // DeepSeek splits by other rules, and where a whole piece may be a token that its parts are not, it is not cut.
  const seamed = pattern != DEEPSEEK && wholeMask == 0;
  while (p < end && tokens <= max) {
    if (ASC_FEATURE_SIMD) {
      // Non-ASCII close by would cut the window short: the piece alone is cheaper.
      const high = load<u64>(p) & 0x8080808080808080;
      if (pattern != DEEPSEEK && high == 0) {
        let m = borders(p, end, final);
        const base = p;
        while (m != 0) {
          const e = base + <usize>ctz(m);
          m &= m - 1;
          tokens += countPiece(p, <u32>(e - p));
          p = e;
        }
        if (!isOpen) {
          tokens += countPiece(p, <u32>(end - p));
          p = end;
          break;
        }
        // All of the window was plain and something was found: the next window takes over from there.
        if (p != base && limit == 64) continue;
      } else if (seamed && load<u8>(p + <usize>(ctz(high) >> 3)) >= 0xe1) {
        tokens += countWide(p, end, final);
        if (reached != p) {
          p = reached;
          continue;
        }
      }
    }
    resetTouched();
    const e = pieceEnd(p, end);
    if (touched && !final) break;
    tokens += countPiece(p, <u32>(e - p));
    p = e;
  }
  consumedBytes = <u32>(p - from);
  return tokens;
}

/** `run` over one whole text at the buffer's start; 0xffffffff when it is not UTF-8. */
export function count(enc: u32, len: u32): u32 {
  const n = run(enc, buffer, len, true, 0xfffffffe);
  return malformed ? 0xffffffff : n;
}

/** Counts of `n` texts that stand one behind another from `from`; `ends`: u32 end offsets, replaced by the counts. */
export function countMany(enc: u32, from: usize, ends: usize, n: u32): u32 {
  let at: u32 = 0;
  let bad: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const slot = ends + (<usize>i << 2);
    const to = load<u32>(slot);
    let c = run(enc, from + at, to - at, true, 0xfffffffe);
    if (malformed) {
      c = 0xffffffff;
      bad++;
    }
    store<u32>(slot, c);
    at = to;
  }
  return bad;
}

/**
 * Turns the `n` lengths in UTF-16 units at `ends` into byte offsets of the ends, for texts that stand one behind another
 * in the `len` bytes at `from`. 0 when an end falls into a character: surrogates met at a seam.
 */
export function unitsToEnds(from: usize, len: u32, ends: usize, n: u32): u32 {
  const end = from + len;
  let p = from;
  for (let i: u32 = 0; i < n; i++) {
    const slot = ends + (<usize>i << 2);
    let units = <i32>load<u32>(slot);
    while (units >= 8 && (load<u64>(p) & 0x8080808080808080) == 0) {
      p += 8;
      units -= 8;
    }
    while (units > 0) {
      const b = <u32>load<u8>(p);
      units -= b < 0xf0 ? 1 : 2;
      p += b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
    }
    if (units < 0 || p > end) return 0;
    store<u32>(slot, <u32>(p - from));
  }
  return <u32>(p == end);
}

/** Bytes of the first `max` tokens of the `len` bytes at `from` (whole text), or `len`. */
export function prefixBytes(enc: u32, from: usize, len: u32, max: u32): u32 {
  use(enc);
  const end = from + len;
  let p = from;
  let tokens: u32 = 0;
  while (p < end && tokens < max) {
    const e = pieceEnd(p, end);
    const n = encodePiece(p, <u32>(e - p));
    if (tokens + n > max) {
      for (let i: u32 = 0; i < max - tokens; i++) p += lengthOf(load<u32>(stack + (<usize>i << 2)));
      break;
    }
    tokens += n;
    p = e;
  }
  return <u32>(p - from);
}

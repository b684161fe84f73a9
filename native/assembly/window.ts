// The piece borders of 64 bytes of ASCII at once, by arithmetic on class masks (bit i = byte i). The window always
// begins at a piece border, and the patterns never look back, so no state crosses windows. Borders near an open
// end (more text, or a non-ASCII byte, follows) are given only where nothing behind the window can change them.
import { O200K, QWEN, pattern } from './layout';
import { contraction } from './scan';

/** Bytes the borders of the last call speak of (up to the first non-ASCII byte). */
export let limit: u32 = 0;
/** Whether something not looked at follows those bytes. */
export let isOpen: bool = false;

// @ts-ignore: decorator
@inline
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const lo = <u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16);
  const hi = <u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16);
  return <u64>lo | (<u64>hi << 32);
}

// @ts-ignore: decorator
@inline
function within(v: v128, from: i8, count: i8): v128 {
  return i8x16.lt_u(i8x16.sub(v, i8x16.splat(from)), i8x16.splat(count));
}

/**
 * Border bits of the text at `p`, which is a border itself (bit 0 is not set). `final`: `end` is the text's end.
 * 64 bytes at `p` must be readable.
 */
// @ts-ignore: decorator
@inline
export function borders(p: usize, end: usize, final: bool): u64 {
  const a = v128.load(p);
  const b = v128.load(p, 16);
  const c = v128.load(p, 32);
  const d = v128.load(p, 48);
  const left = <u32>(end - p);
  const inText = left >= 64 ? ~(<u64>0) : ((<u64>1 << <u64>left) - 1);
  const high = bits(a, b, c, d) & inText;
  const lim = high != 0 ? <u32>ctz(high) : left >= 64 ? 64 : left;
  limit = lim;
  if (lim == 0) {
    isOpen = true;
    return 0;
  }
  const open = lim < left || !final;
  isOpen = open;
  const valid = ~(<u64>0) >>> <u64>(64 - lim);

  const x20 = i8x16.splat(0x20);
  const letter = bits(
    within(v128.or(a, x20), 0x61, 26), within(v128.or(b, x20), 0x61, 26),
    within(v128.or(c, x20), 0x61, 26), within(v128.or(d, x20), 0x61, 26)) & valid;
  const digit = bits(within(a, 0x30, 10), within(b, 0x30, 10), within(c, 0x30, 10), within(d, 0x30, 10)) & valid;
  const blank = bits(i8x16.eq(a, x20), i8x16.eq(b, x20), i8x16.eq(c, x20), i8x16.eq(d, x20)) & valid;
  const ca = within(a, 9, 5);
  const cb = within(b, 9, 5);
  const cc = within(c, 9, 5);
  const cd = within(d, 9, 5);
  let space = blank;
  let crlf: u64 = 0;
  if (v128.any_true(v128.or(v128.or(ca, cb), v128.or(cc, cd)))) {
    space |= bits(ca, cb, cc, cd) & valid;
    const lf = i8x16.splat(10);
    const cr = i8x16.splat(13);
    crlf = bits(
      v128.or(i8x16.eq(a, lf), i8x16.eq(a, cr)), v128.or(i8x16.eq(b, lf), i8x16.eq(b, cr)),
      v128.or(i8x16.eq(c, lf), i8x16.eq(c, cr)), v128.or(i8x16.eq(d, lf), i8x16.eq(d, cr))) & valid;
  }
  let symbol = ~(letter | digit | space) & valid;

  // Line ends (in o200k slashes too) right behind symbols belong to them: fill the run from each seed by a carry.
  const seeds = crlf & (symbol << 1);
  if (seeds != 0) {
    let tail = crlf;
    if (pattern == O200K) {
      const slash = i8x16.splat(0x2f);
      tail |= bits(i8x16.eq(a, slash), i8x16.eq(b, slash), i8x16.eq(c, slash), i8x16.eq(d, slash)) & valid;
    }
    const taken = (((tail + seeds) ^ tail) & tail) | seeds;
    symbol &= ~taken;
    space &= ~taken;
    crlf &= ~taken;
  }
  const gap = space & ~crlf; // spaces that are no line ends

  const symbolStart = symbol & ~((symbol | blank) << 1);
  let starts = symbolStart;

  // A letter run joins the one space or the sole symbol before it.
  starts |= letter & ~((letter | gap | symbolStart) << 1);
  if (pattern == O200K) {
    const upper = bits(within(a, 0x41, 26), within(b, 0x41, 26), within(c, 0x41, 26), within(d, 0x41, 26)) & valid;
    starts |= upper & ((letter & ~upper) << 1);
  }

  // Digits in groups of three, in Qwen one by one.
  let group = digit & ~(digit << 1);
  starts |= pattern == QWEN ? digit : group;
  const fourth = pattern == QWEN ? <u64>0 : digit & (digit << 1) & (digit << 2) & (digit << 3);
  if (fourth != 0) {
    while (true) {
      group = (group << 3) & fourth;
      if (group == 0) break;
      starts |= group;
    }
  }

  // Spaces: a run ends its line-end part at the last line end; of the rest, the last one goes with what follows.
  const spaceStart = space & ~(space << 1);
  starts |= spaceStart | (gap & ~(space >> 1) & (valid >> 1));
  if (crlf != 0) {
    const gapStart = gap & ~(gap << 1);
    let rest = gapStart & (space << 1);
    let inner = (gap + gapStart) & ~gap & crlf; // first line end behind a gap
    while (inner != 0) {
      const before = ~gap & ((inner & (0 - inner)) - 1);
      const from: u64 = before != 0 ? 64 - clz(before) : 0;
      rest &= ~(<u64>1 << from);
      inner &= inner - 1;
    }
    starts |= rest;
  }
  if (open) {
    const k = <u32>clz(~(space << <u64>(64 - lim)));
    if (k != 0) {
      const from = <u64>(lim - k);
      starts = (starts & ((<u64>1 << from) - 1)) | (spaceStart & (<u64>1 << from));
    }
  }

  const quote = i8x16.splat(0x27);
  const qa = i8x16.eq(a, quote);
  const qb = i8x16.eq(b, quote);
  const qc = i8x16.eq(c, quote);
  const qd = i8x16.eq(d, quote);
  if (v128.any_true(v128.or(v128.or(qa, qb), v128.or(qc, qd)))) {
    starts = contractions(bits(qa, qb, qc, qd) & valid, starts, letter, symbolStart, valid, p, end);
  }
  return starts & ~(<u64>1);
}

function contractions(quotes: u64, before: u64, letter: u64, symbolStart: u64, valid: u64, p: usize, end: usize): u64 {
  let starts = before;
  const o200k = pattern == O200K;
  let cand = quotes & (o200k ? letter << 1 : symbolStart);
  const near = valid & ~(valid >>> 3);
  if (isOpen && (cand & near) != 0) {
    // Not enough of the text to tell: in o200k the quote itself may belong to the word before.
    const i = ctz(cand & near);
    const keep = (<u64>1 << i) - 1;
    starts &= o200k ? keep : (keep << 1) | 1;
    cand &= keep;
  }
  cand &= letter >> 1;
  let done: u64 = 64;
  while (cand != 0) {
    const i = ctz(cand);
    cand &= cand - 1;
    if (o200k && i == done) continue; // right behind a contraction it is a symbol of its own
    const k = <u64>contraction(p + <usize>i, end);
    if (k == 0) continue;
    done = i + k;
    if (o200k) starts &= ~(((<u64>1 << k) - 1) << i);
    if (done < 64) starts |= (<u64>1 << done) & letter;
  }
  return starts;
}

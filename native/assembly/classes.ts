// Bytes and tokens by content class, told while counting: CJK and digits by the piece, the rest by the stretch of text
// (to the next line end, some 200 bytes at most) it stands in. For estimates only: classes never move a border.
import { countPiece } from './cache';
import { LETTER, NUMBER, SPACE, use } from './layout';
import { at, pieceEnd, resetMalformed, resetTouched, touched } from './scan';

const PROSE: u32 = 0;
const CODE: u32 = 1;
const JSON: u32 = 2;
const DIGITS: u32 = 3;
const CJK: u32 = 4;

/** Bytes of a stretch after which it is judged. */
const STRETCH: u32 = 200;

/** Han, kana, Hangul, bopomofo, their punctuation and full-width forms, by the first bytes of the UTF-8. */
// @ts-ignore: decorator
@inline
function isCjk(p: usize): bool {
  const b = <u32>load<u8>(p);
  if (b < 0xe2) return b == 0xe1 && (load<u8>(p, 1) & 0xfc) == 0x84;
  if (b == 0xe2) return load<u8>(p, 1) >= 0xba;
  if (b <= 0xed) return b < 0xed || load<u8>(p, 1) < 0xa0;
  if (b == 0xef) return (load<u8>(p, 1) >= 0xa4 && load<u8>(p, 1) <= 0xab) || load<u8>(p, 1) >= 0xbc;
  return b == 0xf0 && load<u8>(p, 1) >= 0xa0 && load<u8>(p, 1) < 0xc0;
}

/**
 * Adds `len` bytes at `from` to the table at `out`: per class (prose, code, JSON, digits, CJK) u32 bytes, u32 tokens.
 * Returns the bytes done: up to the last certain border unless `final`, as `run` does.
 */
export function classify(enc: u32, from: usize, len: u32, final: bool, out: usize): u32 {
  use(enc);
  resetMalformed();
  const end = from + len;
  let p = from;
  while (p < end) {
    const start = p;
    let bytes: u32 = 0;
    let tokens: u32 = 0;
    let marks: u32 = 0; // bytes of symbols
    let json: u32 = 0; // of them quotes, braces, brackets, colons and commas
    let quotes: u32 = 0;
    let indent = load<u8>(p) == 0x20 && load<u8>(p, 1) == 0x20 ? <u32>1 : load<u8>(p) == 9 ? <u32>1 : 0;
    let line = false;
    while (p < end && !line && <u32>(p - start) < STRETCH) {
      resetTouched();
      const e = pieceEnd(p, end);
      if (touched && !final) {
        add(out, kindOf(bytes, marks, json, quotes, indent), bytes, tokens);
        return <u32>(p - from);
      }
      const n = <u32>(e - p);
      const t = countPiece(p, n);
      const c = at(p, end);
      const q = p + (c >> 8);
      if ((c & NUMBER) != 0) add(out, DIGITS, n, t);
      else if (isCjk(p) || (q < e && isCjk(q))) add(out, CJK, n, t);
      else {
        bytes += n;
        tokens += t;
        for (let i = p; i < e && i < p + STRETCH; i++) {
          const b = <u32>load<u8>(i);
          if (b >= 0x80 || b == 0x2e || b == 0x27) continue;
          if ((at(i, end) & (LETTER | NUMBER | SPACE)) != 0) continue;
          marks++;
          if (b == 0x22) quotes++;
          if (b == 0x22 || b == 0x7b || b == 0x7d || b == 0x5b || b == 0x5d || b == 0x3a || b == 0x2c) json++;
        }
      }
      line = load<u8>(e - 1) == 10;
      p = e;
    }
    add(out, kindOf(bytes, marks, json, quotes, indent), bytes, tokens);
  }
  return <u32>(p - from);
}

// @ts-ignore: decorator
@inline
function kindOf(bytes: u32, marks: u32, json: u32, quotes: u32, indent: u32): u32 {
  if (quotes >= 2 && json * 4 >= marks * 3 && marks * 12 >= bytes) return JSON;
  // Prose has a mark in some thirty bytes; code one in eight, or an indent and one in fifteen.
  return marks * (indent != 0 ? 15 : 10) >= bytes && marks > 1 ? CODE : PROSE;
}

// @ts-ignore: decorator
@inline
function add(out: usize, kind: u32, bytes: u32, tokens: u32): void {
  const row = out + (<usize>kind << 3);
  store<u32>(row, load<u32>(row) + bytes);
  store<u32>(row, load<u32>(row, 4) + tokens, 4);
}

// Where things lie in memory: the shared read-only tables and this instance's own region. Everything is an
// address in a global (globals are private to an instance, also when the memory is shared), so no two workers
// ever write to the same byte.

// Class bits of a code point; native/packer/classes.mjs holds the same numbers.
export const UPPERISH: u32 = 1; // Lu Lt Lm Lo M: what o200k's words may start with
export const LOWERISH: u32 = 2; // Ll Lm Lo M: what o200k's words may end with
export const LETTER: u32 = 4;
export const NUMBER: u32 = 8;
export const SPACE: u32 = 16;
export const CRLF: u32 = 32;
// See native/packer/seams.mjs.
export const NO_SEAM_BEFORE: u32 = 64;
export const NO_SEAM_AFTER: u32 = 128;
export const SEAM_BITS: u32 = 19;

export const NONE: u32 = 0xffffffff;

// How an encoding splits its text before it merges; native/encodings.ts and the packer hold the same numbers.
export const O200K: u32 = 0;
export const CL100K: u32 = 1; // and Llama 3
export const QWEN: u32 = 2; // cl100k with digits one by one
export const DEEPSEEK: u32 = 3; // three passes, classes of its own
// What two of the bits say in the class table of a blob for DeepSeek.
export const PUNCT: u32 = 1; // P S
export const MARK: u32 = 2; // M

// Tables common to both encodings.
export let bmp: usize = 0;
export let astralIndex: usize = 0;
export let astralBlocks: usize = 0;
export let keyMasks: usize = 0;

// Tables of the encoding in use.
export let encoding: u32 = 0;
export let pattern: u32 = 0;
export let trie: usize = 0;
export let trieRoot: u32 = 0;
export let tokenInfo: usize = 0;
export let pairs: usize = 0;
export let pairMask: u32 = 0;
export let pairFilter: usize = 0;
export let pairFilterMask: u32 = 0;
export let root3: usize = 0;
export let seams: usize = 0;
/** What cjk.ts asks of a three-byte character, a byte each; see native/packer/wide-classes.mjs. */
export let wideClasses: usize = 0;
/** Tokens that only a whole piece can be; mask 0: there are none. */
export let wholes: usize = 0;
export let wholeMask: u32 = 0;
/** What tells the encodings' entries in the piece caches apart: in bits 48 and 49, so that 14 bytes of piece fit before it. */
export let cacheTag: u64 = 0;

// This instance's region.
export let shortCache: usize = 0;
export let longCache: usize = 0;
export let buffer: usize = 0;
export let bufferBytes: u32 = 0;
/** 32 bytes for cjk.ts. */
export let wideScratch: usize = 0;
export let stack: usize = 0;
export let dead: usize = 0;
/** Verdicts on pairs of tokens, both encodings: u64 slots, see bpe.ts. */
export let verdicts: usize = 0;

let header: usize = 0;

// log2 of the entries of the caches, which both encodings share.
export const SHORT_BITS: u32 = 16;
export const SHORT_MAX: u32 = 14; // bytes of the longest piece that is its own key
export const LONG_BITS: u32 = 11;
export const LONG_MAX: u32 = 112; // bytes of the longest cached piece: an entry is 128 bytes
export const VERDICT_BITS: u32 = 14;
const VERDICT_BYTES: u32 = 8 << VERDICT_BITS;
const SHORT_BYTES: u32 = 16 << SHORT_BITS;
const LONG_BYTES: u32 = 128 << LONG_BITS;

/** Readable bytes behind the text: vector loads run over its end. In front of it the first 64 are the core's scratch, the last 64 the host's. */
const SLACK: u32 = 128;

/** Bytes of a region whose text buffer holds `textBytes`. */
export function regionBytes(textBytes: u32): u32 {
  return SHORT_BYTES + LONG_BYTES + VERDICT_BYTES + SLACK + textBytes + SLACK + 4 * textBytes + (textBytes >> 3) + 64;
}

/** Takes the tables at `tables` and this instance's zeroed region. Returns the address of the text buffer. */
export function attach(tables: usize, regionAt: usize, textBytes: u32): usize {
  header = tables;
  shortCache = regionAt;
  longCache = regionAt + SHORT_BYTES;
  bmp = tables + load<u32>(tables, 8);
  astralIndex = tables + load<u32>(tables, 12);
  astralBlocks = tables + load<u32>(tables, 16);
  keyMasks = tables + load<u32>(tables, 20);
  bufferBytes = textBytes;
  verdicts = regionAt + SHORT_BYTES + LONG_BYTES;
  buffer = verdicts + VERDICT_BYTES + SLACK;
  wideScratch = buffer - SLACK;
  stack = (buffer + textBytes + SLACK + 15) & ~15;
  dead = stack + 4 * <usize>textBytes;
  encoding = 0xff;
  return buffer;
}

/** Makes vocabulary number `e` of the blob the current one. */
export function use(e: u32): void {
  if (e == encoding) return;
  encoding = e;
  const at = header + 32 + <usize>e * 64;
  trieRoot = load<u32>(at, 4);
  trie = header + load<u32>(at, 8);
  tokenInfo = header + load<u32>(at, 12);
  pairs = header + load<u32>(at, 16);
  pairMask = load<u32>(at, 20);
  root3 = header + load<u32>(at, 24);
  seams = header + load<u32>(at, 28);
  pairFilter = header + load<u32>(at, 32);
  pairFilterMask = load<u32>(at, 36);
  pattern = load<u32>(at, 40);
  wholes = header + load<u32>(at, 44);
  wholeMask = load<u32>(at, 48);
  wideClasses = header + load<u32>(at, 52);
  cacheTag = <u64>(e + 1) << 48;
}

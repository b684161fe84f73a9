// From a tiktoken vocabulary (ranks in base64) to the tables of the linear BPE: trie, splits, prefixes, pairs.
import { packTrie } from './trie.mjs';

const NONE = 0xffffffff;

/** The tokens of an encoder file as latin1 strings, index = rank. */
export function readTokens(encoder) {
  const tokens = [];
  for (const line of encoder.bpe_ranks.split('\n')) {
    const [, first, ...words] = line.split(' ');
    let rank = Number(first);
    for (const w of words) tokens[rank++] = Buffer.from(w, 'base64').toString('latin1');
  }
  for (let i = 0; i < tokens.length; i++)
    if (tokens[i] === undefined) throw new Error(`no token of rank ${i}`);
  return tokens;
}

export function pairHash(left, right) {
  let h = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
  h ^= h >>> 15;
  return h >>> 0;
}

/** Bytes of the longest token that only a whole piece can be. */
const WHOLE_MAX = 40;

export function wholeHash(text) {
  let h = text.length;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h ^ (h >>> 15)) >>> 0;
}

function packWholes(tokens, ids) {
  if (ids.size === 0) return { table: new Uint8Array(0), mask: 0 };
  let slots = 2;
  while (slots < ids.size * 3) slots *= 2;
  const table = Buffer.alloc(slots * 48);
  for (const id of ids) {
    const text = tokens[id];
    if (text.length > WHOLE_MAX) throw new Error(`token ${id} cannot be reached by merges and is too long`);
    let i = wholeHash(text) & (slots - 1);
    while (table.readUInt32LE(i * 48) !== 0) i = (i + 1) & (slots - 1);
    table.writeUInt32LE(text.length, i * 48);
    table.writeUInt32LE(id, i * 48 + 4);
    table.write(text, i * 48 + 8, 'latin1');
  }
  return { table, mask: slots - 1 };
}

/**
 * @param tokens latin1 strings in the order of their merges
 * @param lefts where the vocabulary lists its merges: for each token behind the single bytes, the left halves it may be
 *   merged from. A vocabulary whose lists say otherwise than its ranks is refused: its counts would be others.
 * @param wholePieces a piece that equals a token is that token, also one that merging cannot reach
 * @returns tables as little-endian bytes:
 *  - `trie`: see trie.mjs, `root` its first base
 *  - `tokens`: 16 bytes each: u32 left, right (the merge that makes it; itself for single bytes), next shorter
 *     token that is a prefix (NONE if none), byte length
 *  - `pairs`: open-addressed u32 slots: (token + 1) | fingerprint << 18; 0 is empty; the pair is the token's own split
 *  - `filter`: bit pairHash(a, b) & filterMask is set when (a, b) may be in `pairs`
 *  - `wholes`: open-addressed slots of 48 bytes for tokens that only a whole piece can be: u32 length (0: empty), u32 token,
 *     bytes; `wholeMask` 0: there are none
 *  - `texts`: the tokens as latin1 strings
 */
export function packVocabulary(tokens, { lefts, wholePieces = false } = {}) {
  const n = tokens.length;
  if (n >= 1 << 18) throw new Error('token ids must fit 18 bits');
  if (tokens.some((t) => t.length > 128)) throw new Error('a token is longer than 128 bytes');
  const ranks = new Map(tokens.map((t, i) => [t, i]));
  const order = tokens.map((_, i) => i).sort((a, b) => (tokens[a] < tokens[b] ? -1 : 1));

  // Longest proper prefix that is a token: in sorted order the candidates are a stack of open prefixes.
  const info = new Uint32Array(n * 4);
  const open = [];
  for (const id of order) {
    while (open.length > 0 && !tokens[id].startsWith(tokens[open[open.length - 1]])) open.pop();
    info[id * 4 + 2] = open.length > 0 ? open[open.length - 1] : NONE;
    info[id * 4 + 3] = tokens[id].length;
    open.push(id);
  }

  // One bit a hash: nearly every question about a pair is answered "no" here, in a table small enough for the L2 cache.
  let filterBits = 1 << 13;
  while (filterBits < n * 8) filterBits *= 2;
  const filter = new Uint8Array(filterBits >> 3);
  let slots = 1 << 10;
  while (slots < n * 2) slots *= 2;
  const pairs = new Uint32Array(slots);
  const mask = slots - 1;
  const pairOf = (a, b) => {
    const h = pairHash(a, b);
    for (let i = h & mask; pairs[i] !== 0; i = (i + 1) & mask) {
      const t = (pairs[i] & 0x3ffff) - 1;
      if (info[t * 4] === a && info[t * 4 + 1] === b) return t;
    }
    return NONE;
  };

  // Is `a` followed by `b` what byte pair encoding makes of their bytes? Undo merges on both sides of the border
  // and ask whether a merge across it would have come first. Method: GitHub's rust-gems, crates/bpe.
  const valid = (first, second) => {
    let a = first;
    let b = second;
    let limit = NONE;
    for (;;) {
      const joined = pairOf(a, b);
      if (joined !== NONE && joined < limit) return false;
      if (a > b) {
        limit = a;
        a = info[a * 4 + 1];
        if (a === limit) {
          limit = b + 1;
          b = info[b * 4];
          if (b + 1 === limit) return true;
        }
      } else {
        limit = b + 1;
        b = info[b * 4];
        if (b + 1 === limit) {
          limit = a;
          a = info[a * 4 + 1];
          if (a === limit) return true;
        }
      }
    }
  };

  const bytes = new Uint32Array(256).fill(NONE);
  const unreachable = new Set();
  for (let id = 0; id < n; id++) {
    const text = tokens[id];
    info[id * 4] = id;
    info[id * 4 + 1] = id;
    if (text.length === 1) {
      bytes[text.charCodeAt(0)] = id;
      continue;
    }
    let found = false;
    for (let a = info[id * 4 + 2]; a !== NONE && !found; a = info[a * 4 + 2]) {
      const b = ranks.get(text.slice(tokens[a].length));
      if (b === undefined || a >= id || b >= id || unreachable.has(a) || unreachable.has(b)) continue;
      if (!valid(a, b)) continue;
      if (lefts !== undefined && !lefts[id - 256].includes(tokens[a]))
        throw new Error(`the merges of token ${id} are not what its rank makes of it`);
      info[id * 4] = a;
      info[id * 4 + 1] = b;
      const h = pairHash(a, b);
      let i = h & mask;
      while (pairs[i] !== 0) i = (i + 1) & mask;
      pairs[i] = (id + 1) | ((h >>> 18) << 18);
      const bit = h & (filterBits - 1);
      filter[bit >> 3] |= 1 << (bit & 7);
      found = true;
    }
    // Such a token can only come from a piece that equals it.
    if (!found && !wholePieces) throw new Error(`token ${id} cannot be reached by merges`);
    if (!found) unreachable.add(id);
  }
  if (bytes.includes(NONE)) throw new Error('a single byte has no token');

  for (let id = 0; id < n; id++)
    while (unreachable.has(info[id * 4 + 2])) info[id * 4 + 2] = info[info[id * 4 + 2] * 4 + 2];
  const reachable = unreachable.size === 0 ? order : order.filter((id) => !unreachable.has(id));
  const wholes = packWholes(tokens, unreachable);
  const trie = packTrie(
    reachable.map((id) => tokens[id]),
    reachable,
    1 << (n > 150_000 ? 20 : 19),
  );
  const raw = (a) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
  return {
    n,
    texts: tokens,
    root: trie.root,
    trie: raw(trie.words),
    tokens: raw(info),
    pairs: raw(pairs),
    pairMask: mask,
    filter,
    filterMask: filterBits - 1,
    wholes: wholes.table,
    wholeMask: wholes.mask,
  };
}

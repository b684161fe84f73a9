// A double-array trie over byte strings: one 8-byte load a step. Knows nothing of tokenizers.

/** A node's 9-bit label when the slot is free: no byte equals it. */
const FREE = 0x1ff;

/**
 * Node layout, two u32 a slot: low = label (bits 0-8) | base << 9, high = value + 1 (0: no value).
 * The child of base `b` by byte `c` sits in slot `b ^ c` and carries label `c`. Every base is used by one
 * node only, so the label alone proves the parent. Base 0 means "no children": slots 0-255 stay free.
 *
 * @param keys sorted, distinct latin1 strings (one char a byte)
 * @param values the value of each key
 * @returns {{words: Uint32Array, root: number}}
 */
export function packTrie(keys, values, capacity) {
  const words = new Uint32Array(capacity * 2);
  for (let i = 0; i < capacity; i++) words[i * 2] = FREE;
  const usedBase = new Uint8Array(capacity);
  const freeCount = new Uint16Array(capacity >> 8).fill(256);
  const misses = new Uint8Array(capacity >> 8);
  usedBase[0] = 1;
  let open = [1];
  let top = 2; // first block never touched
  const isFree = (slot) => words[slot * 2] === FREE;

  function place(labels) {
    for (let round = 0; round < 2; round++) {
      for (let k = open.length - 1; k >= 0; k--) {
        const block = open[k];
        if (freeCount[block] < labels.length) continue;
        const from = block << 8;
        for (let b = from; b < from + 256; b++) {
          if (usedBase[b] || !isFree(b ^ labels[0])) continue;
          let ok = true;
          for (let i = 1; i < labels.length && ok; i++) ok = isFree(b ^ labels[i]);
          if (ok) return b;
        }
        // A block that keeps refusing is nearly full: stop asking it, or packing turns quadratic.
        if (++misses[block] > 24 || freeCount[block] < 4) {
          open[k] = open[open.length - 1];
          open.pop();
        }
      }
      if (top >= capacity >> 8) throw new Error('trie capacity too small');
      open.push(top++);
    }
    throw new Error('no room for a node');
  }

  // Ranges of sorted keys that share a prefix; an explicit stack, since keys may be 128 bytes deep.
  const stack = [[0, keys.length, 0, -1]];
  let root = 0;
  while (stack.length > 0) {
    const [from, to, depth, slot] = stack.pop();
    let lo = from;
    if (slot >= 0 && keys[lo].length === depth) {
      words[slot * 2 + 1] = values[lo] + 1;
      lo++;
    }
    if (lo === to) continue;
    const labels = [];
    const starts = [];
    for (let i = lo; i < to; i++) {
      const c = keys[i].charCodeAt(depth);
      if (labels.length === 0 || labels[labels.length - 1] !== c) {
        labels.push(c);
        starts.push(i);
      }
    }
    starts.push(to);
    const base = place(labels);
    usedBase[base] = 1;
    if (slot >= 0) words[slot * 2] |= base << 9;
    else root = base;
    for (let i = 0; i < labels.length; i++) {
      const child = base ^ labels[i];
      words[child * 2] = labels[i];
      freeCount[child >> 8]--;
      stack.push([starts[i], starts[i + 1], depth + 1, child]);
    }
  }
  open = [];
  return { words: words.slice(0, top * 512), root };
}

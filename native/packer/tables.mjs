// The blob of shared tables: classes, key masks and both vocabularies, with a header of offsets that
// native/assembly/layout.ts reads. All numbers little-endian u32, all offsets from the blob's start, 64-byte aligned.
import { CLASS, classBytes, classTables, passClasses } from './classes.mjs';
import { seams } from './seams.mjs';
import { packVocabulary } from './vocabulary.mjs';
import { wideClasses } from './wide-classes.mjs';

/** 'ctok' and the layout's version. */
export const MAGIC = 0x6b6f7463;
export const VERSION = 4;

/** Masks that keep the first n bytes of 16, n = 0..15 (a key has at most 14). */
function keyMasks() {
  const masks = new Uint8Array(256);
  for (let n = 0; n < 16; n++) masks.fill(0xff, n * 16, n * 16 + n);
  return masks;
}

/**
 * For the 65,536 three-byte forms 1110xxxx 10xxxxxx 10xxxxxx: u32 base of the trie node behind the three bytes
 * (0: nothing longer), u32 longest token within them + 1.
 */
function threeByteRoots(trie, root) {
  const words = new Uint32Array(trie.buffer, trie.byteOffset, trie.byteLength >> 2);
  const out = new Uint32Array(65536 * 2);
  for (let i = 0; i < 65536; i++) {
    let base = root;
    let best = 0;
    for (const c of [0xe0 | (i >> 12), 0x80 | ((i >> 6) & 63), 0x80 | (i & 63)]) {
      const slot = base ^ c;
      if (base === 0 || (words[slot * 2] & 0x1ff) !== c) {
        base = 0;
        break;
      }
      if (words[slot * 2 + 1] !== 0) best = words[slot * 2 + 1];
      base = words[slot * 2] >>> 9;
    }
    out[i * 2] = base;
    out[i * 2 + 1] = best;
  }
  return new Uint8Array(out.buffer);
}

/** How the text is split; native/assembly/layout.ts holds the same numbers. */
export const PATTERN = { o200k: 0, cl100k: 1, qwen: 2, deepseek: 3 };

/**
 * @param encodings lists of tokens as latin1 strings in the order of their merges, each with the name of its PATTERN.
 *   DeepSeek has classes of its own, so it stands in a blob alone.
 */
export function packTables(data, encodings) {
  const header = new Uint32Array(64);
  const parts = [];
  let size = header.byteLength;
  const add = (bytes) => {
    const at = size;
    parts.push([at, bytes]);
    size = (size + bytes.length + 63) & ~63;
    return at;
  };
  const vocabularies = encodings.map((e) => packVocabulary(e.tokens, e));
  const borders = vocabularies.map((v) => seams(v.texts));
  const classes = classTables(
    encodings.some((e) => e.pattern === 'deepseek')
      ? passClasses(data.classes, data.punctuation)
      : classBytes(data.classes),
  );
  for (const b of borders) {
    for (const c of b.before) classes.bmp[c] |= CLASS.NO_SEAM_BEFORE;
    for (const c of b.after) classes.bmp[c] |= CLASS.NO_SEAM_AFTER;
  }
  header.set([MAGIC, VERSION, add(classes.bmp), add(classes.index), add(classes.blocks), add(keyMasks())]);
  vocabularies.forEach((v, e) => {
    const roots = threeByteRoots(v.trie, v.root);
    const row = [v.n, v.root, add(v.trie), add(v.tokens), add(v.pairs), v.pairMask, add(roots)];
    const tail = [
      add(borders[e].pairs),
      add(v.filter),
      v.filterMask,
      PATTERN[encodings[e].pattern],
      add(v.wholes),
      v.wholeMask,
      add(wideClasses(classes.bmp, v.texts, borders[e])),
    ];
    header.set([...row, ...tail], 8 + e * 16);
  });
  const blob = new Uint8Array(size);
  blob.set(new Uint8Array(header.buffer), 0);
  for (const [at, bytes] of parts) blob.set(bytes, at);
  return blob;
}

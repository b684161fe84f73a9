// Texts as UTF-8 bytes in shared memory: pointer and length cross to the worker, never a cloned string.
// A shard runs one batch at a time, so a batch has the whole arena and nothing needs a ring or a lock.
//
// Layout, in bytes: offsets (n + 1 uint32, positions of the texts, relative to the text area), counts (n uint32, written
// by the worker), then the texts one after another.

/** The parts of an arena that holds `n` texts. */
export interface ArenaView {
  /** n + 1 positions in `bytes`; text i is offsets[i] to offsets[i + 1]. */
  offsets: Uint32Array;
  /** One count a text. */
  counts: Uint32Array;
  bytes: Uint8Array;
}

/** Bytes before the text area for `n` texts. */
function tableBytes(n: number): number {
  return (2 * n + 1) * 4;
}

/** Most bytes the texts can need; UTF-16 units take at most three UTF-8 bytes each. */
export function upperBytes(text: string | Uint8Array): number {
  return typeof text === 'string' ? text.length * 3 : text.length;
}

/** Bytes a text needs. */
export function exactBytes(text: string | Uint8Array): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length;
}

/** Room that `n` texts of together `textBytes` bytes (an upper bound) need. */
export function arenaNeed(n: number, textBytes: number): number {
  return tableBytes(n) + textBytes;
}

/** The three parts of a buffer that holds `n` texts. */
export function viewArena(buffer: SharedArrayBuffer, n: number): ArenaView {
  return {
    offsets: new Uint32Array(buffer, 0, n + 1),
    counts: new Uint32Array(buffer, (n + 1) * 4, n),
    bytes: new Uint8Array(buffer, tableBytes(n)),
  };
}

/**
 * Writes texts into the view, in order, from text index `first` on. Lone surrogates become U+FFFD, as in
 * every UTF-8 encoder. The caller made sure that they fit.
 */
export class ArenaWriter {
  readonly view: ArenaView;
  readonly #text: Buffer;
  #at = 0;
  #i = 0;

  constructor(buffer: SharedArrayBuffer, n: number) {
    this.view = viewArena(buffer, n);
    this.#text = Buffer.from(buffer, tableBytes(n));
    this.view.offsets[0] = 0;
  }

  push(text: string | Uint8Array): void {
    if (typeof text === 'string') {
      this.#at += this.#text.write(text, this.#at, 'utf8');
    } else {
      this.view.bytes.set(text, this.#at);
      this.#at += text.length;
    }
    this.view.offsets[++this.#i] = this.#at;
  }
}

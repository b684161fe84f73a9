// The texts of a snapshot: short ones stand in it, long ones stay where the journal has them, as blobs that it names.

import { BLOB_BYTES, textBlob } from '../../journal/index.js';

/** A surrogate without its other half: nothing that came by the wire has one. */
const LONE = /\p{Surrogate}/u;

/** A text as the state's JSON holds it: UTF-8 bytes of it in the part behind, the blob with it, or what UTF-8 cannot hold itself. */
export type TextRef = number | string | readonly [string];

/** Gathers texts in the order in which they are asked for again. */
export class TextWriter {
  readonly #texts: string[] = [];
  bytes = 0;
  /** Those that it names. */
  readonly blobs = new Set<string>();

  /** @param text exact JSON text of a message or a part of the request */
  ref(text: string): TextRef {
    if (LONE.test(text)) return [text];
    if (text.length > BLOB_BYTES) {
      const { hash } = textBlob(text).blob;
      this.blobs.add(hash);
      return hash;
    }
    const bytes = Buffer.byteLength(text);
    this.#texts.push(text);
    this.bytes += bytes;
    return bytes;
  }

  writeTo(out: Buffer, offset: number): void {
    let at = offset;
    for (const text of this.#texts) at += out.write(text, at);
  }
}

/** Gives them back, in the same order. */
export class TextReader {
  readonly #body: Buffer;
  #at: number;
  readonly #blobs: ReadonlyMap<string, Uint8Array>;

  constructor(body: Buffer, from: number, blobs: ReadonlyMap<string, Uint8Array>) {
    this.#body = body;
    this.#at = from;
    this.#blobs = blobs;
  }

  /** Throws when it is not there. */
  text(ref: TextRef): string {
    if (typeof ref === 'number') {
      const text = this.#body.toString('utf8', this.#at, this.#at + ref);
      this.#at += ref;
      return text;
    }
    if (typeof ref === 'object') return ref[0];
    const bytes = this.#blobs.get(ref);
    if (bytes === undefined) throw new MissingText(ref);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  get atEnd(): boolean {
    return this.#at === this.#body.length;
  }
}

export class MissingText extends Error {}

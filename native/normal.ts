// A tokenizer whose vocabulary wants its texts in Unicode's normal form C first. ASCII is in that form already.
import type { Appending } from './appender.js';
import type { ClassCounts } from './content.js';
import type { Encoding } from './encodings.js';
import type { Text } from './passage.js';
import type { Tokenizer, Truncated } from './tokenizer.js';

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

export class NormalTokenizer implements Tokenizer {
  readonly #inner: Tokenizer;

  constructor(inner: Tokenizer) {
    this.#inner = inner;
  }

  count(text: Text, encoding: Encoding): number {
    return this.#inner.count(normal(text), encoding);
  }

  countMany(texts: readonly Text[], encoding: Encoding): Uint32Array {
    return this.#inner.countMany(texts.map(normal), encoding);
  }

  countManyAt(bytes: Uint8Array, offsets: Uint32Array, encoding: Encoding): Uint32Array {
    const texts: Uint8Array[] = [];
    for (let i = 0; i + 1 < offsets.length; i++) texts.push(bytes.subarray(offsets[i]!, offsets[i + 1]!));
    // Only what is there is checked: falling or outlying offsets are told by the core.
    if (texts.every(isAscii)) return this.#inner.countManyAt(bytes, offsets, encoding);
    return this.countMany(texts, encoding);
  }

  countUpTo(text: Text, limit: number, encoding: Encoding): number {
    return this.#inner.countUpTo(normal(text), limit, encoding);
  }

  /** The text comes back in the normal form. */
  truncate(text: string, maxTokens: number, encoding: Encoding): Truncated {
    return this.#inner.truncate(normal(text) as string, maxTokens, encoding);
  }

  /** A character may join with the part before it, so the whole is counted at each append: O(text). */
  appender(encoding: Encoding): Appending {
    let text = '';
    let tokens = 0;
    return {
      append: (part) => {
        text += part;
        tokens = this.count(text, encoding);
        return tokens;
      },
      get tokens() {
        return tokens;
      },
    };
  }

  classes(text: Text, encoding: Encoding): ClassCounts {
    return this.#inner.classes(normal(text), encoding);
  }

  dispose(): void {
    this.#inner.dispose();
  }
}

function normal(text: Text): Text {
  if (typeof text !== 'string') {
    if (isAscii(text)) return text;
    return normal(lossy.decode(text.buffer instanceof SharedArrayBuffer ? text.slice() : text));
  }
  return /[^\x00-\x7f]/.test(text) ? text.normalize('NFC') : text;
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! > 127) return false;
  return true;
}

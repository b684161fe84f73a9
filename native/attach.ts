// A thread's tokenizer: the built-in encodings over the process's tables, and optional vocabularies as they are asked for.
import type { Appending } from './appender.js';
import type { ClassCounts } from './content.js';
import { type Encoding, isOptional, OPTIONAL_VOCABULARIES, type OptionalEncoding } from './encodings.js';
import { NormalTokenizer } from './normal.js';
import { optionalTables } from './optional.js';
import type { Text } from './passage.js';
import { loadTables, type SharedTables } from './tables.js';
import { CoreTokenizer, type Tokenizer, type Truncated } from './tokenizer.js';

/** A tokenizer of this thread. `tables`: what the main thread's `loadTables` gave; without it they are loaded here. */
export function attach(tables?: SharedTables): Tokenizer {
  return new Tokenizers(tables ?? loadTables());
}

class Tokenizers implements Tokenizer {
  readonly #own: CoreTokenizer;
  readonly #optional = new Map<OptionalEncoding, Tokenizer>();

  constructor(tables: SharedTables) {
    this.#own = new CoreTokenizer(tables);
  }

  count(text: Text, encoding: Encoding): number {
    return this.#of(encoding).count(text, encoding);
  }

  countMany(texts: readonly Text[], encoding: Encoding): Uint32Array {
    return this.#of(encoding).countMany(texts, encoding);
  }

  countManyAt(bytes: Uint8Array, offsets: Uint32Array, encoding: Encoding): Uint32Array {
    return this.#of(encoding).countManyAt(bytes, offsets, encoding);
  }

  countUpTo(text: Text, limit: number, encoding: Encoding): number {
    return this.#of(encoding).countUpTo(text, limit, encoding);
  }

  truncate(text: string, maxTokens: number, encoding: Encoding): Truncated {
    return this.#of(encoding).truncate(text, maxTokens, encoding);
  }

  appender(encoding: Encoding): Appending {
    return this.#of(encoding).appender(encoding);
  }

  classes(text: Text, encoding: Encoding): ClassCounts {
    return this.#of(encoding).classes(text, encoding);
  }

  dispose(): void {
    this.#own.dispose();
    for (const one of this.#optional.values()) one.dispose();
    this.#optional.clear();
  }

  #of(encoding: Encoding): Tokenizer {
    if (!isOptional(encoding)) return this.#own;
    let one = this.#optional.get(encoding);
    if (one === undefined) {
      const core = new CoreTokenizer(optionalTables(encoding), encoding);
      one = OPTIONAL_VOCABULARIES[encoding].form === 'NFC' ? new NormalTokenizer(core) : core;
      this.#optional.set(encoding, one);
    }
    return one;
  }
}

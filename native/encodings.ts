// The encodings the core counts exactly. Names as the vocabularies' publishers write them.

/** An encoding with exact, linear counting in WASM. */
export type Encoding = 'o200k_base' | 'cl100k_base';

const ENCODINGS: readonly Encoding[] = ['o200k_base', 'cl100k_base'];

/** The encodings `Tokenizer` takes. For others see `fallbackCount`. */
export function supportedEncodings(): readonly Encoding[] {
  return ENCODINGS;
}

/** The core's number of an encoding; -1 when it has none. */
export function encodingIndex(encoding: string): number {
  return encoding === 'o200k_base' ? 0 : encoding === 'cl100k_base' ? 1 : -1;
}

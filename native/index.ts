// The token core's door: what other rooms may import of native/.

export type { Appending } from './appender.js';
export { attach } from './attach.js';
export { type ClassCounts, CONTENT_CLASSES, type ContentClass } from './content.js';
export { reclaim } from './core.js';
export {
  type BuiltInEncoding,
  type Encoding,
  isOptional,
  OPTIONAL_VOCABULARIES,
  type OptionalEncoding,
  supportedEncodings,
} from './encodings.js';
export { fallbackCount, fallbackEncodings } from './fallback.js';
export { addVocabulary, hasVocabulary, vocabularyFile, vocabularySource } from './optional.js';
export type { Text } from './passage.js';
export { type Capabilities, capabilities, loadTables, type SharedTables } from './tables.js';
export type { Tokenizer, Truncated } from './tokenizer.js';

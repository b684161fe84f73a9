// The token core's door: what other rooms may import of native/.

export type { Appending } from './appender.js';
export { type ClassCounts, CONTENT_CLASSES, type ContentClass } from './content.js';
export { reclaim } from './core.js';
export { type Encoding, supportedEncodings } from './encodings.js';
export { fallbackCount, fallbackEncodings } from './fallback.js';
export type { Text } from './passage.js';
export { type Capabilities, capabilities, loadTables, type SharedTables } from './tables.js';
export { attach, type Tokenizer, type Truncated } from './tokenizer.js';

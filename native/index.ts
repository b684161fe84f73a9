// The token core's door: what other rooms may import of native/.

export type { Appending } from './appender.js';
export { type Encoding, supportedEncodings } from './encodings.js';
export { type Capabilities, capabilities, loadTables, type SharedTables } from './tables.js';
export { attach, type Text, type Tokenizer, type Truncated } from './tokenizer.js';

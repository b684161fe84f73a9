// The door of the JSON room: exact texts in, exact texts out.
export { canonicalize, canonicalValue } from './canonical.js';
export { canonicalText } from './canonical-text.js';
export { changesOf, type TextChange } from './diff.js';
export { applyEdits, type TextEdit } from './edits.js';
export { jsonBytesRoom, writeJsonBytes } from './json-bytes.js';
export { hasLone } from './lone.js';
export { child, locate, type Path, pointer, valueAt } from './path.js';
export { RawJson, writeJson } from './raw.js';
export { sliceIn, sliceValue, sliceValues, withValue } from './slice.js';
export { type JsonNode, MAX_DEPTH, parseTree, stringAt } from './tree.js';

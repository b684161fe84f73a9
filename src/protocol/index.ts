// The door of the protocol room.
export { type Codec, type CodecOptions, codecFor } from './codec.js';
export { ENTRIES } from './entries.js';
export {
  EVENTS,
  type EventHead,
  type EventName,
  eventHead,
  SIGNALS,
} from './events.js';
export {
  type Call,
  CallLedger,
  type Id,
  type Incoming,
  type Outgoing,
  type WireError,
} from './jsonrpc.js';
export {
  type Admission,
  admit,
  type ConnectionEvent,
  type ConnectionState,
  checkVersion,
  LIFECYCLE,
  type Transition,
  transition,
} from './lifecycle.js';
export {
  isMethod,
  METHODS,
  type MethodName,
  type Params,
  type Result,
  type WireParams,
  type WireResult,
} from './methods.js';
export { methodSchemas, type ObjectSchema, openRpcDocument } from './openrpc.js';
export { MAX_ANSWER_DEPTH, MAX_FRAME_DEPTH } from './piece.js';
export { isAllowed, type MethodScope, READING, scopeOf } from './scopes.js';
export {
  SERVER_REQUESTS,
  type ServerParams,
  type ServerRequestName,
  type ServerResult,
  type WireServerParams,
} from './server-requests.js';
export { type Checked, check, checkServerResult } from './validate.js';
export {
  FORMATS,
  isExemptTask,
  isKnownTask,
  PRESETS,
  PROTOCOL_VERSION,
  type PresetName,
  SCHEMA_VERSION,
  SUBPROTOCOLS,
  type Subprotocol,
} from './vocabulary.js';

// What other rooms may use of the gate.
export { AlreadyRunningError } from './already-running.js';
export { CLOSE, type GateConnection } from './connection.js';
export { createGate, DEFAULT_PORT, type Gate, type GateOptions, type Listening } from './gate.js';
export type { GateLog, GateMetrics, HttpAnswer, HttpRoute, Transport, Wire } from './ports.js';
export {
  addNamedToken,
  loadTokens,
  namedTokens,
  namedTokensPath,
  readTokens,
  revokeNamedToken,
} from './token-file.js';
export {
  hashToken,
  OWNER,
  type Principal,
  SCOPES,
  type Scope,
  type TokenEntry,
  TokenTable,
} from './token-table.js';
export { TokenWatch } from './token-watch.js';

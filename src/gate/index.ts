// What other rooms may use of the gate.
export { AlreadyRunningError } from './already-running.js';
export { CLOSE, type GateConnection } from './connection.js';
export { createGate, DEFAULT_PORT, type Gate, type GateOptions, type Listening } from './gate.js';
export type { GateLog, GateMetrics, HttpAnswer, HttpRoute, Transport, Wire } from './ports.js';
export { addNamedToken, loadTokens, namedTokensPath, readTokens } from './token-file.js';
export { hashToken, type Principal, SCOPES, type Scope, type TokenEntry, TokenTable } from './token-table.js';

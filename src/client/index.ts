// The SDK that agents import.
export { type AgentIdentity, agentIdentity } from './agent-identity.js';
export { type Answer, AnswerStream, withBetas } from './answer-stream.js';
export type { CallOptions, SessionMethod, SessionParams } from './caller.js';
export { Client, type ConnectOptions, connect } from './client.js';
export { type DurableBlock, DurableState, type TodoItem } from './durable.js';
export { ClientError, type ClientErrorCode } from './errors.js';
export { type CuratedEvent, EventStream } from './event-stream.js';
export { applyPatch, type PatchOp } from './patch.js';
export type { Backoff } from './retry.js';
export { type Prepared, type PreparedRequest, Session } from './session.js';

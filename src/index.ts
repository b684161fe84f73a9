// The public API: what an agent in TypeScript imports.

export {
  answerContextRecall,
  CONTEXT_RECALL,
  type ContextRecallArguments,
  contextRecallTool,
} from './client/context-recall.js';
export {
  type AgentIdentity,
  type Answer,
  AnswerStream,
  agentIdentity,
  applyPatch,
  type Backoff,
  type CallOptions,
  Client,
  ClientError,
  type ClientErrorCode,
  type ConnectOptions,
  type CuratedEvent,
  connect,
  type DurableBlock,
  DurableState,
  EventStream,
  type PatchOp,
  type Prepared,
  type PreparedRequest,
  Session,
  type SessionMethod,
  type SessionParams,
  type TodoItem,
  withBetas,
} from './client/index.js';
export { CuratedError, ERROR_KINDS, type ErrorKind } from './errors.js';
export { type Environment, type Paths, resolvePaths } from './paths.js';
export type { MethodName, WireParams, WireResult } from './protocol/index.js';
export { VERSION } from './version.js';

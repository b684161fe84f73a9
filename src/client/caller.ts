// The shapes of calling that client, session and durable state share.
import type { Native } from '../json/native.js';
import type { MethodName, WireParams, WireResult } from '../protocol/index.js';
import type { EventStream } from './event-stream.js';

export interface CallOptions {
  /** In ms, in the place of the client's own; after it ClientError TIMEOUT, and the call may still take effect. */
  timeoutMs?: number;
  /** Gives up waiting, with the signal's own reason; the call may still take effect. */
  signal?: AbortSignal;
}

/** Methods whose params name a session. */
export type SessionMethod = {
  [M in MethodName]: WireParams<M> extends { session: string } ? M : never;
}[MethodName];
/** Params of such a method without the session. */
export type SessionParams<M extends SessionMethod> = Omit<WireParams<M>, 'session'>;

/** What a session needs of its client. */
export interface Caller {
  call<M extends MethodName>(method: M, params: WireParams<M>, options?: CallOptions): Promise<WireResult<M>>;
  callRaw<M extends MethodName>(method: M, params: WireParams<M>, options?: CallOptions): Promise<Native>;
  events(session: string, fromSeq?: number): Promise<EventStream>;
  release(session: string): void;
  unread(session: string): void;
}

/** What durable state needs of its session. */
export interface SessionCaller {
  call<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options?: CallOptions,
  ): Promise<WireResult<M>>;
}

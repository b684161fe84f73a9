// What can go wrong between client and daemon, and the daemon's own errors as the class everyone knows.
import { CuratedError, ERROR_KINDS, type ErrorKind } from '../errors.js';
import type { WireError } from '../protocol/index.js';

export type ClientErrorCode =
  /** The connection went away before the answer came, and the call could not be repeated safely. */
  | 'CONNECTION_LOST'
  /** No answer within the time given. The call may still take effect. */
  | 'TIMEOUT'
  /** `close()` was called, or reconnecting was given up. */
  | 'CLOSED'
  /** There is no daemon to talk to, and autostart is off or failed. */
  | 'NOT_RUNNING'
  /** The daemon does not know the token, or the token file cannot be read. */
  | 'UNAUTHORIZED'
  /** A reader of events fell too far behind. */
  | 'OVERRUN'
  /** An RFC 6902 patch does not apply. */
  | 'PATCH';

/** A fault on this side of the wire; the daemon's faults are `CuratedError`. */
export class ClientError extends Error {
  constructor(
    readonly code: ClientErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ClientError';
  }

  get retryable(): boolean {
    return this.code === 'CONNECTION_LOST' || this.code === 'TIMEOUT' || this.code === 'NOT_RUNNING';
  }
}

/** The error object of a response as a CuratedError; a kind that this version does not know becomes INTERNAL. */
export function remoteError(e: WireError): CuratedError {
  const kind = e.data?.kind ?? '';
  const known = Object.hasOwn(ERROR_KINDS, kind) ? (kind as ErrorKind) : 'INTERNAL';
  return new CuratedError(known, e.message, { path: e.data?.path, detail: e.data?.detail });
}

// The one error class and the table of kinds (PROTOCOL 8). Foundation: imports nothing of ours.

interface KindRow {
  /** JSON-RPC error code on the wire. */
  code: number;
  /** May the same call succeed later without being changed? */
  retryable: boolean;
  /** What the kind means, in one sentence, for people. */
  text: string;
  /** The name in `data.kind`, where JSON-RPC has a code of its own for a kind of PROTOCOL 8. */
  wire?: string;
  /** WebSocket close code, where the kind ends the connection. */
  close?: number;
}

/** Every kind of error that crosses the wire. JSON-RPC's own codes for framing, -32000 for the product's kinds. */
export const ERROR_KINDS = {
  INVALID_REQUEST: {
    code: -32600,
    retryable: false,
    text: 'this is no JSON-RPC 2.0 message',
    wire: 'BAD_FRAME',
  },
  METHOD_NOT_FOUND: { code: -32601, retryable: false, text: 'there is no such method', wire: 'UNSUPPORTED' },
  NOT_INITIALIZED: { code: -32000, retryable: false, text: 'initialize must be the first call' },
  UNKNOWN_SESSION: { code: -32000, retryable: false, text: 'there is no such session for this token' },
  BAD_FRAME: { code: -32700, retryable: false, text: 'the frame cannot be decoded' },
  BAD_TYPE: { code: -32602, retryable: false, text: 'a value has the wrong type' },
  BAD_UTF8: { code: -32700, retryable: false, text: 'the frame holds invalid UTF-8' },
  UNKNOWN_FIELD: { code: -32602, retryable: false, text: 'a field is not known here' },
  LIMIT: { code: -32000, retryable: false, text: 'a limit is exceeded' },
  BUSY: { code: -32000, retryable: true, text: 'a bounded queue is full' },
  PAIRING: { code: -32000, retryable: false, text: 'tool calls and results cannot be paired' },
  INVALID_MESSAGES: { code: -32000, retryable: false, text: 'the messages cannot be made a valid request' },
  FORBIDDEN_STATIC: { code: -32000, retryable: false, text: 'the static section is never edited' },
  FORBIDDEN_SCOPE: { code: -32000, retryable: false, text: 'the token does not have the scope for this' },
  BAD_VECTOR: { code: -32000, retryable: false, text: 'a vector is not usable' },
  CONFIG: { code: -32000, retryable: false, text: 'the configuration is not valid' },
  IDEMPOTENCY_CONFLICT: { code: -32000, retryable: false, text: 'the key was used with another body' },
  SEQ_GAP: { code: -32000, retryable: false, text: 'the sequence number is not one we have' },
  SUPERSEDED: { code: -32000, retryable: false, text: 'another connection holds the session', close: 4409 },
  CONTEXT_IRREDUCIBLE: { code: -32000, retryable: false, text: 'the request cannot be made to fit' },
  SUMMARY_FAILED: { code: -32000, retryable: true, text: 'the summary that had to come did not' },
  UNKNOWN_HANDLE: { code: -32000, retryable: false, text: 'there is no such handle for this token' },
  UNSUPPORTED: { code: -32000, retryable: false, text: 'this is not supported' },
  STORAGE_FULL: { code: -32000, retryable: true, text: 'the disk is full' },
  STORAGE: { code: -32000, retryable: true, text: 'the journal cannot be written or read' },
  SHARD_FAILED: { code: -32000, retryable: true, text: 'a worker failed twice on this task' },
  DRAINING: { code: -32000, retryable: true, text: 'the daemon is shutting down' },
  INTERNAL: { code: -32000, retryable: false, text: 'a fault of the daemon' },
} as const satisfies Record<string, KindRow>;

export type ErrorKind = keyof typeof ERROR_KINDS;

export interface ErrorExtra {
  /** JSON pointer of the offending value: into the params, of a fault of framing into the frame, of CONFIG into the configuration. */
  path?: string | undefined;
  /** Numbers and names that help; a JSON value. */
  detail?: unknown;
  cause?: unknown;
}

/** A fault with a stable kind. Validators return unions; this is thrown where a call ends. */
export class CuratedError extends Error {
  readonly kind: ErrorKind;
  readonly path?: string;
  readonly detail?: unknown;

  constructor(kind: ErrorKind, message?: string, extra: ErrorExtra = {}) {
    super(message ?? ERROR_KINDS[kind].text, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'CuratedError';
    this.kind = kind;
    if (extra.path !== undefined) this.path = extra.path;
    if (extra.detail !== undefined) this.detail = extra.detail;
  }

  get retryable(): boolean {
    return ERROR_KINDS[this.kind].retryable;
  }

  get code(): number {
    return ERROR_KINDS[this.kind].code;
  }

  /** The JSON-RPC error object of PROTOCOL 8. */
  toWire(): { code: number; message: string; data: Record<string, unknown> } {
    const row: KindRow = ERROR_KINDS[this.kind];
    const data: Record<string, unknown> = { kind: row.wire ?? this.kind, retryable: row.retryable };
    if (this.path !== undefined) data['path'] = this.path;
    if (this.detail !== undefined) data['detail'] = this.detail;
    return { code: this.code, message: this.message, data };
  }
}

/** Throws a CuratedError; an expression, so that it fits behind `??`. */
export function fail(kind: ErrorKind, message?: string, extra?: ErrorExtra): never {
  throw new CuratedError(kind, message, extra);
}

/** A name or a file that has to be new is there. */
export function exists(name: string): CuratedError {
  return new CuratedError('STORAGE', `${name} exists already`, { detail: { reason: 'exists' } });
}

/** The `reason` in an error's detail: a stable word by which callers tell faults of one kind apart (`exists`, `moved`, …). */
export function reasonOf(e: unknown): string | undefined {
  const detail = e instanceof CuratedError ? e.detail : undefined;
  const reason = (detail as { reason?: unknown } | null | undefined)?.reason;
  return typeof reason === 'string' ? reason : undefined;
}

/** Any thrown thing as a CuratedError; what is not ours becomes INTERNAL. */
export function asCuratedError(e: unknown): CuratedError {
  if (e instanceof CuratedError) return e;
  return new CuratedError('INTERNAL', e instanceof Error ? e.message : String(e), { cause: e });
}

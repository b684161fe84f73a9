// JSON-RPC 2.0 as both subprotocols speak it: what a frame is, and which calls are in flight. Pure.
import { CuratedError, fail } from '../errors.js';
import type { MethodName, Params } from './methods.js';
import { join, type Piece } from './piece.js';

export type Id = string | number;
/** Longest id of a call, in UTF-16 units. */
const MAX_ID_LENGTH = 256;

export interface WireError {
  code: number;
  message: string;
  data?: { kind: string; retryable: boolean; path?: string; detail?: unknown };
}

/** A call whose params have passed their schema; a discriminated union over all methods. */
export type Call = { [M in MethodName]: { method: M; params: Params<M> } }[MethodName];

export type Incoming =
  | ({ kind: 'request'; id: Id } & Call)
  /** A call that wants no answer; errors in it are answered with id null. */
  | ({ kind: 'notification' } & Call)
  | { kind: 'response'; id: Id; result: unknown }
  | { kind: 'response'; id: Id; error: WireError }
  /** Cannot be carried out; answer with `error`, and `id` null where none could be read. */
  | { kind: 'invalid'; id: Id | null; method?: string; error: CuratedError };

export type Outgoing =
  | { id: Id; result: unknown }
  | { id: Id | null; error: CuratedError | WireError }
  | { id: Id; method: string; params: unknown }
  | { method: string; params: unknown };

/** The outer members of a message, by their kinds. */
export type Envelope =
  | { kind: 'call'; id: Id | undefined; method: string; params: Piece | undefined }
  | { kind: 'response'; id: Id; result: Piece }
  | { kind: 'response'; id: Id; error: Piece };

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

function invalid(member: string, what: string): never {
  return fail('INVALID_REQUEST', `${member}: ${what}`, { path: `/${member}` });
}

/** An id is a string or a safe integer; anything else, null and -0 included, is refused. */
export function isId(v: unknown): v is Id {
  return typeof v === 'string' ? v.length <= MAX_ID_LENGTH : Number.isSafeInteger(v) && !Object.is(v, -0);
}

/** `seen.id` is set as soon as the id is known, so that later faults can be answered under it. */
export function readEnvelope(frame: Piece, seen: { id: Id | null; method?: string }): Envelope {
  if (frame.kind === 'array') {
    frame.items();
    fail('INVALID_REQUEST', 'batches are refused: send one message a frame');
  }
  if (frame.kind === 'scalar') {
    frame.lenient('');
    fail('INVALID_REQUEST', 'a message is an object');
  }
  let id: unknown;
  const members = frame.members((key, piece) => {
    if (key !== 'id') return;
    id = piece.lenient('/id');
    if (isId(id)) seen.id = id;
  });
  if (members.has('id') && !isId(id))
    invalid('id', `an id is an integer, or a string of at most ${MAX_ID_LENGTH} characters`);
  for (const key of members.keys())
    if (!MEMBERS.has(key))
      fail('UNKNOWN_FIELD', `${key}: no such field in a JSON-RPC message`, { path: join('', key) });
  if (members.get('jsonrpc')?.lenient('/jsonrpc') !== '2.0') invalid('jsonrpc', 'must be "2.0"');
  const methodPiece = members.get('method');
  const result = members.get('result');
  const error = members.get('error');
  if (methodPiece !== undefined) {
    const method = methodPiece.lenient('/method');
    if (typeof method !== 'string') invalid('method', 'a method is named by a string');
    seen.method = method;
    if (result !== undefined || error !== undefined) invalid('result', 'a call holds no result and no error');
    return { kind: 'call', id: isId(id) ? id : undefined, method, params: members.get('params') };
  }
  if (!isId(id)) return invalid('id', 'a message without method is a response and needs an id');
  if (result !== undefined && error === undefined) return { kind: 'response', id, result };
  if (error !== undefined && result === undefined) return { kind: 'response', id, error };
  return invalid('method', 'neither a call nor a response');
}

/** The error object of a response, whatever the other side put there. */
export function asWireError(v: unknown): WireError {
  const o = (typeof v === 'object' && v !== null ? v : {}) as Record<string, unknown>;
  const data = (typeof o['data'] === 'object' && o['data'] !== null ? o['data'] : {}) as Record<
    string,
    unknown
  >;
  return {
    code: typeof o['code'] === 'number' ? o['code'] : -32000,
    message: typeof o['message'] === 'string' ? o['message'] : 'an error without a message',
    data: {
      kind: typeof data['kind'] === 'string' ? data['kind'] : 'INTERNAL',
      retryable: data['retryable'] === true,
      ...(typeof data['path'] === 'string' ? { path: data['path'] } : {}),
      ...(data['detail'] === undefined ? {} : { detail: data['detail'] }),
    },
  };
}

/** The calls in flight on one connection, of both directions; `T` is what waits for a response. */
export class CallLedger<T> {
  readonly #incoming = new Set<Id>();
  readonly #outgoing = new Map<Id, T>();
  #next = 1;

  /** Number of the other side's calls that have no answer yet. */
  get inFlight(): number {
    return this.#incoming.size;
  }

  /** Number of our own calls that wait. */
  get waiting(): number {
    return this.#outgoing.size;
  }

  /** A call came in. Throws INVALID_REQUEST if its id is that of a call still in flight. */
  begin(id: Id): void {
    if (this.#incoming.has(id))
      fail('INVALID_REQUEST', `id: ${JSON.stringify(id)} belongs to a call still in flight`, { path: '/id' });
    this.#incoming.add(id);
  }

  /** Its answer went out. */
  end(id: Id): void {
    this.#incoming.delete(id);
  }

  /** A call of ours goes out; gives its id. */
  ask(waiter: T): number {
    const id = this.#next++;
    this.#outgoing.set(id, waiter);
    return id;
  }

  /** A response came in. Throws INVALID_REQUEST if no call of ours waits under its id. */
  settle(id: Id): T {
    const waiter = this.#outgoing.get(id);
    if (waiter === undefined)
      fail('INVALID_REQUEST', `id: no request ${JSON.stringify(id)} waits for a response`, { path: '/id' });
    this.#outgoing.delete(id);
    return waiter;
  }

  /** Gives up on a call of ours (deadline); its late response will be refused. */
  forget(id: Id): void {
    this.#outgoing.delete(id);
  }

  /** The connection is gone: everything that waits, for the caller to fail. */
  drain(): T[] {
    const all = [...this.#outgoing.values()];
    this.#outgoing.clear();
    this.#incoming.clear();
    return all;
  }
}

/** The error member of a response. */
export function errorMember(error: CuratedError | WireError): WireError | ReturnType<CuratedError['toWire']> {
  return error instanceof CuratedError ? error.toWire() : error;
}

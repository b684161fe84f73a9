// The life of a connection as a complete table: every state, every event. The types fail if a cell is missing. Pure.
import { CuratedError, type ErrorKind } from '../errors.js';
import type { Id, Incoming } from './jsonrpc.js';

/** fresh: before initialize; ready: calls are taken; draining: calls in flight end, no new ones; closed: for ever. */
export const STATES = ['fresh', 'ready', 'draining', 'closed'] as const;
export type ConnectionState = (typeof STATES)[number];

export const CONNECTION_EVENTS = [
  /** The call `initialize` came in. */
  'initialize',
  /** Any other call or notification came in. */
  'call',
  /** A response came in. */
  'response',
  /** A frame that cannot be carried out came in. */
  'bad_frame',
  /** A text frame on msgpack or a binary one on json. */
  'wrong_frame_type',
  /** WebSocket's own framing was broken. */
  'framing_error',
  /** A frame over the limit. */
  'too_big',
  /** A rule of conduct was broken: fragment or ping flood, half a message and then silence. */
  'policy',
  /** initialize did not come in time. */
  'handshake_timeout',
  /** The reader left too much unread. */
  'slow_consumer',
  /** The daemon began to shut down. */
  'drain',
  /** Its last answer has left. */
  'drained',
  /** The socket is gone. */
  'socket_closed',
] as const;
export type ConnectionEvent = (typeof CONNECTION_EVENTS)[number];

export interface Transition {
  to: ConnectionState;
  /** accept: carry it out; refuse: answer with `error`; close: end the socket with `code`; ignore: nothing. */
  act: 'accept' | 'refuse' | 'close' | 'ignore';
  /** The kind to refuse with; absent where the frame's own error is the answer. */
  error?: ErrorKind;
  /** WebSocket close code. */
  code?: number;
}

type Table = { [S in ConnectionState]: { [E in ConnectionEvent]: Transition } };

const stay = (to: ConnectionState): Transition => ({ to, act: 'ignore' });
const accept = (to: ConnectionState): Transition => ({ to, act: 'accept' });
const refuse = (to: ConnectionState, error?: ErrorKind): Transition => ({
  to,
  act: 'refuse',
  ...(error === undefined ? {} : { error }),
});
const close = (code: number): Transition => ({ to: 'closed', act: 'close', code });

/** What ends a living connection ends it in every state. */
const ends = {
  wrong_frame_type: close(1003),
  framing_error: close(1002),
  too_big: close(1009),
  policy: close(1008),
  slow_consumer: close(4429),
  socket_closed: { to: 'closed', act: 'accept' },
} as const satisfies Partial<Record<ConnectionEvent, Transition>>;

export const LIFECYCLE: Table = {
  fresh: {
    ...ends,
    initialize: accept('ready'),
    call: refuse('fresh', 'NOT_INITIALIZED'),
    response: refuse('fresh', 'NOT_INITIALIZED'),
    bad_frame: refuse('fresh'),
    handshake_timeout: close(4408),
    drain: accept('draining'),
    drained: stay('fresh'),
  },
  ready: {
    ...ends,
    initialize: refuse('ready', 'INVALID_REQUEST'),
    call: accept('ready'),
    response: accept('ready'),
    bad_frame: refuse('ready'),
    handshake_timeout: stay('ready'),
    drain: accept('draining'),
    drained: stay('ready'),
  },
  draining: {
    ...ends,
    initialize: refuse('draining', 'DRAINING'),
    call: refuse('draining', 'DRAINING'),
    // Calls in flight may wait for the client's answer.
    response: accept('draining'),
    bad_frame: refuse('draining'),
    handshake_timeout: stay('draining'),
    drain: stay('draining'),
    drained: close(1001),
  },
  closed: {
    initialize: stay('closed'),
    call: stay('closed'),
    response: stay('closed'),
    bad_frame: stay('closed'),
    wrong_frame_type: stay('closed'),
    framing_error: stay('closed'),
    too_big: stay('closed'),
    policy: stay('closed'),
    handshake_timeout: stay('closed'),
    slow_consumer: stay('closed'),
    drain: stay('closed'),
    drained: stay('closed'),
    socket_closed: stay('closed'),
  },
};

/** Where the kind's own text would say something else. */
const REASONS: Readonly<Record<string, string>> = {
  INVALID_REQUEST: 'initialize was carried out already: a connection does it once',
};

/** What happens to a connection in `state` when `event` comes. */
export function transition(state: ConnectionState, event: ConnectionEvent): Transition {
  return LIFECYCLE[state][event];
}

/** What a connection does about a frame that was decoded, and the state it is in afterwards. */
export type Admission =
  | { to: ConnectionState; act: 'accept' | 'ignore' }
  | { to: ConnectionState; act: 'refuse'; id: Id | null; error: CuratedError };

/**
 * Runs a decoded frame through the table. A frame that cannot be carried out is refused with its own error, except
 * that before `initialize` any other call, sound or not, is told NOT_INITIALIZED. The state moves to `ready` with
 * `initialize`; if carrying that out fails, the caller stays in `fresh`.
 */
export function admit(state: ConnectionState, incoming: Incoming): Admission {
  const { act, error, to } = transition(state, eventOf(incoming));
  if (act === 'accept' || act === 'ignore') return { to, act };
  const id = 'id' in incoming ? incoming.id : null;
  if (incoming.kind === 'invalid') {
    const early = state === 'fresh' && incoming.method !== undefined && incoming.method !== 'initialize';
    return { to, act: 'refuse', id, error: early ? new CuratedError('NOT_INITIALIZED') : incoming.error };
  }
  return { to, act: 'refuse', id, error: new CuratedError(error ?? 'INTERNAL', REASONS[error ?? '']) };
}

function eventOf(incoming: Incoming): ConnectionEvent {
  if (incoming.kind === 'response') return 'response';
  if (incoming.kind === 'invalid') return 'bad_frame';
  return incoming.method === 'initialize' ? 'initialize' : 'call';
}

/** Throws UNSUPPORTED, retryable never, when the client speaks a version that this build does not. */
export function checkVersion(asked: number, spoken: number): void {
  if (asked !== spoken)
    throw new CuratedError('UNSUPPORTED', `protocol ${asked} is not spoken here`, {
      path: '/protocol',
      detail: { supported: [spoken] },
    });
}

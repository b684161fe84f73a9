// What the gate needs from outside: a log, counters and HTTP pages. Interfaces only; the gate knows no room by name.

/** The part of a pino logger that the gate uses. */
export interface GateLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export type Transport = 'unix' | 'tcp';
export type Wire = 'json' | 'msgpack';

/** Counters the gate moves. Every method is called on hot paths and must not throw. */
export interface GateMetrics {
  opened(transport: Transport): void;
  closed(transport: Transport, code: number): void;
  /** An HTTP request or upgrade was turned away with this status. */
  refused(status: number): void;
  received(wire: Wire, bytes: number): void;
  sent(wire: Wire, bytes: number): void;
  /** A frame-level fault: a WS_ERR_* code of `ws`, or one of ours in kebab-case. */
  fault(kind: string): void;
}

export interface HttpAnswer {
  status: number;
  type: string;
  body: string;
}

/** A GET page beside the WebSocket. It passes the same checks as an upgrade before `answer` runs. */
export interface HttpRoute {
  scope: 'metrics' | 'admin';
  /** @param tenant whose token asks: a page tells nobody of another tenant */
  answer(tenant: string): HttpAnswer | Promise<HttpAnswer>;
}

export const silentLog: GateLog = { debug() {}, info() {}, warn() {}, error() {} };

export const silentMetrics: GateMetrics = {
  opened() {},
  closed() {},
  refused() {},
  received() {},
  sent() {},
  fault() {},
};

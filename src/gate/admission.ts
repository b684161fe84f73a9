// The checks that every request passes, HTTP page or upgrade, in one order. Knows headers and tokens, no sockets.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.js';
import type { Limits } from '../config.js';
import { presentedToken } from './bearer.js';
import { FailureWindow } from './failure-window.js';
import { hostAllowed } from './host.js';
import { originAllowed } from './origin.js';
import type { HttpRoute, Transport } from './ports.js';
import { REFUSALS, type Refusal } from './refusal.js';
import { chooseSubprotocol, offered } from './subprotocol.js';
import { OWNER, type Principal, SOCKET_SCOPES, type TokenTable } from './token-table.js';

const SOCKET_PATH = '/v1';

export interface AdmissionOptions {
  tokens: TokenTable;
  allowOrigins: readonly string[];
  routes: ReadonlyMap<string, HttpRoute>;
  limits: Limits;
  clock: Clock;
}

export type Admitted = { who: Principal } | { refusal: Refusal };

export class Admission {
  readonly #o: AdmissionOptions;
  readonly #origins: ReadonlySet<string>;
  readonly #failures: FailureWindow;

  constructor(o: AdmissionOptions) {
    this.#o = o;
    this.#origins = new Set(o.allowOrigins);
    this.#failures = new FailureWindow(o.limits.auth_failures);
  }

  /** An upgrade to WebSocket. */
  upgrade(req: IncomingMessage, transport: Transport): Admitted {
    const door = this.#door(req);
    if (door !== undefined) return { refusal: door };
    const who = this.#identify(req, transport);
    if ('refusal' in who) return who;
    if (req.url !== SOCKET_PATH) return { refusal: REFUSALS.notFound };
    if (req.method !== 'GET') return { refusal: REFUSALS.method };
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') return { refusal: REFUSALS.upgrade };
    if (chooseSubprotocol(offered(req.headers['sec-websocket-protocol'])) === undefined) {
      return { refusal: REFUSALS.subprotocol };
    }
    return who.who.scopes.some((s) => SOCKET_SCOPES.includes(s)) ? who : { refusal: REFUSALS.scope };
  }

  /** A plain request for a page. */
  page(
    req: IncomingMessage,
    transport: Transport,
  ): { route: HttpRoute; who: Principal } | { refusal: Refusal } {
    const door = this.#door(req);
    if (door !== undefined) return { refusal: door };
    // Whoever gets the method of the door wrong learns it without a token; a wrong token is still a wrong token.
    if (req.url === SOCKET_PATH && 'none' in presentedToken(req)) return { refusal: REFUSALS.upgrade };
    const who = this.#identify(req, transport);
    if ('refusal' in who) return who;
    if (req.url === SOCKET_PATH) return { refusal: REFUSALS.upgrade };
    const route = this.#o.routes.get(req.url ?? '');
    if (route === undefined) return { refusal: REFUSALS.notFound };
    if (req.method !== 'GET' && req.method !== 'HEAD') return { refusal: REFUSALS.method };
    return who.who.scopes.includes(route.scope) ? { route, who: who.who } : { refusal: REFUSALS.scope };
  }

  /** What a stranger may not even knock with. */
  #door(req: IncomingMessage): Refusal | undefined {
    if (hostCount(req.rawHeaders) > 1 || !hostAllowed(req.headers.host)) return REFUSALS.host;
    if (!originAllowed(req.headers, this.#origins)) return REFUSALS.origin;
    // No page takes a query, so whatever stands there may be a secret: it is refused, and URLs are never logged.
    if (req.url?.includes('?')) return this.#failed();
    return undefined;
  }

  #identify(req: IncomingMessage, transport: Transport): Admitted {
    if (transport === 'unix') return { who: OWNER };
    const presented = presentedToken(req);
    // A missing token takes the way of a wrong one, so that both cost the same.
    const who = this.#o.tokens.identify('token' in presented ? presented.token : '');
    // A good token passes while others fail: guessing must not lock the owner out, and 256 bits cannot be guessed.
    return who === undefined ? { refusal: this.#failed() } : { who };
  }

  #failed(): Refusal {
    return this.#failures.add(this.#o.clock.mono()) ? REFUSALS.tooMany : REFUSALS.unauthorised;
  }
}

/** Node keeps the first of several Host headers; a proxy in front may have looked at the last. */
function hostCount(rawHeaders: readonly string[]): number {
  let n = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') n++;
  return n;
}

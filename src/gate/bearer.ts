// Where a request may carry its token. Knows headers only; whether a token is good is the table's matter.
import type { IncomingMessage } from 'node:http';
import { bearerOffers, offered } from './subprotocol.js';

const SCHEME = /^Bearer +([^ ]+)$/i;

export type Presented = { token: string } | { none: true } | { bad: true };

/** The one token of a request. Two different ones, or another scheme, are bad: nothing is guessed. */
export function presentedToken(req: IncomingMessage): Presented {
  const found = bearerOffers(offered(req.headers['sec-websocket-protocol']));
  const header = req.headers.authorization;
  if (header !== undefined) {
    const token = SCHEME.exec(header)?.[1];
    if (token === undefined) return { bad: true };
    found.push(token);
  }
  const token = found[0];
  if (token === undefined) return { none: true };
  return found.every((t) => t === token) ? { token } : { bad: true };
}

// The Sec-WebSocket-Protocol header: which wire is spoken, and the token of clients that cannot set headers.
import type { Wire } from './ports.js';

export const SUBPROTOCOLS = { json: 'curated.v1.json', msgpack: 'curated.v1.msgpack' } as const;
const BEARER = 'curated.bearer.';

export function offered(header: string | undefined): string[] {
  return header === undefined ? [] : header.split(',').map((p) => p.trim());
}

/** The first offered wire that we speak; the bearer entry is never chosen, so it is never echoed. */
export function chooseSubprotocol(protocols: Iterable<string>): string | undefined {
  for (const p of protocols) if (p === SUBPROTOCOLS.json || p === SUBPROTOCOLS.msgpack) return p;
  return undefined;
}

export function wireOf(subprotocol: string): Wire {
  return subprotocol === SUBPROTOCOLS.msgpack ? 'msgpack' : 'json';
}

export function bearerOffers(protocols: Iterable<string>): string[] {
  const found: string[] = [];
  for (const p of protocols) if (p.startsWith(BEARER)) found.push(p.slice(BEARER.length));
  return found;
}

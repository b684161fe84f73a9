// The Origin header: a request that has one comes from a web page. Knows only the headers and the allow list.
import type { IncomingHttpHeaders } from 'node:http';

/** No origin at all, or each stated origin is listed, compared as exact text. `null` and an empty value count as origins. */
export function originAllowed(headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): boolean {
  const stated = [headers.origin, headers['sec-websocket-origin']].flat();
  return stated.every((origin) => origin === undefined || (origin !== 'null' && allowed.has(origin)));
}

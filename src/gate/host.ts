// The Host header: the defence against DNS rebinding. Knows only the header.

/** Exactly these names, with an optional port. Anything a resolver could be talked into is left out. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i;

export function hostAllowed(host: string | undefined): boolean {
  return host !== undefined && LOCAL_HOST.test(host);
}

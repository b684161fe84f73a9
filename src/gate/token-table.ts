// Tokens as hashes, and whom each stands for. Holds no token in clear and knows no request.
import { createHash, timingSafeEqual } from 'node:crypto';

/** agent: the tenant's sessions; read: looking at them; metrics: health and metrics pages; admin: the daemon itself. */
export type Scope = 'agent' | 'read' | 'metrics' | 'admin';
export const SCOPES: readonly Scope[] = Object.freeze(['agent', 'read', 'metrics', 'admin']);
/** One of these is what the WebSocket takes; which calls it then takes, the language says. */
export const SOCKET_SCOPES: readonly Scope[] = Object.freeze(['agent', 'read', 'admin']);

/** Whom a connection speaks for. Tenants share nothing. */
export interface Principal {
  readonly name: string;
  readonly tenant: string;
  readonly scopes: readonly Scope[];
}

export interface TokenEntry extends Principal {
  /** SHA-256 of the token's UTF-8 bytes, lower-case hex. */
  readonly sha256: string;
}

/** The user who owns the daemon: the default token and everyone who can reach the unix socket. */
export const OWNER: Principal = Object.freeze({ name: 'default', tenant: 'default', scopes: SCOPES });

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export class TokenTable {
  #rows: readonly { hash: Buffer; who: Principal }[] = [];
  #held = new Set<Principal>();

  constructor(entries: readonly TokenEntry[]) {
    this.replace(entries);
  }

  /** A table with the owner's one token. */
  static single(token: string): TokenTable {
    return new TokenTable([{ ...OWNER, sha256: hashToken(token) }]);
  }

  /** Takes new entries at once. An entry that is as it was keeps its principal, so that `holds` can tell. */
  replace(entries: readonly TokenEntry[]): void {
    const known = new Map(this.#rows.map((row) => [identity(row.hash.toString('hex'), row.who), row.who]));
    this.#rows = entries.map(({ sha256, name, tenant, scopes }) => ({
      hash: Buffer.from(sha256, 'hex'),
      who:
        known.get(identity(sha256, { name, tenant, scopes })) ??
        Object.freeze({ name, tenant, scopes: Object.freeze([...scopes]) }),
    }));
    this.#held = new Set(this.#rows.map((row) => row.who));
  }

  /** False for a principal of `identify` whose token was revoked or changed since. */
  holds(who: Principal): boolean {
    return who === OWNER || this.#held.has(who);
  }

  get size(): number {
    return this.#rows.length;
  }

  /**
   * Whom the token stands for. Always hashes once and compares with every row, so that the time tells neither how much of a
   * token was right, nor its length below one hash block, nor which row it is.
   */
  identify(token: string): Principal | undefined {
    const hash = createHash('sha256').update(token).digest();
    let found: Principal | undefined;
    for (const row of this.#rows) if (timingSafeEqual(row.hash, hash)) found = row.who;
    return found;
  }
}

function identity(sha256: string, { name, tenant, scopes }: Principal): string {
  return JSON.stringify([sha256, name, tenant, scopes]);
}

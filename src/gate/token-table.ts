// Tokens as hashes, and whom each stands for. Holds no token in clear and knows no request.
import { createHash, timingSafeEqual } from 'node:crypto';

/** agent: the WebSocket; metrics: health and metrics pages; admin: everything that changes the daemon. */
export type Scope = 'agent' | 'metrics' | 'admin';
export const SCOPES: readonly Scope[] = Object.freeze(['agent', 'metrics', 'admin']);

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

  constructor(entries: readonly TokenEntry[]) {
    this.replace(entries);
  }

  /** A table with the owner's one token. */
  static single(token: string): TokenTable {
    return new TokenTable([{ ...OWNER, sha256: hashToken(token) }]);
  }

  /** Takes new entries at once; connections that are open stay open. */
  replace(entries: readonly TokenEntry[]): void {
    this.#rows = entries.map(({ sha256, name, tenant, scopes }) => ({
      hash: Buffer.from(sha256, 'hex'),
      who: Object.freeze({ name, tenant, scopes: Object.freeze([...scopes]) }),
    }));
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

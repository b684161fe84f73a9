// Takes up changes of the token files while the daemon runs. Knows files and the table, no connection.
import { statSync } from 'node:fs';
import { namedTokensPath, readTokens, type TokenFileOptions } from './token-file.js';
import type { TokenTable } from './token-table.js';

export interface TokenWatchOptions extends TokenFileOptions {
  tokenFile: string;
  table: TokenTable;
  /** Period of the look at the files, ms: a revoked token works no longer than that. */
  everyMs: number;
  /** The table has other entries now. */
  onChange(): void;
  /** The files cannot be used; the tokens that were known stay good. Told once for each state of the files. */
  onFault(error: Error): void;
}

export class TokenWatch {
  readonly #o: TokenWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #seen: string;

  constructor(o: TokenWatchOptions) {
    this.#o = o;
    this.#seen = this.#stamp();
    this.#timer = setInterval(() => this.look(), o.everyMs);
    this.#timer.unref();
  }

  /** Reads the files again where they are not what they were. */
  look(): void {
    const now = this.#stamp();
    if (now === this.#seen) return;
    this.#seen = now;
    try {
      this.#o.table.replace(readTokens(this.#o.tokenFile, this.#o));
    } catch (e) {
      this.#o.onFault(e as Error);
      return;
    }
    // The owner's token is made anew where it was removed.
    this.#seen = this.#stamp();
    this.#o.onChange();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What tells one state of the files from another without reading them: each change is a new file by rename. */
  #stamp(): string {
    const { tokenFile } = this.#o;
    return [tokenFile, this.#o.named ?? namedTokensPath(tokenFile)]
      .map((path) => {
        const s = statSync(path, { throwIfNoEntry: false, bigint: true });
        return s === undefined ? '-' : `${s.ino}:${s.mtimeNs}:${s.size}:${s.mode}`;
      })
      .join(' ');
  }
}

// What a provider's prompt cache holds: prefixes by hash, each until its time to live has passed since its last use.

interface Entry {
  expires: number;
  ttlMs: number;
}

export class PromptCache {
  readonly #entries = new Map<string, Entry>();

  constructor(readonly now: () => number) {}

  /** A read renews the entry for free (PV-A44). */
  read(hash: string): boolean {
    const e = this.#entries.get(hash);
    if (e === undefined) return false;
    const now = this.now();
    if (e.expires < now) {
      this.#entries.delete(hash);
      return false;
    }
    e.expires = now + e.ttlMs;
    return true;
  }

  write(hash: string, ttlMs: number): void {
    this.#entries.set(hash, { expires: this.now() + ttlMs, ttlMs });
  }

  clear(): void {
    this.#entries.clear();
  }
}

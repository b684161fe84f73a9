// Named checks that are green or red, with the last error and its time. Rooms report; nobody asks them. Knows no room.
import type { Clock } from '../clock.js';
import { reasonOf } from '../errors.js';

export interface CheckState {
  ok: boolean;
  /** Epoch ms of the last change between green and red. */
  since: number;
  /** What is less than usual, and nobody's fault: it stays green, and there is nothing to wait for. */
  note?: { message: string; at: number };
  /** The newest fault, kept after recovery, so that a fault that healed is still seen; `reason` is that of its detail. */
  last_error?: { message: string; reason?: string; at: number; count: number };
}

export interface HealthReport {
  ok: boolean;
  version: string;
  uptime_ms: number;
  checks: Record<string, CheckState>;
}

export class Health {
  readonly #clock: Clock;
  readonly #version: string;
  readonly #startedAt: number;
  readonly #checks = new Map<string, CheckState>();

  constructor(clock: Clock, version: string) {
    this.#clock = clock;
    this.#version = version;
    this.#startedAt = clock.mono();
  }

  /** Declares a check, green until told otherwise. */
  declare(name: string): void {
    if (!this.#checks.has(name)) this.#checks.set(name, { ok: true, since: this.#clock.now() });
  }

  /** The thing worked. */
  green(name: string): void {
    const check = this.#check(name);
    if (check.ok) return;
    check.ok = true;
    check.since = this.#clock.now();
  }

  /** The thing does less than usual, and rightly so. */
  tell(name: string, message: string): void {
    this.#check(name).note = { message, at: this.#clock.now() };
  }

  /** The thing failed; it stays red until `green`. */
  red(name: string, error: unknown): void {
    const check = this.#check(name);
    const now = this.#clock.now();
    if (check.ok) {
      check.ok = false;
      check.since = now;
    }
    const reason = reasonOf(error);
    check.last_error = {
      message: error instanceof Error ? error.message : String(error),
      ...(reason === undefined ? {} : { reason }),
      at: now,
      count: (check.last_error?.count ?? 0) + 1,
    };
  }

  get ok(): boolean {
    for (const check of this.#checks.values()) if (!check.ok) return false;
    return true;
  }

  report(): HealthReport {
    return {
      ok: this.ok,
      version: this.#version,
      uptime_ms: Math.round(this.#clock.mono() - this.#startedAt),
      checks: Object.fromEntries([...this.#checks].map(([name, check]) => [name, structuredClone(check)])),
    };
  }

  #check(name: string): CheckState {
    this.declare(name);
    return this.#checks.get(name)!;
  }
}

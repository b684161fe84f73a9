// When the sweep of old journals may trust the clock. A clock that jumps ahead makes every journal look old: after a leap of
// more than a day, whether the clock made it or the daemon was not running, nothing is swept for a day. A daemon that runs now and
// then sees nothing but leaps: the second one, a day after the first and of a week at most, bears the clock out.
import { readFileSync, writeFileSync } from 'node:fs';

const DAY_MS = 86_400_000;
/** A clock that is set right goes back by less. */
const BACK_MS = 3_600_000;
/** A longer leap is one to wait after, whatever was before it. */
const NOW_AND_THEN_MS = 7 * DAY_MS;

interface Seen {
  /** Wall clock of the last look, epoch ms. */
  seen: number;
  /** Nothing is swept before; epoch ms. 0: the clock is trusted. */
  hold: number;
}

export class SweepClock {
  readonly #path: string;
  #last: Seen | undefined;

  /** @param path where the last look is kept over restarts; made 0600 */
  constructor(path: string) {
    this.#path = path;
    this.#last = read(path);
  }

  /** Looks at the clock. @returns whether a sweep may go by it */
  due(now: number): boolean {
    const last = this.#last ?? { seen: now, hold: 0 };
    const moved = now - last.seen;
    const isBorneOut = last.hold > 0 && now >= last.hold && moved <= NOW_AND_THEN_MS;
    const leapt = moved < -BACK_MS || (moved > DAY_MS && !isBorneOut);
    const hold = leapt ? now + DAY_MS : Math.min(last.hold, now + DAY_MS);
    this.#last = { seen: now, hold: now >= hold ? 0 : hold };
    try {
      writeFileSync(this.#path, JSON.stringify(this.#last), { mode: 0o600 });
    } catch {
      // Without the file the next start takes this one for the first.
    }
    return now >= hold;
  }
}

function read(path: string): Seen | undefined {
  try {
    const { seen, hold } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Seen>;
    if (typeof seen === 'number' && typeof hold === 'number') return { seen, hold };
  } catch {
    // Not there, or cut short: as on the first start.
  }
  return undefined;
}

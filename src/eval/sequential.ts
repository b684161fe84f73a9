// A comparison that may be looked at while it runs, and ended early: each look has a level of its own, and the levels add up
// to the one that was stated, however many looks there are. Pure.
import { type Interval, pairedBootstrap } from './stats.js';

export type Verdict = 'better' | 'worse' | 'non-inferior' | 'open';

export interface SequentialOptions {
  /** Chance that a difference is found where there is none, over all looks. Default 0.05. */
  alpha?: number;
  /** With it: ends too when the new arm is at most this much worse. */
  margin?: number;
  seed?: number;
}

/** Pairs before the first look; each later look has twice as many. */
const FIRST_LOOK = 8;

export class SequentialTest {
  readonly #o: Required<Omit<SequentialOptions, 'margin'>> & { margin: number | undefined };
  readonly #differences: number[] = [];
  #looks = 0;
  #next = FIRST_LOOK;
  #verdict: Verdict = 'open';
  #interval: Interval | undefined;

  constructor(o: SequentialOptions = {}) {
    this.#o = { alpha: o.alpha ?? 0.05, margin: o.margin, seed: o.seed ?? 1 };
  }

  /** Takes one pair's difference, new minus old, larger is better. @returns what can be said by now; it stays once said */
  add(difference: number): Verdict {
    this.#differences.push(difference);
    if (this.#verdict === 'open' && this.#differences.length >= this.#next) this.#look();
    return this.#verdict;
  }

  get verdict(): Verdict {
    return this.#verdict;
  }

  /** Of the last look, at its own level. */
  get interval(): Interval | undefined {
    return this.#interval;
  }

  #look(): void {
    this.#looks++;
    this.#next *= 2;
    // 1/2 + 1/6 + 1/12 + .. = 1
    const share = this.#o.alpha / (this.#looks * (this.#looks + 1));
    const interval = pairedBootstrap(this.#differences, {
      seed: this.#o.seed,
      level: 1 - share,
      samples: Math.max(2000, Math.ceil(40 / share)),
    });
    this.#interval = interval;
    if (interval === undefined) return;
    if (interval.low > 0) this.#verdict = 'better';
    else if (interval.high < 0) this.#verdict = 'worse';
    else if (this.#o.margin !== undefined && interval.low > -this.#o.margin) this.#verdict = 'non-inferior';
  }
}

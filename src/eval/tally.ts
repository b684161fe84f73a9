// Tokens of messages, system prompt and tools as the product counts them, each exact text counted once. Pure but for the
// counter it is handed.
import type { Native } from '../json/native.js';
import { specOf } from '../providers/spec.js';
import type { Format, Profile, Reading } from '../providers/types.js';
import {
  combine,
  type Measure,
  measureMessage,
  measureSystem,
  measureTools,
} from '../tokens/request-count.js';

export type CountText = (text: string) => number;

/** A message as the checks and the bill need it. */
export interface Counted {
  native: Native;
  reading: Reading;
  /** Text with its cache marks taken out: marks may move. */
  bare: string;
  tokens: number;
  /** Blocks: positions of the provider's cache. */
  blocks: number;
}

export class Tally {
  readonly #profile: Profile;
  readonly #count: CountText;
  readonly #strip: (native: Native, reading: Reading) => string;

  constructor(profile: Profile, count: CountText, strip: (native: Native, reading: Reading) => string) {
    this.#profile = profile;
    this.#count = count;
    this.#strip = strip;
  }

  message(native: Native): Counted {
    const reading = specOf(this.#profile.format).read(native);
    return {
      native,
      reading,
      bare: this.#strip(native, reading),
      tokens: this.#sum(measureMessage(reading, this.#profile.image)),
      blocks: Math.max(1, reading.parts.length),
    };
  }

  system(value: unknown): number {
    return value === undefined ? 0 : this.#sum(measureSystem(value));
  }

  tools(value: unknown, format: Format): number {
    return Array.isArray(value) ? this.#sum(measureTools(value, format)) : 0;
  }

  #sum(measure: Measure): number {
    return combine(measure, measure.texts.map(this.#count)).tokens;
  }
}

// Which needed names were still in the request, by how long ago a result told them. Pure sums.
import type { MeasuredSession } from './measured.js';
import type { Reference } from './references.js';

/** Requests since a name was told: upper bounds of the classes; one more class lies beyond the last. */
export const DEPTHS = [2, 5, 10, 20, 50] as const;

/** Names that were needed, and those of them that were still in the request. */
export interface Needles {
  needed: number;
  kept: number;
}

export function noDepths(): Needles[] {
  return Array.from({ length: DEPTHS.length + 1 }, () => ({ needed: 0, kept: 0 }));
}

export class Retention {
  readonly needles: Needles = { needed: 0, kept: 0 };
  readonly depths = noDepths();
  readonly #m: MeasuredSession;

  constructor(m: MeasuredSession) {
    this.#m = m;
  }

  /** @param shows whether the name stands in request `i` */
  take(i: number, references: readonly Reference[], shows: (r: Reference) => boolean): void {
    for (const reference of references) {
      const depth = this.depths[this.#class(i, reference.places.at(-1)!)]!;
      const kept = shows(reference) ? 1 : 0;
      this.needles.needed++;
      this.needles.kept += kept;
      depth.needed++;
      depth.kept += kept;
    }
  }

  #class(request: number, place: number): number {
    const { requests } = this.#m.logged;
    let ago = 0;
    while (ago <= DEPTHS.at(-1)! && ago < request && requests[request - ago - 1]!.carried > place) ago++;
    const found = DEPTHS.findIndex((most) => ago < most);
    return found < 0 ? DEPTHS.length : found;
  }
}

// Which needed names were still in the request, by how long ago a result told them. Pure sums.
import type { MeasuredSession } from '../whatif/measured.js';
import type { Reference } from '../whatif/references.js';
import { type ArmFigures, DEPTHS, noDepths } from './figures.js';

export class Retention {
  readonly needles = { needed: 0, kept: 0 };
  readonly depths: ArmFigures['depths'] = noDepths();
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

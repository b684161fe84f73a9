// Which identifiers outlive a compaction: those that were told before it and that the next calls use. Pure.
import { identifiersIn, leavesOf } from '../../curation/identifiers.js';
import type { MeasuredSession } from '../whatif/measured.js';
import type { Needles } from '../whatif/retention.js';

/** Calls behind a compaction that are looked at. */
const NEXT_CALLS = 40;

export class Survival {
  readonly names: Needles = { needed: 0, kept: 0 };
  readonly #m: MeasuredSession;
  #compactions = 0;

  constructor(m: MeasuredSession) {
    this.#m = m;
  }

  /**
   * @param compactions so far: where they have become more, request `i` is the first behind one
   * @param holds whether the request's messages hold a name
   */
  take(i: number, compactions: number, holds: (name: string) => boolean): void {
    if (compactions === this.#compactions) return;
    this.#compactions = compactions;
    const { carried } = this.#m.logged.requests[i]!;
    const before = new Set<string>();
    for (const { parts } of this.#m.readings.slice(0, carried))
      for (const p of parts) {
        const texts = p.kind === 'tool_call' ? leavesOf(p.args) : [p.text ?? ''];
        for (const text of texts) for (const name of identifiersIn(text).keys()) before.add(name);
      }
    for (const name of this.#used(carried)) {
      if (!before.has(name)) continue;
      this.names.needed++;
      if (holds(name)) this.names.kept++;
    }
  }

  /** Names in the next calls from a message on. */
  #used(from: number): Set<string> {
    const names = new Set<string>();
    let calls = 0;
    for (const { parts } of this.#m.readings.slice(from))
      for (const p of parts) {
        if (p.kind !== 'tool_call') continue;
        if (++calls > NEXT_CALLS) return names;
        for (const leaf of leavesOf(p.args)) for (const name of identifiersIn(leaf).keys()) names.add(name);
      }
    return names;
  }
}

// How often what was cleared is fetched again by the very same call. Recorded agents saw every result in full, so each of
// these calls would have been made without clearing as well: held against the rate of all results in view, it says how well
// it is chosen what goes. Pure sums.

/** Results, and those of them that the very same call fetched again; each counts once. */
export interface Rereads {
  of: number;
  again: number;
}

/** Reasons of what leaves the body of a result in place, all or a part of it. */
const PARTLY = new Set(['input', 'failed_input', 'shaped', 'image', 'document']);

/** Was the whole body of a result cleared? @param reason of `memory.tool_result_cleared` */
function isWhole(reason: unknown): boolean {
  return !PARTLY.has(String(reason));
}

/** From a session's own events. */
export class RereadCount {
  readonly cleared: Rereads = { of: 0, again: 0 };
  /** Fetches of the same place by another call. */
  places = 0;
  readonly #told = new Set<string>();

  take(e: { type: string; [field: string]: unknown }): void {
    if (e.type === 'memory.tool_result_cleared') {
      if (isWhole(e['reason'])) this.cleared.of++;
      return;
    }
    // A name that was needed is no fetch.
    if (e.type !== 'memory.reread' || e['how'] === 'identifier') return;
    const again = `${String(e['how'])} ${String(e['of'])}`;
    if (this.#told.has(again)) return;
    this.#told.add(again);
    if (e['how'] === 'same_call') this.cleared.again++;
    else this.places++;
  }
}

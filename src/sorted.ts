// Looking in what is sorted. Pure.

/**
 * How many at the head of a sorted list hold: its items hold up to some place, and none does from there on. O(log length).
 * @param holds does the item of this index hold?
 */
export function headCount(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const mid = (low + high) >>> 1;
    if (holds(mid)) low = mid + 1;
    else high = mid;
  }
  return low;
}

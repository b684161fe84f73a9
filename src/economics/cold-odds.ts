// How likely the provider's cache is gone after a pause (COSTS 6): the lifetime it promises is the least it keeps, so the
// odds are learned from what it reports, by the length of the pause. Pure.

/** How often requests after a pause of some length found the cache gone. */
export interface Pauses {
  readonly seen: readonly number[];
  readonly cold: readonly number[];
}

/** Upper bounds of the lengths, in lifetimes: within, then ever longer past it. */
const BOUNDS = [0.5, 1, 1.5, 2, 4, 8, 24] as const;
const CLASSES = BOUNDS.length + 1;

export const NO_PAUSES: Pauses = {
  seen: new Array<number>(CLASSES).fill(0),
  cold: new Array<number>(CLASSES).fill(0),
};

/** The class of a pause; 0: too short to tell anything. @param lifetimes its length over the cache's lifetime */
export function pauseClass(lifetimes: number): number {
  const i = BOUNDS.findIndex((b) => lifetimes <= b);
  return i < 0 ? BOUNDS.length : i;
}

/** One more observation: the provider's report told whether the prefix was still there. */
export function withPause(pauses: Pauses, of: number, cold: boolean): Pauses {
  const add = (list: readonly number[], by: number) => list.map((v, i) => (i === of ? v + by : v));
  return { seen: add(pauses.seen, 1), cold: add(pauses.cold, cold ? 1 : 0) };
}

/**
 * Before anything is known: there within the lifetime, gone after it. That has the weight of two observations.
 * @param lifetimes undefined: age unknown, which counts as warm
 */
export function coldOdds(pauses: Pauses, lifetimes: number | undefined): number {
  if (lifetimes === undefined || !(lifetimes > 0)) return 0;
  const i = pauseClass(lifetimes);
  if (i === 0) return 0;
  const prior = lifetimes <= 1 ? 0 : 1;
  return (pauses.cold[i]! + 2 * prior) / (pauses.seen[i]! + 2);
}

/** Does a report contradict a read: was less than half of it there? All in tokens; `ours` is our count of `prompt`. */
export function wasCold(
  expected: number,
  reported: { cached: number; prompt: number },
  ours: number,
): boolean {
  if (expected <= 0 || reported.prompt <= 0) return false;
  return (reported.cached * ours) / reported.prompt < expected / 2;
}

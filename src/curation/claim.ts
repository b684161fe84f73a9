// What a candidate touches, as a word: two layers never edit the same part, and what a user had taken back stays. Pure.

/** A part of a stored message. */
export function claimOf(at: number, part: number): string {
  return `${at}#${part}`;
}

/** A tool's definition. */
export function toolClaim(key: string): string {
  return `tool:${key}`;
}

/** A range that a summary stood for, by its last message. */
export function rangeClaim(to: number): string {
  return `${to}#range`;
}

/** Does a pin keep a range in the request? */
export function isRangeClaim(claim: string): boolean {
  return claim.endsWith('#range');
}

/** The stored message of a part's claim, or the last one of a range's; undefined for a tool's. */
export function messageOf(claim: string): number | undefined {
  const at = /^(\d+)#/.exec(claim)?.[1];
  return at === undefined ? undefined : Number(at);
}

/** Is the part pinned that the claim names, or is one inside of (`3#1.2`: the third image of a result)? */
export function pinnedBy(pins: ReadonlySet<string>, claim: string): boolean {
  if (pins.size === 0) return false;
  const whole = /^\d+#\d+/.exec(claim)?.[0];
  return pins.has(claim) || (whole !== undefined && pins.has(whole));
}

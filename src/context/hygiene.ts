// A map that nobody has refreshed for long says so itself. Pure.

const DAY_MS = 86_400_000;

/** Whole days since `writtenAt`; 0 for a clock that went back. */
export function ageInDays(writtenAt: number, now: number): number {
  return Math.max(0, Math.floor((now - writtenAt) / DAY_MS));
}

/** '' up to `staleDays`; the section with age and command beyond. */
export function hygiene(days: number, staleDays: number): string {
  if (days <= staleDays) return '';
  return `## Hygiene\nThe knowledge map is ${days} days old: run \`curated context refresh\`.`;
}

// Which usage reports are not to be believed. Pure.

export interface Report {
  usage: number;
  /** The model's window, where known. */
  window?: number | undefined;
  /** Estimated tokens of the content in sight, without any anchor. */
  content: number;
  /** What the fit expected, and its deviation. */
  expected: number;
  sd: number;
  /** Is there a report before it? */
  anchored: boolean;
}

/** Below this share of the content in sight a report cannot be the prompt (an uncached rest, PV-A47). */
const LEAST_SHARE = 0.4;
/** A jump: so many deviations off, and so large a share of the request, and so many tokens. */
const JUMP_SD = 8;
const JUMP_SHARE = 0.1;
const JUMP_TOKENS = 2000;

/**
 * Why a report is refused, or undefined: `not_a_count`, `zero_with_content`, `above_window` (PV-A47),
 * `below_content`, `jump`.
 */
export function implausible({ usage, window, content, expected, sd, anchored }: Report): string | undefined {
  if (!Number.isSafeInteger(usage) || usage < 0) return 'not_a_count';
  if (usage === 0 && content >= 1) return 'zero_with_content';
  if (window !== undefined && usage > window) return 'above_window';
  if (usage < LEAST_SHARE * content && content > 100) return 'below_content';
  const off = Math.abs(usage - expected);
  if (anchored && off > JUMP_TOKENS && off > JUMP_SHARE * Math.max(usage, expected) && off > JUMP_SD * sd)
    return 'jump';
  return undefined;
}

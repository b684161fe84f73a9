// The window a recording must have had. Its requests were accepted, so a model table that says less is out of date. Pure.
import { capabilitiesOf, DEFAULT_MAX_OUTPUT_TOKENS } from '../economics/index.js';

/** Windows that models are sold with, in tokens. */
const SOLD = [128_000, 200_000, 400_000, 1_000_000, 2_000_000] as const;
/** Providers count up to so much more than we do (data: p90 of the ratios). */
const MARGIN = 1.45;

/** @param largest tokens of the largest recorded request. @returns undefined: the model's own window is large enough */
export function stretchedWindow(model: string, largest: number): number | undefined {
  const needed = largest * MARGIN + DEFAULT_MAX_OUTPUT_TOKENS;
  const known = capabilitiesOf(model)?.contextWindow;
  if (known !== undefined && largest + DEFAULT_MAX_OUTPUT_TOKENS <= known) return undefined;
  return SOLD.find((w) => w >= needed && w > (known ?? 0)) ?? Math.ceil(needed);
}

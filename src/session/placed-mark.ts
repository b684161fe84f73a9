// A cache mark of ours, where it was put. Pure type.

import type { Path } from '../json/index.js';

export interface PlacedMark {
  /** Stored message, and the block in it as it stands in the request. */
  at: number;
  path: Path;
}

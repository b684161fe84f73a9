// A cache mark of ours, where it was put.

import type { Path } from '../../json/index.js';

export interface PlacedMark {
  /** Stored message, and the block in it as it stands in the request; -1: of system or tools, as the path's first step says. */
  at: number;
  path: Path;
}

export const OUR_MARK = '{"type":"ephemeral"}';

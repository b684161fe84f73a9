// What the host knows of an image beyond its bytes, laid over a reading. Pure.

import { pointer } from '../../json/index.js';
import type { FormatSpec, Native, Reading } from '../../providers/types.js';
import type { MediaHint } from '../state/events.js';

export function readHinted(spec: FormatSpec, native: Native, hints?: readonly MediaHint[]): Reading {
  const reading = spec.read(native);
  if (hints === undefined || hints.length === 0) return reading;
  const byPath = new Map(hints.map((h) => [h.path, h]));
  for (const part of reading.parts) {
    for (const media of part.media ?? []) {
      const hint = byPath.get(pointer(media.path));
      if (hint === undefined) continue;
      media.width = hint.width;
      media.height = hint.height;
    }
  }
  return reading;
}

// The bytes of a snapshot: one line that says what they are and their hash, and the body behind it, deflated. What does not
// carry this format, this build and its own hash is no snapshot: a cache is made again, never read by guess.

import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { sha256 } from '../../hash.js';
import { VERSION } from '../../version.js';

/**
 * Raise it when what a snapshot says changes its form or its meaning. The version of the product stands beside it, since a fold
 * that another release has changed may come to another state from the same events.
 */
export const SNAPSHOT_FORMAT = 3;

/** Why bytes are not taken for a state. */
export type Refusal = 'damaged' | 'format' | 'build' | 'place' | 'texts' | 'unreadable';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** A line of this length is none of ours. */
const MAX_LINE = 256;
const NEWLINE = 10;

interface Line {
  curated_snapshot: number;
  build: string;
  /** Bytes of the body before deflating. */
  size: number;
  sha256: string;
}

/** Deflates off the thread; what comes first out of a body that is not worth it costs little. */
export async function packed(body: Uint8Array): Promise<Uint8Array> {
  const data = await deflated(body, { level: constants.Z_BEST_SPEED });
  const line: Line = {
    curated_snapshot: SNAPSHOT_FORMAT,
    build: VERSION,
    size: body.byteLength,
    sha256: sha256(data),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), data]);
}

export async function unpacked(bytes: Uint8Array): Promise<Buffer | Refusal> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const line = lineOf(all);
  if (line === undefined) return 'damaged';
  if (line.curated_snapshot !== SNAPSHOT_FORMAT) return 'format';
  if (line.build !== VERSION) return 'build';
  const data = all.subarray(all.indexOf(NEWLINE) + 1);
  if (sha256(data) !== line.sha256) return 'damaged';
  try {
    const body = await inflated(data, { maxOutputLength: Math.max(1, line.size) });
    return body.length === line.size ? body : 'damaged';
  } catch {
    return 'damaged';
  }
}

function lineOf(bytes: Buffer): Line | undefined {
  const end = bytes.subarray(0, MAX_LINE).indexOf(NEWLINE);
  if (end < 0) return undefined;
  try {
    const line = JSON.parse(bytes.toString('utf8', 0, end)) as Partial<Line> | null;
    const known =
      typeof line?.curated_snapshot === 'number' &&
      typeof line.build === 'string' &&
      Number.isSafeInteger(line.size) &&
      typeof line.sha256 === 'string';
    return known ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}

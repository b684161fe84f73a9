// The body of a snapshot: the length of a JSON text, that text, and behind it the texts of the messages in their order.

import { sha256 } from '../../hash.js';
import { canonicalize } from '../../json/index.js';
import type { SessionState } from '../state/state.js';
import { codeMark } from './code.js';
import type { Plain } from './fields.js';
import { plainOf, stateOf } from './plain.js';
import { TextReader, type TextRef, TextWriter } from './texts.js';

const LENGTH_BYTES = 4;

interface Head {
  /** Hashes of the blobs that messages stand in. */
  blobs: string[];
  /** Of the build that wrote it. */
  code: string;
  state: Plain;
}

/** O(what the session holds): some 10 ns a byte. */
export function bodyOf(state: SessionState): Buffer {
  const texts = new TextWriter();
  const plain = plainOf(state, (text) => texts.ref(text));
  const head = Buffer.from(
    JSON.stringify({ blobs: [...texts.blobs], code: codeMark(), state: plain } satisfies Head),
  );
  const out = Buffer.allocUnsafeSlow(LENGTH_BYTES + head.length + texts.bytes);
  out.writeUInt32LE(head.length);
  head.copy(out, LENGTH_BYTES);
  texts.writeTo(out, LENGTH_BYTES + head.length);
  return out;
}

export interface Opened {
  /** Blobs to fetch. */
  blobs: readonly string[];
  code: string;
  seq: number;
  /** Throws where a text is not there, or more than the state names. */
  state(blobs: ReadonlyMap<string, Uint8Array>): SessionState;
}

/** Throws on bytes that are no body. */
export function openBody(body: Buffer): Opened {
  const end = LENGTH_BYTES + body.readUInt32LE();
  const { blobs, code, state } = JSON.parse(body.toString('utf8', LENGTH_BYTES, end)) as Head;
  return {
    blobs,
    code,
    seq: state['seq'] as number,
    state: (known) => {
      const texts = new TextReader(body, end, known);
      const made = stateOf(state, (ref) => texts.text(ref as TextRef));
      if (!texts.atEnd) throw new Error('texts are left over');
      return made;
    },
  };
}

/**
 * One hash for all that a state holds, whatever way it was come to: by folding, from a snapshot, or live. Hex of SHA-256 over
 * canonical JSON.
 */
export function stateHash(state: SessionState): string {
  const plain = plainOf(state, (text) => text);
  return sha256(canonicalize(JSON.stringify(plain)));
}

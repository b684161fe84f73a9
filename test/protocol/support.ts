// Frames for the tests of the protocol room.
import { Packr } from 'msgpackr';
import { CuratedError, type ErrorKind } from '../../src/errors.js';
import { type Codec, codecFor, type Incoming } from '../../src/protocol/index.js';

export const json: Codec = codecFor('curated.v1.json');
export const msgpack: Codec = codecFor('curated.v1.msgpack');

const packr = new Packr({ useRecords: false, variableMapSize: true });

/** The bytes of a value in MessagePack, Maps for maps. */
export function pack(value: unknown): Buffer {
  return Buffer.from(packr.pack(value));
}

export function call(method: string, params: unknown, id: unknown = 1): Record<string, unknown> {
  return { jsonrpc: '2.0', id, method, params };
}

/** Decodes, and gives the error of a frame that must not be accepted. */
export function refused(codec: Codec, frame: string | Uint8Array): Incoming & { kind: 'invalid' } {
  const incoming = codec.decode(frame);
  if (incoming.kind !== 'invalid') throw new Error(`accepted: ${JSON.stringify(incoming)}`);
  if (!(incoming.error instanceof CuratedError)) throw new Error('not a CuratedError');
  return incoming;
}

export function kindOf(codec: Codec, frame: string | Uint8Array): ErrorKind {
  return refused(codec, frame).error.kind;
}

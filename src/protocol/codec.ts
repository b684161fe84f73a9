// The two subprotocols behind one interface: bytes to checked calls, answers to bytes. Pure, no socket.
import { type Options, Packr, Unpackr } from 'msgpackr';
import type { z } from 'zod';
import { asCuratedError, fail } from '../errors.js';
import { writeJson } from '../json/raw.js';
import { JsonPiece } from './json-piece.js';
import {
  asWireError,
  type Call,
  type Envelope,
  errorMember,
  type Id,
  type Incoming,
  isId,
  type Outgoing,
  readEnvelope,
} from './jsonrpc.js';
import { isMethod, METHODS, type MethodName } from './methods.js';
import { countEntries, MsgpackPiece } from './msgpack-piece.js';
import { scanMsgpack } from './msgpack-scan.js';
import { packable } from './packable.js';
import { join, MAX_FRAME_DEPTH, type Piece } from './piece.js';
import { quickCheck } from './quick-check.js';
import { asBuffer, checkUtf8 } from './utf8.js';
import { check } from './validate.js';
import { message, resent, system, toolChoice, tools } from './values.js';
import type { Subprotocol } from './vocabulary.js';

/** In Node 20, but not yet in the library types of ES2023. */
type Utf16 = string & { isWellFormed(): boolean };

export interface CodecOptions {
  /** Deepest nesting of a frame; default 500. */
  maxDepth?: number;
}

export interface Codec {
  readonly subprotocol: Subprotocol;
  /** Do frames of this subprotocol travel as binary messages? */
  readonly binary: boolean;
  /** Reads one frame. Never throws: what cannot be carried out is of kind `invalid`. */
  decode(frame: Uint8Array | string): Incoming;
  /** Reads one frame's outer members only, for the side that gets results and events. Throws CuratedError. */
  open(frame: Uint8Array | string, seen?: { id: Id | null }): Envelope;
  encode(out: Outgoing): string | Uint8Array;
}

/** Which params of a method are verbatim values (`one`), lists of them (`list`) or resent ones; read off the schemas. */
const VERBATIM = new Map<MethodName, ReadonlyMap<string, 'one' | 'list' | 'history'>>();
const NATIVES: ReadonlySet<unknown> = new Set([message, system, tools, toolChoice]);
for (const method of Object.keys(METHODS) as MethodName[]) {
  const fields = new Map<string, 'one' | 'list' | 'history'>();
  for (const [key, schema] of Object.entries(METHODS[method].params.shape as Record<string, z.ZodType>)) {
    const inner = unwrap(schema);
    if (NATIVES.has(inner)) fields.set(key, 'one');
    const { element } = inner as { element?: unknown };
    if (NATIVES.has(element)) fields.set(key, 'list');
    else if (element === resent) fields.set(key, 'history');
  }
  VERBATIM.set(method, fields);
}

function unwrap(schema: z.ZodType): unknown {
  return 'unwrap' in schema && !('element' in schema)
    ? (schema as z.ZodOptional<z.ZodType>).unwrap()
    : schema;
}

function readParams(method: MethodName, params: Piece | undefined): Record<string, unknown> {
  if (params === undefined) return {};
  if (params.kind !== 'object') fail('BAD_TYPE', 'params: expected an object', { path: '/params' });
  const verbatim = VERBATIM.get(method)!;
  const out: Record<string, unknown> = {};
  for (const [key, piece] of params.members()) {
    const value = readParam(piece, key, verbatim.get(key));
    if (key !== '__proto__') out[key] = value;
    else Object.defineProperty(out, key, { value, enumerable: true });
  }
  return out;
}

function readParam(piece: Piece, key: string, how: 'one' | 'list' | 'history' | undefined): unknown {
  const at = join('', key);
  if (how === 'one') return piece.native(at);
  if (how === 'list' && piece.kind === 'array')
    return piece.items().map((item, i) => item.native(`${at}/${i}`));
  if (how === 'history' && piece.kind === 'array')
    return piece.items().map((item, i) => item.unread(`${at}/${i}`));
  return piece.plain(at);
}

function interpret(envelope: Envelope): Incoming {
  if (envelope.kind === 'response') {
    const { id } = envelope;
    if ('result' in envelope) return { kind: 'response', id, result: envelope.result.lenient('/result') };
    return { kind: 'response', id, error: asWireError(envelope.error.lenient('/error')) };
  }
  const { id, method } = envelope;
  if (!isMethod(method))
    return fail('METHOD_NOT_FOUND', `there is no method ${JSON.stringify(method.slice(0, 100))}`);
  const schema = METHODS[method].params as z.ZodType<unknown>;
  const params = readParams(method, envelope.params);
  const call = {
    method,
    params: quickCheck(schema, params) ? params : checked(schema, params),
  } as Call;
  return id === undefined ? { kind: 'notification', ...call } : { kind: 'request', id, ...call };
}

function checked(schema: z.ZodType<unknown>, params: unknown): unknown {
  const result = check(schema, params);
  if (!result.ok) throw result.error;
  return result.value;
}

function decodeWith(open: Codec['open'], frame: Uint8Array | string): Incoming {
  const seen: { id: Id | null; method?: string } = { id: null };
  try {
    return interpret(open(frame, seen));
  } catch (e) {
    const error = asCuratedError(e);
    return { kind: 'invalid', ...seen, error };
  }
}

class JsonCodec implements Codec {
  readonly subprotocol = 'curated.v1.json';
  readonly binary = false;

  constructor(readonly maxDepth: number) {}

  decode(frame: Uint8Array | string): Incoming {
    return decodeWith((f, seen) => this.open(f, seen), frame);
  }

  open(frame: Uint8Array | string, seen: { id: Id | null } = { id: null }): Envelope {
    if (typeof frame !== 'string') {
      const bytes = asBuffer(frame);
      checkUtf8(bytes);
      return readEnvelope(JsonPiece.of(bytes.toString('utf8'), this.maxDepth), seen);
    }
    if (!(frame as Utf16).isWellFormed()) fail('BAD_UTF8', 'the text holds half a surrogate pair');
    return readEnvelope(JsonPiece.of(frame, this.maxDepth), seen);
  }

  encode(out: Outgoing): string {
    if ('result' in out)
      return `{"jsonrpc":"2.0","id":${JSON.stringify(out.id)},"result":${writeJson(out.result)}}`;
    if ('error' in out)
      return `{"jsonrpc":"2.0","id":${JSON.stringify(out.id)},"error":${writeJson(errorMember(out.error))}}`;
    const id = 'id' in out ? `"id":${JSON.stringify(out.id)},` : '';
    const params = out.params === undefined ? '' : `,"params":${writeJson(out.params)}`;
    return `{"jsonrpc":"2.0",${id}"method":${JSON.stringify(out.method)}${params}}`;
  }
}

// 'auto' (a bigint only where a number would be wrong) is missing in the package's types.
const UNPACK = { useRecords: false, mapsAsObjects: false, int64AsType: 'auto' } as unknown as Options;

// One for each direction: a shared one with records on corrupts what it reads. All connections use the same two, for the
// writer keeps a buffer as large as the largest frame it wrote.
const UNPACKR = new Unpackr(UNPACK);
const PACKR = new Packr({ useRecords: false, variableMapSize: true });

class MsgpackCodec implements Codec {
  readonly subprotocol = 'curated.v1.msgpack';
  readonly binary = true;

  constructor(readonly maxDepth: number) {}

  decode(frame: Uint8Array | string): Incoming {
    return decodeWith((f, seen) => this.open(f, seen), frame);
  }

  open(frame: Uint8Array | string, seen: { id: Id | null; method?: string } = { id: null }): Envelope {
    if (typeof frame === 'string') return fail('BAD_FRAME', 'a text frame on the binary subprotocol');
    const bytes = asBuffer(frame);
    const scan = scanMsgpack(bytes, this.maxDepth);
    if (scan.fault !== undefined) {
      this.#peek(bytes, scan.id, (id) => {
        if (isId(id)) seen.id = id;
      });
      this.#peek(bytes, scan.method, (method) => {
        if (typeof method === 'string') seen.method = method;
      });
      throw scan.fault;
    }
    const value = this.#unpack(bytes);
    if (countEntries(value) !== scan.entries) {
      const id: unknown = value instanceof Map ? value.get('id') : undefined;
      if (isId(id)) seen.id = id;
      fail('BAD_FRAME', 'a map holds a key twice');
    }
    return readEnvelope(new MsgpackPiece(value), seen);
  }

  encode(out: Outgoing): Uint8Array {
    let message: object = { jsonrpc: '2.0', ...out };
    if ('error' in out) message = { jsonrpc: '2.0', id: out.id, error: errorMember(out.error) };
    // An answer holds a result, whatever the handler gave.
    else if ('result' in out) message = { jsonrpc: '2.0', id: out.id, result: out.result ?? null };
    return PACKR.pack(packable(message));
  }

  #unpack(bytes: Buffer): unknown {
    try {
      return UNPACKR.unpack(bytes);
    } catch (cause) {
      return fail('BAD_FRAME', `not MessagePack: ${(cause as Error).message}`, { cause });
    }
  }

  /** Reads a text or an integer from a frame that is not to be decoded as a whole. */
  #peek(bytes: Buffer, range: [number, number] | undefined, take: (v: unknown) => void): void {
    if (range === undefined) return;
    const c = bytes[range[0]]!;
    const isExtension = (c >= 0xc7 && c <= 0xc9) || (c >= 0xd4 && c <= 0xd8);
    if (!isExtension) take(this.#unpack(bytes.subarray(...range)));
  }
}

/** A codec for one connection. */
export function codecFor(subprotocol: Subprotocol, o: CodecOptions = {}): Codec {
  const depth = o.maxDepth ?? MAX_FRAME_DEPTH;
  return subprotocol === 'curated.v1.json' ? new JsonCodec(depth) : new MsgpackCodec(depth);
}

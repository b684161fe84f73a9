// Values as they lie in the file: as they are, or sealed with AES-256-GCM under keys that come from one random key a database.
// That key is wrapped by the operator's, so that the operator's can change. Knows bytes and places, no table.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { CuratedError } from '../errors.js';

/** How values cross the border to the file. `place` names the row a value belongs to: it opens nowhere else. */
export interface Vault {
  readonly sealed: boolean;
  textOut(kind: Kind, place: string, text: string): string | Uint8Array;
  textIn(kind: Kind, place: string, stored: string | Uint8Array): string;
  bytesOut(kind: Kind, place: string, bytes: Uint8Array): Uint8Array;
  bytesIn(kind: Kind, place: string, stored: Uint8Array): Uint8Array;
  /** A hash of content as 32 bytes, hidden so that it confirms no guess of the content; its own inverse. */
  hash(place: string, hash: Buffer): Buffer;
  /** Name of a text in the file, from its content hash and tenant. */
  name(tenant: string, hash: Buffer): Buffer;
}

export type Kind = 'event' | 'blob' | 'snapshot' | 'file';

/** Everything as it is. */
export const OPEN_VAULT: Vault = {
  sealed: false,
  textOut: (_kind, _place, text) => text,
  textIn: (_kind, _place, stored) => (typeof stored === 'string' ? stored : refuse('is sealed')),
  bytesOut: (_kind, _place, bytes) => bytes,
  bytesIn: (_kind, _place, stored) => stored,
  hash: (_place, hash) => hash,
  name: (_tenant, hash) => hash,
};

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Keys by place that are kept: making one is an HMAC. */
const KEYS_KEPT = 4096;

export class SealedVault implements Vault {
  readonly sealed = true;
  readonly #root: Buffer;
  readonly #mask: Buffer;
  readonly #keys = new Map<string, Buffer>();

  constructor(root: Uint8Array) {
    this.#root = Buffer.from(root);
    this.#mask = this.#derived('hash');
  }

  /** The database's own key, for another thread of this process. */
  get root(): Uint8Array {
    return new Uint8Array(this.#root);
  }

  textOut(kind: Kind, place: string, text: string): Uint8Array {
    return this.bytesOut(kind, place, Buffer.from(text, 'utf8'));
  }

  textIn(kind: Kind, place: string, stored: string | Uint8Array): string {
    if (typeof stored === 'string') return refuse('is not sealed, and all of this journal is');
    return Buffer.from(this.bytesIn(kind, place, stored)).toString('utf8');
  }

  bytesOut(kind: Kind, place: string, bytes: Uint8Array): Uint8Array {
    return seal(this.#keyOf(kind, place), `${kind} ${place}`, bytes);
  }

  bytesIn(kind: Kind, place: string, stored: Uint8Array): Uint8Array {
    return (
      open(this.#keyOf(kind, place), `${kind} ${place}`, stored) ??
      refuse('cannot be opened: it was changed or moved')
    );
  }

  hash(place: string, hash: Buffer): Buffer {
    if (hash.length === 0) return hash;
    const mask = createHmac('sha256', this.#mask).update(place).digest();
    const out = Buffer.alloc(hash.length);
    for (let i = 0; i < hash.length; i++) out[i] = hash[i]! ^ mask[i % mask.length]!;
    return out;
  }

  name(tenant: string, hash: Buffer): Buffer {
    return createHmac('sha256', this.#derived('name')).update(tenant).update('\0').update(hash).digest();
  }

  /** One key a journal or kind: a random nonce is safe for 2^32 values under one key, and a daemon may write more than that. */
  #keyOf(kind: Kind, place: string): Buffer {
    const session = place.slice(0, Math.max(0, place.indexOf(':')));
    return this.#derived(`${kind} ${session}`);
  }

  #derived(label: string): Buffer {
    let key = this.#keys.get(label);
    if (key === undefined) {
      key = createHmac('sha256', this.#root).update(label).digest();
      if (this.#keys.size >= KEYS_KEPT) this.#keys.clear();
      this.#keys.set(label, key);
    }
    return key;
  }
}

/** A new random key for a database. */
export function newRoot(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** `root` under the operator's key, as text for the header of a file. */
export function wrap(root: Uint8Array, operator: Uint8Array): string {
  const salt = randomBytes(16);
  const sealed = seal(wrapping(operator, salt), WRAP, root);
  return JSON.stringify({
    v: 1,
    alg: 'HKDF-SHA256 AES-256-GCM',
    salt: salt.toString('base64'),
    key: Buffer.from(sealed).toString('base64'),
  });
}

/** The key of a database; undefined when `operator` is not the one that wrapped it. */
export function unwrap(wrapped: string, operator: Uint8Array): Buffer | undefined {
  let value: { v?: unknown; salt?: unknown; key?: unknown };
  try {
    value = JSON.parse(wrapped) as typeof value;
  } catch {
    return undefined;
  }
  if (value.v !== 1 || typeof value.salt !== 'string' || typeof value.key !== 'string') return undefined;
  const root = open(
    wrapping(operator, Buffer.from(value.salt, 'base64')),
    WRAP,
    Buffer.from(value.key, 'base64'),
  );
  return root === undefined ? undefined : Buffer.from(root);
}

const WRAP = 'curated journal key v1';

function wrapping(operator: Uint8Array, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', operator, salt, WRAP, KEY_BYTES));
}

/** nonce, ciphertext, tag. */
function seal(key: Uint8Array, place: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(place, 'utf8'));
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Uint8Array, place: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) return undefined;
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(place, 'utf8'));
  decipher.setAuthTag(bytes.subarray(end));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function refuse(why: string): never {
  throw new CuratedError('STORAGE', `a stored value ${why}`, { detail: { quarantined: true } });
}

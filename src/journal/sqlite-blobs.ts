// Blobs and snapshots in SQLite: content-addressed a tenant, deflated when that helps, counted by the sessions that name them.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { CuratedError } from '../errors.js';
import { sha256 } from './record.js';
import type { Db } from './sqlite-schema.js';
import type { Blob } from './store.js';
import type { Vault } from './vault.js';

/** Below this, deflating costs more than it saves. */
const MIN_DEFLATE = 256;

export class Blobs {
  readonly #find;
  readonly #load;
  readonly #insert;
  readonly #ref;
  readonly #copyRefs;
  readonly #unref;
  readonly #dropUnnamed;
  readonly #count;
  readonly #saveSnapshot;
  readonly #loadSnapshot;
  readonly #dropSnapshot;

  constructor(
    db: Db,
    readonly vault: Vault,
  ) {
    this.#find = db.prepare('SELECT id FROM blobs WHERE tenant = ? AND hash = ?').pluck();
    this.#load = db.prepare('SELECT size, deflated, data FROM blobs WHERE tenant = ? AND hash = ?').raw();
    this.#insert = db.prepare(
      'INSERT INTO blobs (tenant, hash, size, deflated, data) VALUES (?, ?, ?, ?, ?)',
    );
    this.#ref = db.prepare('INSERT OR IGNORE INTO refs (session, blob) VALUES (?, ?)');
    this.#copyRefs = db.prepare('INSERT OR IGNORE INTO refs SELECT ?, blob FROM refs WHERE session = ?');
    this.#unref = db.prepare('DELETE FROM refs WHERE session = ?');
    this.#dropUnnamed = db.prepare(
      'DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM refs WHERE refs.blob = blobs.id)',
    );
    this.#count = db.prepare('SELECT count(*) FROM blobs').pluck();
    this.#saveSnapshot = db.prepare(
      'REPLACE INTO snapshots (session, seq, hash, sum, data) VALUES (?, ?, ?, ?, ?)',
    );
    this.#loadSnapshot = db
      .prepare('SELECT seq, lower(hex(hash)), lower(hex(sum)), data FROM snapshots WHERE session = ?')
      .raw();
    this.#dropSnapshot = db.prepare('DELETE FROM snapshots WHERE session = ?');
  }

  /** Stores a blob, if the tenant has it not yet, and notes that `session` names it. */
  keep(session: number, tenant: string, blob: Blob): void {
    const hash = this.vault.name(tenant, digest(blob.hash));
    let id = this.#find.get(tenant, hash) as number | bigint | undefined;
    if (id === undefined) {
      const { bytes } = blob;
      const packed = bytes.byteLength >= MIN_DEFLATE ? deflateRawSync(bytes, { level: 1 }) : bytes;
      const deflated = packed.byteLength < bytes.byteLength;
      const data = this.vault.bytesOut('blob', blobPlace(tenant, hash), deflated ? packed : bytes);
      id = this.#insert.run(tenant, hash, bytes.byteLength, deflated ? 1 : 0, data).lastInsertRowid;
    }
    this.#ref.run(session, id);
  }

  /** Verified by hash; throws STORAGE when the bytes are not what the name says. */
  load(tenant: string, hash: string): Uint8Array | undefined {
    const name = this.vault.name(tenant, digest(hash));
    const row = this.#load.get(tenant, name) as [number, number, Buffer] | undefined;
    if (!row) return undefined;
    const [size, deflated, data] = row;
    let bytes: Uint8Array | undefined;
    try {
      const opened = this.vault.bytesIn('blob', blobPlace(tenant, name), data);
      bytes = deflated === 0 ? opened : inflateRawSync(opened, { maxOutputLength: Math.max(1, size) });
    } catch {
      bytes = undefined;
    }
    if (bytes === undefined || `sha256:${sha256(bytes)}` !== hash) {
      throw new CuratedError('STORAGE', `the stored text ${hash} is damaged; see 'curated journal verify'`, {
        detail: { quarantined: true, blob: hash },
      });
    }
    // A copy of its own, since a slice of the pool would take the whole pool across the thread.
    return new Uint8Array(bytes);
  }

  copyRefs(from: number, to: number): void {
    this.#copyRefs.run(to, from);
  }

  /** Forgets what `session` names and its snapshot. */
  release(session: number): void {
    this.#unref.run(session);
    this.#dropSnapshot.run(session);
  }

  /** Removes blobs that nobody names; returns their number. */
  dropUnnamed(): number {
    return this.#dropUnnamed.run().changes;
  }

  count(): number {
    return this.#count.get() as number;
  }

  saveSnapshot(session: number, seq: number, hash: string, bytes: Uint8Array): void {
    const place = `${session}:${seq}`;
    const data = this.vault.bytesOut('snapshot', place, bytes);
    // Of what lies in the file, so that it tells nothing of what is in it.
    const sum = Buffer.from(sha256(data), 'hex');
    this.#saveSnapshot.run(
      session,
      seq,
      this.vault.hash(`snapshot ${place}`, Buffer.from(hash, 'hex')),
      sum,
      data,
    );
  }

  /** undefined when there is none, or its bytes are not what was saved: a snapshot is a cache. */
  loadSnapshot(session: number): { seq: number; hash: string; bytes: Uint8Array } | undefined {
    const row = this.#loadSnapshot.get(session) as [number, string, string, Buffer] | undefined;
    if (!row || sha256(row[3]) !== row[2]) return undefined;
    const place = `${session}:${row[0]}`;
    try {
      const hash = this.vault.hash(`snapshot ${place}`, Buffer.from(row[1], 'hex')).toString('hex');
      return { seq: row[0], hash, bytes: new Uint8Array(this.vault.bytesIn('snapshot', place, row[3])) };
    } catch {
      return undefined;
    }
  }
}

const blobPlace = (tenant: string, name: Buffer): string => `:${name.toString('hex')} ${tenant}`;

function digest(hash: string): Buffer {
  if (!/^sha256:[0-9a-f]{64}$/.test(hash)) throw new CuratedError('STORAGE', `'${hash}' names no blob`);
  return Buffer.from(hash.slice(7), 'hex');
}

// The records of all journals in SQLite: one clustered range of rows a journal, verified whenever it is read.
import { CELLS, type Cell, type PackedRecords, verifyPacked } from './packed.js';
import { quarantined } from './record.js';
import type { HeadRow } from './sqlite-heads.js';
import { type Db, SEQ_SPAN } from './sqlite-schema.js';
import type { Vault } from './vault.js';

/** Records of one `read`, at most. */
export const READ_MAX = 4096;

/** Journal and row: what is sealed there opens nowhere else. */
const placeOf = (row: HeadRow, id: number): string => `${row.id}:${id}`;

/** id, then the cells of a record without its hash. */
type EventRow = [id: number, ...cells: Cell[]];

export class Events {
  readonly #insert;
  readonly #range;
  readonly #hashes;
  readonly #stamp;
  readonly #copy;
  readonly #delete;
  readonly #count;
  readonly #rows;

  constructor(
    db: Db,
    readonly vault: Vault,
  ) {
    this.#insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    this.#range = db
      .prepare(
        'SELECT id, ts, type, ver, turn, observed, payload FROM events WHERE id BETWEEN ? AND ? ORDER BY id',
      )
      .raw();
    this.#hashes = db
      .prepare('SELECT lower(hex(hash)) FROM events WHERE id BETWEEN ? AND ? ORDER BY id')
      .pluck();
    this.#stamp = db.prepare('SELECT lower(hex(hash)) AS hash, ts FROM events WHERE id = ?');
    this.#copy = db.prepare(
      'INSERT INTO events SELECT id + ?, ts, type, ver, turn, observed, hash, payload FROM events WHERE id BETWEEN ? AND ? ORDER BY id',
    );
    this.#delete = db.prepare('DELETE FROM events WHERE id BETWEEN ? AND ?');
    this.#rows = db
      .prepare(
        'SELECT id, ts, type, ver, turn, observed, hash, payload FROM events WHERE id BETWEEN ? AND ? ORDER BY id',
      )
      .raw();
    this.#count = db.prepare('SELECT count(*) FROM events').pluck();
  }

  /** Writes the records behind the head; the caller moves the head. */
  append(row: HeadRow, cells: readonly Cell[]): void {
    const insert = this.#insert;
    let id = row.id * SEQ_SPAN + row.seq + 1;
    for (let c = 0; c < cells.length; c += CELLS) {
      const place = placeOf(row, id);
      const hash = this.vault.hash(place, Buffer.from(cells[c + 5] as string, 'hex'));
      const payload = this.vault.textOut('event', place, cells[c + 6] as string);
      insert.run(id++, cells[c], cells[c + 1], cells[c + 2], cells[c + 3], cells[c + 4], hash, payload);
    }
  }

  /** Hash and time of one record. */
  stamp(row: HeadRow, seq: number): { hash: string; ts: number } | undefined {
    const id = row.id * SEQ_SPAN + seq;
    const stamp = this.#stamp.get(id) as { hash: string; ts: number } | undefined;
    return stamp && this.vault.sealed ? { ...stamp, hash: this.#shown(row, id, stamp.hash) } : stamp;
  }

  #shown(row: HeadRow, id: number, hex: string): string {
    return this.vault.hash(placeOf(row, id), Buffer.from(hex, 'hex')).toString('hex');
  }

  /** At most `limit` records from `fromSeq` on; throws the quarantine error at the first that is missing or damaged. */
  read(row: HeadRow, fromSeq: number, limit: number): PackedRecords {
    const { session } = row.key;
    const firstSeq = Math.max(1, fromSeq);
    const count = Math.min(limit, READ_MAX, row.seq - firstSeq + 1);
    if (count <= 0) return { firstSeq, prev: '', cells: [] };
    const lastSeq = firstSeq + count - 1;
    const prev = firstSeq === 1 ? '' : this.stamp(row, firstSeq - 1)?.hash;
    if (prev === undefined) throw quarantined(session, firstSeq - 1, 'is missing');
    if (lastSeq === row.seq && this.stamp(row, lastSeq + 1)) {
      throw quarantined(session, lastSeq + 1, 'is stored beyond the head');
    }
    const first = row.id * SEQ_SPAN + firstSeq;
    const rows = this.#range.all(first, first + count - 1) as EventRow[];
    const cells: Cell[] = new Array(count * CELLS);
    let c = 0;
    for (let i = 0; i < count; i++) {
      const r = rows[i];
      if (r === undefined || r[0] !== first + i) throw quarantined(session, firstSeq + i, 'is missing');
      for (let k = 1; k < CELLS - 1; k++) cells[c++] = r[k]!;
      cells[c++] = '';
      cells[c++] = this.vault.sealed ? this.#opened(row, first + i, r[CELLS - 1]!) : r[CELLS - 1]!;
    }
    // The last hash vouches for all: each covers the one before. The others are computed, not fetched.
    cells[cells.length - 2] = this.stamp(row, lastSeq)!.hash;
    const packed = { firstSeq, prev, cells };
    try {
      verifyPacked(row.key, packed, row);
    } catch {
      // Which record it is takes all the stored hashes.
      const hashes = this.#hashes.all(first, first + count - 1) as string[];
      for (let i = 0; i < count; i++) {
        cells[i * CELLS + 5] = this.vault.sealed ? this.#shown(row, first + i, hashes[i]!) : hashes[i]!;
      }
      verifyPacked(row.key, packed, row);
    }
    return packed;
  }

  /** Copies the records up to `toSeq`, hashes and all: the chain does not name its session. */
  copy(from: HeadRow, to: HeadRow, toSeq: number): void {
    const first = from.id * SEQ_SPAN + 1;
    if (this.vault.sealed) {
      this.#reseal(from, to, first, toSeq);
      return;
    }
    this.#copy.run((to.id - from.id) * SEQ_SPAN, first, first + toSeq - 1);
  }

  /** A sealed value opens in its own row alone: a copy is sealed anew. */
  #reseal(from: HeadRow, to: HeadRow, first: number, count: number): void {
    for (let at = first; at < first + count; at += READ_MAX) {
      const last = Math.min(at + READ_MAX, first + count) - 1;
      for (const [id, ts, type, ver, turn, observed, hash, payload] of this.#rows.all(
        at,
        last,
      ) as unknown[][]) {
        const old = placeOf(from, id as number);
        const next = to.id * SEQ_SPAN + ((id as number) % SEQ_SPAN);
        const place = placeOf(to, next);
        const plain = this.vault.hash(old, hash as Buffer);
        const text = this.vault.textIn('event', old, payload as Uint8Array);
        const sealed = this.vault.textOut('event', place, text);
        this.#insert.run(next, ts, type, ver, turn, observed, this.vault.hash(place, plain), sealed);
      }
    }
  }

  #opened(row: HeadRow, id: number, stored: unknown): string {
    try {
      return this.vault.textIn('event', placeOf(row, id), stored as string | Uint8Array);
    } catch {
      throw quarantined(row.key.session, id % SEQ_SPAN, 'cannot be opened: it was changed or moved');
    }
  }

  remove(row: HeadRow): void {
    this.#delete.run(row.id * SEQ_SPAN + 1, (row.id + 1) * SEQ_SPAN - 1);
  }

  count(): number {
    return this.#count.get() as number;
  }
}

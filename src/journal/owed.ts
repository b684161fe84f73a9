// What was acknowledged from the redo log while the engine could not commit: it is written as soon as the engine can again, and
// shown by reads until then. Lives on the engine's thread.
import type { WriteOp } from './engine.js';
import { CELLS, type PackedGroup, type PackedRecords } from './packed.js';
import { keyText, type SessionHead, type SessionKey } from './store.js';

type Owing = WriteOp & { op: 'append' };

export class Owed {
  /** In the order in which they were acknowledged. */
  readonly #ops: Owing[] = [];

  get none(): boolean {
    return this.#ops.length === 0;
  }

  add(op: Owing): void {
    this.#ops.push(op);
  }

  get ops(): readonly Owing[] {
    return this.#ops;
  }

  clear(): void {
    this.#ops.length = 0;
  }

  /** `read` as it would be with the owed records. */
  read(key: SessionKey, fromSeq: number, limit: number, stored: PackedRecords): PackedRecords {
    const cells = [...stored.cells];
    let { prev } = stored;
    for (const group of this.#of(key)) {
      for (let c = 0; c < group.cells.length && cells.length < limit * CELLS; c += CELLS) {
        const seq = group.expectedSeq + 1 + c / CELLS;
        if (seq !== stored.firstSeq + cells.length / CELLS || seq < fromSeq) continue;
        if (cells.length === 0) prev = c === 0 ? group.prev : (group.cells[c - 2] as string);
        cells.push(...group.cells.slice(c, c + CELLS));
      }
    }
    return { firstSeq: stored.firstSeq, prev, cells };
  }

  /** `head` as it would be with them. */
  head(key: SessionKey, stored: SessionHead | undefined): SessionHead | undefined {
    let head = stored;
    for (const { expectedSeq, cells } of this.#of(key)) {
      const ts = cells[cells.length - CELLS] as number;
      head = {
        ...(head ?? { key, createdAt: cells[0] as number, meta: {} }),
        seq: expectedSeq + cells.length / CELLS,
        hash: cells[cells.length - 2] as string,
        updatedAt: ts,
      };
    }
    return head;
  }

  #of(key: SessionKey): PackedGroup[] {
    const k = keyText(key);
    return this.#ops.map((op) => op.group).filter((g) => keyText(g.key) === k);
  }
}

// Nearest neighbours among vectors of one length: compared one by one while they are few, by a graph in its own thread once
// they are many. The rows stay here: the graph is derived, and made again from them when its thread is lost.

import { asVector } from '../../pool/vectors.js';
import { type Owner, sharedOwner } from './owner.js';
import { type Neighbour, Rows, unit } from './rows.js';

/** Vectors from which on a graph answers sooner than a scan, round trip to its thread included (bench similarity). */
export const PROMOTE_AT = 4000;
/** Rows that are sent to the thread at once: a message of 1.5 MB at 384 dimensions. */
const BATCH = 1000;

let ids = 0;

export class VectorIndex {
  readonly #rows: Rows;
  readonly #owner: () => Owner;
  readonly #promoteAt: number;
  #index = 0;
  /** Rows the graph has. */
  #sent = 0;
  #building: Promise<void> | undefined;

  constructor(dims: number, o: { promoteAt?: number; owner?: Owner } = {}) {
    this.#rows = new Rows(dims);
    this.#promoteAt = o.promoteAt ?? PROMOTE_AT;
    const { owner } = o;
    this.#owner = owner === undefined ? sharedOwner : () => owner;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** `graph` once the graph holds every row. */
  get kind(): 'flat' | 'graph' {
    return this.#index > 0 && this.#sent === this.#rows.size ? 'graph' : 'flat';
  }

  /** Throws BAD_VECTOR, and the index is as it was. */
  add(label: number, vector: ArrayLike<unknown>): void {
    this.#rows.add(label, vector);
    if (this.#rows.size >= this.#promoteAt) this.#building ??= this.#promote();
  }

  /** The `k` nearest, best first; exact while flat. Throws BAD_VECTOR. */
  async nearest(vector: ArrayLike<unknown>, k: number): Promise<Neighbour[]> {
    const v = unit(asVector(vector, this.#rows.dims));
    if (this.kind === 'flat') return this.#rows.nearest(v, k);
    try {
      return await this.#owner().ask({ do: 'nearest', index: this.#index, vector: v, k });
    } catch {
      // The thread is gone and its graph with it: the rows answer, and another graph is made.
      this.#index = 0;
      this.#sent = 0;
      this.#building ??= this.#promote();
      return this.#rows.nearest(v, k);
    }
  }

  /** Resolves when the graph holds what was added so far, or cannot be had. */
  async settled(): Promise<void> {
    await this.#building;
  }

  async drop(): Promise<void> {
    if (this.#index === 0) return;
    await this.#owner()
      .ask({ do: 'drop', index: this.#index })
      .catch(() => []);
  }

  async #promote(): Promise<void> {
    if (this.#index === 0) this.#index = ++ids;
    try {
      while (this.#sent < this.#rows.size) {
        const from = this.#sent;
        const to = Math.min(this.#rows.size, from + BATCH);
        const { dims } = this.#rows;
        const labels = new Int32Array(to - from);
        const rows = new Float32Array((to - from) * dims);
        for (let i = from; i < to; i += 1) {
          labels[i - from] = this.#rows.label(i);
          rows.set(this.#rows.row(i), (i - from) * dims);
        }
        await this.#owner().ask({ do: 'add', index: this.#index, dims, labels, rows });
        this.#sent = to;
      }
    } catch {
      // No graph then: the scan goes on, and the next vector tries again.
      this.#index = 0;
      this.#sent = 0;
    } finally {
      this.#building = undefined;
    }
  }
}

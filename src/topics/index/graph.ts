// The graph index of one set of vectors, in the thread that owns it. hnswlib ends the process on a value that is no number,
// so nothing reaches it but what was checked here, whatever was checked before.

import hnswlib from 'hnswlib-node';
import { asVector } from '../../pool/vectors.js';
import type { Neighbour } from './rows.js';

const FIRST = 8192;

export class Graph {
  readonly dims: number;
  readonly #index: hnswlib.HierarchicalNSW;
  #room = FIRST;

  constructor(dims: number) {
    this.dims = dims;
    this.#index = new hnswlib.HierarchicalNSW('ip', dims);
    this.#index.initIndex(FIRST, 16, 200, 100);
    this.#index.setEf(64);
  }

  /** @param rows row after row, each of length 1 */
  add(labels: Int32Array, rows: Float32Array): void {
    for (let i = 0; i < labels.length; i += 1) {
      const label = labels[i]!;
      if (label < 0) throw new RangeError(`label ${label} is negative`);
      const v = asVector(rows.subarray(i * this.dims, (i + 1) * this.dims), this.dims);
      if (this.#index.getCurrentCount() >= this.#room) {
        this.#room *= 2;
        this.#index.resizeIndex(this.#room);
      }
      // Plain arrays alone are taken.
      this.#index.addPoint(Array.from(v), label);
    }
  }

  nearest(vector: Float32Array, k: number): Neighbour[] {
    const v = asVector(vector, this.dims);
    const n = Math.min(k, this.#index.getCurrentCount());
    if (n === 0) return [];
    const { neighbors, distances } = this.#index.searchKnn(Array.from(v), n);
    return neighbors.map((label, i) => ({ label, similarity: 1 - distances[i]! }));
  }
}

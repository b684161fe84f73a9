// Vectors of one length, one after the other in memory, each scaled to length 1: added after a check, compared one by one.
// From a few hundred rows on they lie in a WASM memory and sixteen numbers are multiplied at a time. Pure.

import { asVector } from '../../pool/vectors.js';
import { PRODUCTS_WASM } from './products-wasm.js';

export interface Neighbour {
  /** The label the vector was added with. */
  label: number;
  /** Cosine. */
  similarity: number;
}

const FIRST_ROWS = 16;
/** Rows from which on a memory of their own pays: it takes 64 KiB at least, and address space. */
const WASM_FROM = 256;
/** Rows that are multiplied in one call. */
const BLOCK = 1024;
const PAGE = 65_536;
const LANES = 16;

let compiled: WebAssembly.Module | undefined;

type Products = (rows: number, n: number, dims: number, q: number, out: number) => void;

/** The rows in WASM: vector and products in front, rows behind, so that growing moves nothing. */
class Store {
  readonly #memory: WebAssembly.Memory;
  readonly #products: Products;
  readonly #width: number;
  readonly #rowsAt: number;
  readonly #outAt: number;
  #floats: Float32Array;

  constructor(dims: number) {
    this.#width = Math.ceil(dims / LANES) * LANES;
    this.#outAt = this.#width * 4;
    this.#rowsAt = this.#outAt + BLOCK * 4;
    this.#memory = new WebAssembly.Memory({
      initial: Math.ceil((this.#rowsAt + BLOCK * this.#width * 4) / PAGE),
    });
    this.#floats = new Float32Array(this.#memory.buffer);
    compiled ??= new WebAssembly.Module(Buffer.from(PRODUCTS_WASM, 'base64'));
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#products = instance.exports['products'] as Products;
  }

  set(i: number, v: Float32Array): void {
    const at = this.#rowsAt / 4 + i * this.#width;
    if ((at + this.#width) * 4 > this.#memory.buffer.byteLength) {
      // By half: what is added next fits too.
      this.#memory.grow(
        Math.ceil(this.#memory.buffer.byteLength / PAGE / 2) + Math.ceil((this.#width * 4) / PAGE),
      );
      this.#floats = new Float32Array(this.#memory.buffer);
    }
    this.#floats.set(v, at);
  }

  row(i: number, dims: number): Float32Array {
    const at = this.#rowsAt / 4 + i * this.#width;
    return this.#floats.subarray(at, at + dims);
  }

  /** Calls `each` with the first row and the products of every block of rows. */
  products(n: number, v: Float32Array, each: (first: number, products: Float32Array) => void): void {
    this.#floats.set(v, 0);
    for (let from = 0; from < n; from += BLOCK) {
      const size = Math.min(BLOCK, n - from);
      this.#products(this.#rowsAt + from * this.#width * 4, size, this.#width, 0, this.#outAt);
      each(from, this.#floats.subarray(this.#outAt / 4, this.#outAt / 4 + size));
    }
  }
}

export class Rows {
  readonly dims: number;
  #rows: Float32Array;
  #labels = new Int32Array(FIRST_ROWS);
  #n = 0;
  #store: Store | undefined;

  constructor(dims: number) {
    this.dims = dims;
    this.#rows = new Float32Array(FIRST_ROWS * dims);
  }

  get size(): number {
    return this.#n;
  }

  /** Throws BAD_VECTOR for what is no vector of this length (F34). */
  add(label: number, vector: ArrayLike<unknown>): void {
    const v = unit(asVector(vector, this.dims));
    if (this.#n === this.#labels.length) this.#grow();
    if (this.#store !== undefined) this.#store.set(this.#n, v);
    else this.#rows.set(v, this.#n * this.dims);
    this.#labels[this.#n] = label;
    this.#n += 1;
  }

  /** Row `i` as it is stored; a view, good until the next `add`. */
  row(i: number): Float32Array {
    return this.#store?.row(i, this.dims) ?? this.#rows.subarray(i * this.dims, (i + 1) * this.dims);
  }

  label(i: number): number {
    return this.#labels[i]!;
  }

  /** The `k` nearest, best first. O(n * dims). Throws BAD_VECTOR. */
  nearest(vector: ArrayLike<unknown>, k: number): Neighbour[] {
    const v = unit(asVector(vector, this.dims));
    const best: Neighbour[] = [];
    let least = Number.NEGATIVE_INFINITY;
    const offer = (i: number, similarity: number): void => {
      let at = best.length;
      while (at > 0 && best[at - 1]!.similarity < similarity) at -= 1;
      best.splice(at, 0, { label: this.#labels[i]!, similarity });
      if (best.length > k) best.pop();
      if (best.length === k) least = best[k - 1]!.similarity;
    };
    if (this.#store === undefined) {
      for (let i = 0; i < this.#n; i += 1) {
        const similarity = product(this.#rows, i * this.dims, v);
        if (similarity > least) offer(i, similarity);
      }
      return best;
    }
    this.#store.products(this.#n, v, (first, products) => {
      for (let i = 0; i < products.length; i += 1) if (products[i]! > least) offer(first + i, products[i]!);
    });
    return best;
  }

  #grow(): void {
    const labels = new Int32Array(this.#labels.length * 2);
    labels.set(this.#labels);
    this.#labels = labels;
    if (this.#store !== undefined) return;
    if (this.#n >= WASM_FROM) {
      const store = new Store(this.dims);
      for (let i = 0; i < this.#n; i += 1) store.set(i, this.row(i));
      this.#store = store;
      this.#rows = new Float32Array(0);
      return;
    }
    const rows = new Float32Array(this.#rows.length * 2);
    rows.set(this.#rows);
    this.#rows = rows;
  }
}

/** A copy at length 1. */
export function unit(v: Float32Array): Float32Array {
  let norm = 0;
  for (let i = 0; i < v.length; i += 1) norm += v[i]! * v[i]!;
  const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
  return v.map((x) => x * scale);
}

function product(rows: Float32Array, at: number, v: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < v.length; i += 1) sum += rows[at + i]! * v[i]!;
  return sum;
}

// Vectors of one length, one after the other in memory, each scaled to length 1: added after a check, compared one by one.
// From a few hundred rows on they lie a second time in a WASM memory, in steps of 16 bits: their product says of most rows that they
// are not among the nearest, and the others are compared exactly. Pure.

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
const BLOCK = 4096;
const PAGE = 65_536;
const LANES = 16;
/** Rows that are multiplied side by side. */
const TOGETHER = 4;
const ROUNDING = 1e-6;

let compiled: WebAssembly.Module | undefined;

type Products = (rows: number, n: number, dims: number, q: number, out: number) => void;

/** The rows in whole steps in WASM, and how far a product of theirs may be from the true one. */
class Store {
  readonly #memory: WebAssembly.Memory;
  readonly #products: Products;
  readonly #width: number;
  readonly #stride: number;
  /** Largest number of steps: a sum of as many products as there are dimensions stays within 32 bits. */
  readonly #most: number;
  readonly #rowsAt: number;
  readonly #outAt: number;
  #shorts: Int16Array;
  #floats: Float32Array;
  #out: Float32Array;
  /** The largest distance of a row from its steps. */
  #error = 0;

  constructor(dims: number) {
    this.#width = Math.ceil(dims / LANES) * LANES;
    this.#stride = this.#width * 2 + 16;
    this.#most = Math.floor(Math.sqrt((2 ** 31 - 1) / this.#width));
    this.#outAt = this.#width * 2;
    this.#rowsAt = this.#outAt + BLOCK * 4;
    this.#memory = new WebAssembly.Memory({
      initial: Math.ceil((this.#rowsAt + BLOCK * this.#stride) / PAGE),
    });
    this.#shorts = new Int16Array(this.#memory.buffer);
    this.#floats = new Float32Array(this.#memory.buffer);
    this.#out = new Float32Array(this.#memory.buffer, this.#outAt, BLOCK);
    compiled ??= new WebAssembly.Module(Buffer.from(PRODUCTS_WASM, 'base64'));
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#products = instance.exports['products'] as Products;
  }

  /** @param v of length 1 */
  set(i: number, v: Float32Array): void {
    const at = this.#rowsAt + i * this.#stride;
    // Rows are multiplied by fours: those behind the last one have to be there.
    const end = at + TOGETHER * this.#stride;
    if (end > this.#memory.buffer.byteLength) {
      // By half: what is added next fits too.
      this.#memory.grow(
        Math.ceil(this.#memory.buffer.byteLength / PAGE / 2) + Math.ceil((TOGETHER * this.#stride) / PAGE),
      );
      this.#shorts = new Int16Array(this.#memory.buffer);
      this.#floats = new Float32Array(this.#memory.buffer);
      this.#out = new Float32Array(this.#memory.buffer, this.#outAt, BLOCK);
    }
    const { step, error } = quantise(v, this.#most, this.#shorts, at / 2);
    this.#floats[(at + this.#width * 2) / 4] = step;
    this.#error = Math.max(this.#error, error);
  }

  /**
   * The vector that rows are multiplied with from now on, of length 1.
   * @returns how far a product may be from the true one, in steps of the vector's numbers, as the products are
   */
  ask(v: Float32Array): number {
    const { step, error } = quantise(v, this.#most, this.#shorts, 0);
    // |r.v - r'.v'| <= |r - r'| |v| + |r'| |v - v'|, with |v| = 1 and |r'| <= 1 + |r - r'|; and what float32 rounds off.
    return (this.#error + (1 + this.#error) * error + ROUNDING) / (step === 0 ? 1 : step);
  }

  /** Products of `n` rows from the first on, at most BLOCK; a view, good until the next call. */
  products(first: number, n: number): Float32Array {
    const fours = Math.ceil(n / TOGETHER) * TOGETHER;
    this.#products(this.#rowsAt + first * this.#stride, fours, this.#width, 0, this.#outAt);
    return this.#out;
  }
}

/** Numbers from -1 to 1 as whole steps. @returns the length of a step, and the distance from what was given */
function quantise(
  v: Float32Array,
  most: number,
  into: Int16Array,
  at: number,
): { step: number; error: number } {
  let largest = 0;
  for (let i = 0; i < v.length; i += 1) largest = Math.max(largest, Math.abs(v[i]!));
  if (largest === 0) {
    into.fill(0, at, at + v.length);
    return { step: 0, error: 0 };
  }
  // In float32, as the row's step is stored; what that rounds off never makes a step more than `most`.
  const step = Math.fround(largest / most);
  const inverse = 1 / step;
  let error = 0;
  for (let i = 0; i < v.length; i += 1) {
    const n = Math.round(v[i]! * inverse);
    into[at + i] = n;
    const off = v[i]! - n * step;
    error += off * off;
  }
  return { step, error: Math.sqrt(error) };
}

export class Rows {
  readonly dims: number;
  #rows: Float32Array;
  #labels = new Int32Array(FIRST_ROWS);
  #n = 0;
  #store: Store | undefined;
  // Kept from call to call: a typed array costs a microsecond to make.
  readonly #asked: Float32Array;
  #best = new Best(0);
  #chosen = { of: new Int32Array(0), about: new Float32Array(0) };

  constructor(dims: number) {
    this.dims = dims;
    this.#rows = new Float32Array(FIRST_ROWS * dims);
    this.#asked = new Float32Array(dims);
  }

  get size(): number {
    return this.#n;
  }

  /** Throws BAD_VECTOR for what is no vector of this length (F34). */
  add(label: number, vector: ArrayLike<unknown>): void {
    const v = unit(asVector(vector, this.dims));
    if (this.#n === this.#labels.length) this.#grow();
    this.#store?.set(this.#n, v);
    this.#rows.set(v, this.#n * this.dims);
    this.#labels[this.#n] = label;
    this.#n += 1;
  }

  /** Row `i` as it is stored; a view, good until the next `add`. */
  row(i: number): Float32Array {
    return this.#rows.subarray(i * this.dims, (i + 1) * this.dims);
  }

  label(i: number): number {
    return this.#labels[i]!;
  }

  /** The `k` nearest, best first; exact. O(n * dims). Throws BAD_VECTOR. */
  nearest(vector: ArrayLike<unknown>, k: number): Neighbour[] {
    const v = unit(asVector(vector, this.dims), this.#asked);
    const best = this.#best.k === k ? this.#best : new Best(k);
    this.#best = best;
    best.clear();
    if (this.#store === undefined) this.#compare(v, best);
    else this.#sift(this.#store, v, best);
    return best.list((i, similarity) => ({ label: this.#labels[i]!, similarity }));
  }

  #compare(v: Float32Array, best: Best): void {
    for (let i = 0; i < this.#n; i += 1) {
      const similarity = product(this.#rows, i * this.dims, v);
      if (similarity > best.least) best.offer(i, similarity);
    }
  }

  /** Whoever may be as near as the k-th nearest is compared exactly, once all have been seen. */
  #sift(store: Store, v: Float32Array, best: Best): void {
    const { of, about } = this.#chosen;
    const twice = 2 * store.ask(v);
    let n = 0;
    let line = Number.NEGATIVE_INFINITY;
    for (let first = 0; first < this.#n; first += BLOCK) {
      const size = Math.min(BLOCK, this.#n - first);
      const products = store.products(first, size);
      for (let i = 0; i < size; i += 1) {
        const p = products[i]!;
        if (p < line) continue;
        of[n] = first + i;
        about[n] = p;
        n += 1;
        best.offer(first + i, p);
        line = best.least - twice;
      }
    }
    best.clear();
    for (let c = 0; c < n; c += 1) {
      if (about[c]! < line) continue;
      const similarity = product(this.#rows, of[c]! * this.dims, v);
      if (similarity > best.least) best.offer(of[c]!, similarity);
    }
  }

  #grow(): void {
    const labels = new Int32Array(this.#labels.length * 2);
    labels.set(this.#labels);
    this.#labels = labels;
    const rows = new Float32Array(labels.length * this.dims);
    rows.set(this.#rows);
    this.#rows = rows;
    if (this.#n < WASM_FROM) return;
    this.#chosen = { of: new Int32Array(labels.length), about: new Float32Array(labels.length) };
    if (this.#store !== undefined) return;
    this.#store = new Store(this.dims);
    for (let i = 0; i < this.#n; i += 1) this.#store.set(i, this.row(i));
  }
}

/** The k largest of what is offered; of equal ones the first. */
class Best {
  readonly #values: Float64Array;
  readonly #of: Int32Array;
  #n = 0;
  /** What one has to be above to come in. */
  least = Number.NEGATIVE_INFINITY;

  constructor(readonly k: number) {
    this.#values = new Float64Array(Math.max(0, k));
    this.#of = new Int32Array(Math.max(0, k));
  }

  offer(i: number, value: number): void {
    const k = this.#values.length;
    if (k === 0) return;
    if (value <= this.least) return;
    let at = this.#n < k ? this.#n++ : k - 1;
    for (; at > 0 && this.#values[at - 1]! < value; at -= 1) {
      this.#values[at] = this.#values[at - 1]!;
      this.#of[at] = this.#of[at - 1]!;
    }
    this.#values[at] = value;
    this.#of[at] = i;
    if (this.#n === k) this.least = this.#values[k - 1]!;
  }

  clear(): void {
    this.#n = 0;
    this.least = Number.NEGATIVE_INFINITY;
  }

  list<T>(each: (i: number, value: number) => T): T[] {
    return Array.from({ length: this.#n }, (_, at) => each(this.#of[at]!, this.#values[at]!));
  }
}

/** A copy at length 1. */
export function unit(v: Float32Array, out: Float32Array = new Float32Array(v.length)): Float32Array {
  let norm = 0;
  for (let i = 0; i < v.length; i += 1) norm += v[i]! * v[i]!;
  const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
  for (let i = 0; i < v.length; i += 1) out[i] = v[i]! * scale;
  return out;
}

/** Four sums side by side: each addition waits for the one before it in its own sum alone. */
function product(rows: Float32Array, at: number, v: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < v.length; i += 4) {
    a += rows[at + i]! * v[i]!;
    b += rows[at + i + 1]! * v[i + 1]!;
    c += rows[at + i + 2]! * v[i + 2]!;
    d += rows[at + i + 3]! * v[i + 3]!;
  }
  for (; i < v.length; i += 1) a += rows[at + i]! * v[i]!;
  return a + b + (c + d);
}

// The counting core as the pool sees it, on whichever thread it runs: one tokenizer a thread over the process's tables.
import {
  attach,
  loadTables,
  reclaim,
  type SharedTables,
  type Text,
  type Tokenizer,
} from '../../native/index.js';
import type { Encoding } from './contract.js';

let tables: SharedTables | undefined;
let tokenizer: Tokenizer | undefined;

/** The process's tables for a worker's data; undefined where the host cannot share memory and each thread loads its own. */
export function tablesToShare(): SharedTables | undefined {
  const loaded = loadTables();
  return loaded.shared ? loaded : undefined;
}

/** A killed thread gives nothing back: what it held of the shared memory is freed for the next one. */
export function freeThreads(ended: readonly number[]): void {
  const loaded = loadTables();
  for (const thread of ended) reclaim(loaded, thread);
}

/** Called once by a worker, before it counts. */
export function useTables(shared: SharedTables | undefined): void {
  tables = shared;
}

function core(): Tokenizer {
  tokenizer ??= attach(tables);
  return tokenizer;
}

/** Counts texts `first` to `first + n - 1` of an arena view into `counts`. */
export function countInto(
  encoding: Encoding,
  bytes: Uint8Array,
  offsets: Uint32Array,
  counts: Uint32Array,
  first: number,
  n: number,
): void {
  counts.set(core().countManyAt(bytes, offsets.subarray(first, first + n + 1), encoding), first);
}

/** Counts on this thread. */
export function countHere(texts: readonly Text[], encoding: Encoding): Uint32Array {
  return core().countMany(texts, encoding);
}

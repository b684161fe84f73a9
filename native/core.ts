// One instance of the WASM core with its region: caches, text buffer, stack. Knows addresses and bytes, no strings.
import { fail } from '../src/errors.js';
import { PAGE, type SharedTables, TABLES_AT } from './tables.js';

/** What native/assembly/core.ts exports. Counts are u32 read as i32: use `>>> 0`. */
interface CoreExports {
  regionBytes(textBytes: number): number;
  attach(tables: number, region: number, textBytes: number): number;
  run(encoding: number, from: number, length: number, final: number, max: number): number;
  consumed(): number;
  isMalformed(): number;
  count(encoding: number, length: number): number;
  countMany(encoding: number, from: number, ends: number, n: number): number;
  prefixBytes(encoding: number, from: number, length: number, max: number): number;
}

/** Text bytes of a worker's buffer. Longer texts pass through it in parts. */
export const BUFFER_BYTES = 131_072;
/** States of a region's slot in the shared memory. */
const FREE = 0;
const TAKEN = 1;
const USED_BEFORE = 2;
const SLOTS = 1024;

export interface Core {
  readonly fn: CoreExports;
  /** Address of the text buffer. */
  readonly buffer: number;
  /** The text buffer. */
  readonly bytes: Uint8Array;
  /** The same as u32. */
  readonly words: Uint32Array;
  /** Gives the region back. The core must not be used any more. */
  release(): void;
}

function grow(memory: WebAssembly.Memory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing <= 0) return;
  try {
    memory.grow(Math.ceil(missing / PAGE));
  } catch (cause) {
    fail('LIMIT', `the token core cannot have ${bytes} bytes of memory`, { cause });
  }
}

function start(
  tables: SharedTables,
  regionAt: (fn: CoreExports) => number,
  textBytes: number,
  release: () => void,
) {
  const instance = new WebAssembly.Instance(tables.module, { env: { memory: tables.memory } });
  const fn = instance.exports as unknown as CoreExports;
  const buffer = fn.attach(TABLES_AT, regionAt(fn), textBytes) >>> 0;
  const memory = tables.memory.buffer;
  return {
    fn,
    buffer,
    bytes: new Uint8Array(memory, buffer, textBytes),
    words: new Uint32Array(memory, buffer, textBytes >> 2),
    release,
  };
}

/**
 * A core in a region of its own within the tables' memory. Regions are taken by compare-and-swap on a table of
 * slots behind the blob, so threads need no other agreement; a released one is cleared before it is used again.
 */
export function sharedCore(tables: SharedTables): Core {
  const slotsAt = Math.ceil((TABLES_AT + tables.tableBytes) / 64) * 64;
  const first = Math.ceil((slotsAt + SLOTS * 4) / PAGE) * PAGE;
  grow(tables.memory, first);
  const slots = new Int32Array(tables.memory.buffer, slotsAt, SLOTS);
  let slot = 0;
  let before = FREE;
  for (; slot < SLOTS; slot++) {
    before = Atomics.load(slots, slot);
    if (before !== TAKEN && Atomics.compareExchange(slots, slot, before, TAKEN) === before) break;
  }
  if (slot === SLOTS) fail('LIMIT', `more than ${SLOTS} tokenizers in one process`);
  const release = () => Atomics.store(slots, slot, USED_BEFORE);
  try {
    const regionAt = (fn: CoreExports) => {
      const size = Math.ceil(fn.regionBytes(BUFFER_BYTES) / PAGE) * PAGE;
      const at = first + slot * size;
      grow(tables.memory, at + size);
      if (before === USED_BEFORE) new Uint8Array(tables.memory.buffer, at, size).fill(0);
      return at;
    };
    return start(tables, regionAt, BUFFER_BYTES, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** A core over private tables whose buffer takes `textBytes`; freed with its memory. */
export function largeCore(tables: SharedTables, textBytes: number): Core {
  const regionAt = (fn: CoreExports) => {
    const at = Math.ceil((TABLES_AT + tables.tableBytes) / PAGE) * PAGE;
    grow(tables.memory, at + (fn.regionBytes(textBytes) >>> 0));
    return at;
  };
  return start(tables, regionAt, textBytes, () => undefined);
}

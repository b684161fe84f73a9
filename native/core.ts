// One instance of the WASM core with its region: caches, text buffer, stack. Knows addresses and bytes, no strings.
import { threadId } from 'node:worker_threads';
import { fail } from '../src/errors.js';
import { PAGE, REGION_BYTES, type SharedTables, TABLES_AT, UNSHARED_REGIONS } from './tables.js';

/** What native/assembly/core.ts exports. Counts are u32 read as i32: use `>>> 0`. */
interface CoreExports {
  regionBytes(textBytes: number): number;
  attach(tables: number, region: number, textBytes: number): number;
  run(encoding: number, from: number, length: number, final: number, max: number): number;
  consumed(): number;
  isMalformed(): number;
  count(encoding: number, length: number): number;
  countMany(encoding: number, from: number, ends: number, n: number): number;
  unitsToEnds(from: number, length: number, ends: number, n: number): number;
  classify(encoding: number, from: number, length: number, final: number, out: number): number;
  prefixBytes(encoding: number, from: number, length: number, max: number): number;
}

/** Text bytes of a worker's buffer. Longer texts pass through it in parts. */
export const BUFFER_BYTES = 65_536;
/** Text bytes of the one large buffer of a shared memory, which its threads use in turns. */
export const LARGE_BYTES = 4 << 20;
/** Room for the region of that buffer: five and an eighth times the text, and the caches. */
const LARGE_REGION_BYTES = 24 << 20;
/** States of a region in the shared memory; a taken one holds TAKEN + the thread's id. */
const FREE = 0;
const USED_BEFORE = 1;
const TAKEN = 2;
const SLOTS = 1024;

export interface Core {
  readonly fn: CoreExports;
  /** Address of the text buffer. */
  readonly buffer: number;
  /** The text buffer. */
  readonly bytes: Uint8Array;
  /** The same as u32. */
  readonly words: Uint32Array;
  /** 16 numbers in front of the text buffer, for answers that are more than one number. */
  readonly scratch: Uint32Array;
  /** Gives the region back; `clean` false when a trap may have left it half written. The core is not used any more. */
  release(clean?: boolean): void;
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
  release: Core['release'],
): Core {
  const instance = new WebAssembly.Instance(tables.module, { env: { memory: tables.memory } });
  const fn = instance.exports as unknown as CoreExports;
  const buffer = fn.attach(TABLES_AT, regionAt(fn), textBytes) >>> 0;
  const memory = tables.memory.buffer;
  return {
    fn,
    buffer,
    bytes: new Uint8Array(memory, buffer, textBytes),
    words: new Uint32Array(memory, buffer, textBytes >> 2),
    scratch: new Uint32Array(memory, buffer - 64, 16),
    release,
  };
}

/** Behind the tables: states of the slots and of the large region, the large region, the slots' regions. */
function places(tables: SharedTables) {
  const statesAt = Math.ceil((TABLES_AT + tables.tableBytes) / 64) * 64;
  const large = Math.ceil((statesAt + (SLOTS + 1) * 4) / PAGE) * PAGE;
  if (tables.shared) grow(tables.memory, large);
  return {
    states: new Int32Array(tables.memory.buffer, statesAt, SLOTS + 1),
    large,
    slotAt: (slot: number) => large + (tables.shared ? LARGE_REGION_BYTES : 0) + slot * REGION_BYTES,
  };
}

function sizeOf(fn: CoreExports, textBytes: number): number {
  return Math.ceil((fn.regionBytes(textBytes) >>> 0) / PAGE) * PAGE;
}

/** Takes state `i` for this thread if it is not taken; the state before, or undefined. */
function take(states: Int32Array, i: number): number | undefined {
  const before = Atomics.load(states, i);
  if (before >= TAKEN) return undefined;
  return Atomics.compareExchange(states, i, before, TAKEN + threadId) === before ? before : undefined;
}

/**
 * Frees what a thread that has ended still holds (a killed worker disposes of nothing). Call it from another thread,
 * after the end. Returns the number of regions freed.
 */
export function reclaim(tables: SharedTables, endedThread: number): number {
  if (!tables.shared) return 0;
  const { states } = places(tables);
  const held = TAKEN + endedThread;
  let freed = 0;
  for (let i = 0; i <= SLOTS; i++) {
    if (Atomics.compareExchange(states, i, held, USED_BEFORE) === held) freed++;
  }
  return freed;
}

/**
 * A core in a region of its own within the tables' memory. Regions are taken by compare-and-swap on a table of
 * states behind the blob, so threads need no other agreement; a released one is cleared before it is used again.
 */
export function sharedCore(tables: SharedTables): Core {
  const { states, slotAt } = places(tables);
  let slot = 0;
  let before: number | undefined;
  const slots = tables.shared ? SLOTS : UNSHARED_REGIONS;
  while (slot < slots) {
    before = take(states, slot);
    if (before !== undefined) break;
    slot++;
  }
  if (before === undefined) fail('LIMIT', `more than ${slots} tokenizers over one memory`);
  return startIn(tables, slotAt(slot), REGION_BYTES, BUFFER_BYTES, before !== FREE, () => {
    Atomics.store(states, slot, USED_BEFORE);
  });
}

/** This thread's instance over the large region: to make one costs more than counting 50 KB. */
const largeCores = new WeakMap<SharedTables, Core>();

/**
 * A core over the shared memory's large region, for one text; undefined while another thread has it. It is there
 * because copying the tables for a private core costs more than counting a megabyte.
 */
export function largeSharedCore(tables: SharedTables): Core | undefined {
  const { states, large } = places(tables);
  const before = take(states, SLOTS);
  if (before === undefined) return undefined;
  const dirty = before !== FREE;
  const kept = largeCores.get(tables);
  if (kept !== undefined) {
    if (dirty) new Uint8Array(tables.memory.buffer, large, sizeOf(kept.fn, LARGE_BYTES)).fill(0);
    return kept;
  }
  const core = startIn(tables, large, LARGE_REGION_BYTES, LARGE_BYTES, dirty, (clean = true) => {
    if (!clean) largeCores.delete(tables);
    Atomics.store(states, SLOTS, clean ? FREE : USED_BEFORE);
  });
  largeCores.set(tables, core);
  return core;
}

function startIn(
  tables: SharedTables,
  at: number,
  room: number,
  textBytes: number,
  dirty: boolean,
  release: Core['release'],
): Core {
  try {
    const regionAt = (fn: CoreExports) => {
      const size = sizeOf(fn, textBytes);
      if (size > room) fail('INTERNAL', `a region of ${size} bytes where ${room} are set aside`);
      grow(tables.memory, at + size);
      if (dirty) new Uint8Array(tables.memory.buffer, at, size).fill(0);
      return at;
    };
    return start(tables, regionAt, textBytes, release);
  } catch (error) {
    release(false);
    throw error;
  }
}

/** A core over private tables whose buffer takes `textBytes`; freed with its memory. */
export function privateCore(tables: SharedTables, textBytes: number): Core {
  const at = Math.ceil((TABLES_AT + tables.tableBytes) / PAGE) * PAGE;
  return startIn(tables, at, Number.POSITIVE_INFINITY, textBytes, false, () => undefined);
}

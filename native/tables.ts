// The shared tables: one memory a process, filled once from the blob that native/build.mjs made. Knows files and
// WebAssembly, no text.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from '../src/errors.js';

/** What this host can do, and which build of the core that selects. */
export interface Capabilities {
  simd: boolean;
  sharedMemory: boolean;
  /** `core`: SIMD, one memory for all workers. Otherwise every thread that counts holds its own 15 MB of tables. */
  build: 'core' | 'core-private' | 'core-plain';
  /** For people, when something is missing; undefined when all is there. */
  notice?: string;
}

/** Hand this to workers through `workerData`; all of it can be cloned. */
export interface SharedTables {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly shared: boolean;
  /** Bytes of tables, which start at TABLES_AT. */
  readonly tableBytes: number;
}

/** Address of the blob. Below it lies nothing: a zero pointer never hits a table. */
export const TABLES_AT = 1024;
export const PAGE = 65_536;
/** Room for a tokenizer's region, which has some 1.8 MB. */
export const REGION_BYTES = 2 << 20;
/**
 * Tokenizers over one memory that cannot be shared. Growing such a memory detaches every view of it, so room for
 * all is there from the start; pages that are not used cost nothing.
 */
export const UNSHARED_REGIONS = 8;
/** The WASM declares this maximum (native/build.mjs); 2 GiB of address space, touched only as workers attach. */
const MAX_PAGES = 32_768;
const MAGIC = 0x6b6f7463;
export const TABLES_VERSION = 4;

/** A module of one function that uses i8x16.splat and bitmask. */
const SIMD_PROBE = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 100,
  11,
]);

let found: Capabilities | undefined;

/** Asks the host once. `CURATED_NATIVE=core-private|core-plain` forces a lesser build (for tests and for diagnosis). */
export function capabilities(): Capabilities {
  if (found !== undefined) return found;
  const simd = WebAssembly.validate(SIMD_PROBE);
  let sharedMemory = false;
  try {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    sharedMemory = memory.buffer instanceof SharedArrayBuffer;
  } catch {
    // No threads in this host: the notice says so.
  }
  let build: Capabilities['build'] = simd ? (sharedMemory ? 'core' : 'core-private') : 'core-plain';
  const forced = process.env['CURATED_NATIVE'];
  if (forced === 'core-plain' || (forced === 'core-private' && simd)) build = forced;
  found = { simd, sharedMemory, build };
  if (build === 'core-plain')
    found.notice = 'token core: no WASM SIMD in use; counting is exact but several times slower';
  else if (build === 'core-private') {
    found.notice =
      'token core: no shared WASM memory in use; every worker holds its own copy of the tables (15 MB)';
  }
  return found;
}

/** The folder that native/build.mjs fills: <package root>/native/build, from dist/native/ or native/. */
function buildDir(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return here.replaceAll('\\', '/').endsWith('dist/native')
    ? join(here, '..', '..', 'native', 'build')
    : join(here, 'build');
}

function readModule(build: Capabilities['build']): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(join(buildDir(), `${build}.wasm`)));
}

let loaded: SharedTables | undefined;

/**
 * The tables of this process, read on the first call (about 10 ms). Call it on the main thread and pass the result
 * to workers. Where the memory cannot be shared each thread must call it for itself: `attach` does that.
 * Throws INTERNAL when native/build is missing or of another version.
 */
export function loadTables(): SharedTables {
  loaded ??= load();
  return loaded;
}

function load(): SharedTables {
  return readTables(join(buildDir(), 'tables.bin'), capabilities().build === 'core');
}

/** @param shared in memory that other threads can be given */
export function readTables(file: string, shared: boolean): SharedTables {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (cause) {
    return fail('INTERNAL', 'the token tables are not built: run `npm run build:native`', { cause });
  }
  try {
    const tableBytes = fstatSync(fd).size;
    const memory = shared
      ? new WebAssembly.Memory({ initial: pagesFor(tableBytes, 0), maximum: MAX_PAGES, shared: true })
      : new WebAssembly.Memory({ initial: pagesFor(tableBytes, UNSHARED_REGIONS) });
    const into = new Uint8Array(memory.buffer, TABLES_AT, tableBytes);
    for (let at = 0; at < tableBytes; ) {
      const n = readSync(fd, into, at, tableBytes - at, null);
      if (n === 0) fail('INTERNAL', 'the token tables end early: run `npm run build:native` again');
      at += n;
    }
    const head = new Uint32Array(memory.buffer, TABLES_AT, 2);
    if (head[0] !== MAGIC || head[1] !== TABLES_VERSION) {
      fail('INTERNAL', 'the token tables are of another version: run `npm run build:native` again');
    }
    const { build } = capabilities();
    const module = shared || build !== 'core' ? readModule(build) : privateModule('core-private');
    return { memory, module, shared, tableBytes };
  } finally {
    closeSync(fd);
  }
}

function pagesFor(tableBytes: number, regions: number): number {
  return Math.ceil((TABLES_AT + tableBytes) / PAGE) + 1 + (regions * REGION_BYTES) / PAGE;
}

/** Tables of its own for one job, as a copy of `from`, with room for `regions`: memory that is given back afterwards. */
export function privateTables(from: SharedTables, regions = 0): SharedTables {
  const build = capabilities().simd && capabilities().build !== 'core-plain' ? 'core-private' : 'core-plain';
  const memory = new WebAssembly.Memory({ initial: pagesFor(from.tableBytes, regions) });
  new Uint8Array(memory.buffer).set(new Uint8Array(from.memory.buffer, 0, TABLES_AT + from.tableBytes));
  return {
    memory,
    module: from.shared ? privateModule(build) : from.module,
    shared: false,
    tableBytes: from.tableBytes,
  };
}

let privateCore: WebAssembly.Module | undefined;
function privateModule(build: Capabilities['build']): WebAssembly.Module {
  privateCore ??= readModule(build);
  return privateCore;
}

// RFC 6902: applies the operations of `return: "patch"` to the client's own {system, tools, messages}. Pure.
import { ClientError } from './errors.js';

export interface PatchOp {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string;
  from?: string;
  value?: unknown;
}

function refuse(what: string): never {
  throw new ClientError('PATCH', what);
}

/**
 * The document with all operations applied, or ClientError PATCH and nothing applied. The given document is not
 * changed; what no operation touches is shared with it.
 */
export function applyPatch<T>(document: T, ops: readonly PatchOp[]): T {
  const patch = new Patch(document);
  for (const op of ops) patch.apply(op);
  return patch.root as T;
}

class Patch {
  root: unknown;
  /** Containers made here, which may be written to; all others are copied first. */
  readonly #own = new Set<object>();

  constructor(document: unknown) {
    this.root = document;
  }

  apply(op: PatchOp): void {
    switch (op.op) {
      case 'add':
        this.#add(op.path, op.value);
        break;
      case 'remove':
        this.#remove(op.path);
        break;
      case 'replace':
        this.#get(op.path);
        this.#set(op.path, op.value);
        break;
      case 'move': {
        const from = op.from ?? refuse('move needs from');
        if (op.path.startsWith(`${from}/`)) refuse(`cannot move ${from} into itself`);
        if (op.path !== from) this.#add(op.path, this.#remove(from));
        break;
      }
      case 'copy':
        this.#add(op.path, structuredClone(this.#get(op.from ?? refuse('copy needs from'))));
        break;
      case 'test':
        if (!equal(this.#get(op.path), op.value)) refuse(`test failed at ${op.path}`);
        break;
      default:
        refuse(`unknown operation ${String((op as { op: unknown }).op)}`);
    }
  }

  #get(path: string): unknown {
    let at = this.root;
    for (const step of steps(path)) at = read(at, step, path);
    return at;
  }

  #add(path: string, value: unknown): void {
    if (path === '') {
      this.root = value;
      return;
    }
    const { parent, step } = this.#parent(path);
    if (Array.isArray(parent)) {
      const i = step === '-' ? parent.length : index(step, parent.length, path);
      parent.splice(i, 0, value);
    } else (parent as Record<string, unknown>)[step] = value;
  }

  #set(path: string, value: unknown): void {
    if (path === '') {
      this.root = value;
      return;
    }
    const { parent, step } = this.#parent(path);
    (parent as Record<string, unknown>)[step] = value;
  }

  #remove(path: string): unknown {
    const value = this.#get(path);
    if (path === '') refuse('the whole document cannot be removed');
    const { parent, step } = this.#parent(path);
    if (Array.isArray(parent)) parent.splice(Number(step), 1);
    else delete (parent as Record<string, unknown>)[step];
    return value;
  }

  /** The container of `path`, made writable with all that lead to it. */
  #parent(path: string): { parent: object; step: string } {
    const all = steps(path);
    const step = all.pop()!;
    this.root = this.#writable(this.root, path);
    let at = this.root as Record<string, unknown>;
    for (const s of all) {
      const next = this.#writable(read(at, s, path), path);
      at[s] = next;
      at = next as Record<string, unknown>;
    }
    return { parent: at, step };
  }

  #writable(v: unknown, path: string): object {
    if (typeof v !== 'object' || v === null)
      return refuse(`${path} leads through a value that holds nothing`);
    if (this.#own.has(v)) return v;
    const copy = Array.isArray(v) ? [...v] : { ...v };
    this.#own.add(copy);
    return copy;
  }
}

/** Keys of a JSON Pointer. Throws ClientError PATCH for what is none. */
export function steps(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) refuse(`not a JSON Pointer: ${path}`);
  const out = path
    .slice(1)
    .split('/')
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (out.includes('__proto__')) refuse(`${path} is not touched`);
  return out;
}

function index(step: string, max: number, path: string): number {
  if (!/^(0|[1-9][0-9]*)$/.test(step) || Number(step) > max) refuse(`no such index: ${path}`);
  return Number(step);
}

function read(at: unknown, step: string, path: string): unknown {
  if (Array.isArray(at)) return at[index(step, at.length - 1, path)];
  if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step))
    return refuse(`no such value: ${path}`);
  return (at as Record<string, unknown>)[step];
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (k) => Object.hasOwn(b, k) && equal((a as Record<string, unknown>)[k], (b as Record<string, unknown>)[k]),
  );
}

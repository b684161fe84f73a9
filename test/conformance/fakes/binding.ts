// Bound thinking on the server's side (PV-A25 to A29): what each signature was issued for, and who fails the check.
import { boundPrefix, thinkingOf } from '../rules/bound-thinking.js';
import { type Obj, objs } from '../types.js';

interface Issued {
  prefix: string;
  /** Signatures that stood in the request, in order, when this one was issued. */
  chain: readonly string[];
}

export interface BindingFault {
  /** JSON pointer of the first failing block. */
  path: string;
  message: number;
  forged: boolean;
}

export class Binding {
  readonly #issued = new Map<string, Issued>();
  #next = 1;

  /** Signature of a block that answers this request. */
  issue(request: Obj): string {
    const signature = `sig-${this.#next++}`;
    const prefix = boundPrefix(request, objs(request['messages']).length);
    this.#issued.set(signature, { prefix, chain: thinkingOf(request).map((b) => b.key) });
    return signature;
  }

  /** The first block that fails, or undefined. Kept blocks must be the end of what stood before each of them. */
  fault(request: Obj): BindingFault | undefined {
    const kept: string[] = [];
    for (const b of thinkingOf(request)) {
      const issued = this.#issued.get(b.key);
      if (issued === undefined) return { path: b.path, message: b.message, forged: true };
      const tail = issued.chain.slice(issued.chain.length - kept.length);
      const run = kept.length <= issued.chain.length && kept.every((k, i) => k === tail[i]);
      if (!run || boundPrefix(request, b.message) !== issued.prefix) {
        return { path: b.path, message: b.message, forged: false };
      }
      kept.push(b.key);
    }
    return undefined;
  }
}

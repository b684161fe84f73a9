// What a task kind means for curation (P-6). Knows no session.

import { isExemptTask, isKnownTask } from '../protocol/vocabulary.js';

/** Unknown kinds that a session tells of; a host that makes up one a call is not told of each. */
const TOLD = 16;

export interface TaskKind {
  name: string;
  exempt: boolean;
  /** Not in the closed set: treated as main, and told once. */
  unknown: boolean;
}

export function taskKind(name = 'main'): TaskKind {
  const unknown = !isKnownTask(name);
  return { name: unknown ? 'main' : name, exempt: isExemptTask(name), unknown };
}

/** Unknown kinds that a session has told of, so that each is logged once and not at every call. */
export class ToldKinds {
  #told: Set<string> | undefined;

  /** True the first time. */
  first(name: string): boolean {
    this.#told ??= new Set();
    if (this.#told.has(name) || this.#told.size >= TOLD) return false;
    this.#told.add(name);
    return true;
  }
}

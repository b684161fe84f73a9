// What a task kind means for curation (P-6). Pure.

import { isExemptTask, isKnownTask } from '../protocol/vocabulary.js';

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

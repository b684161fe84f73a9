// Which sessions become cases by themselves (E-4): a share of all, drawn by the session's own name, so that the same ones are
// drawn again on the next day; and those in which something failed. Pure.

import { sha256 } from '../../hash.js';
export interface SamplerRules {
  /** Share of the sessions, 0 to 1. */
  rate: number;
  /** Also every session in which something failed. */
  failureCapture: boolean;
}

/** Events that tell of a failure: the provider's, the window's, a compaction's. */
const FAILURES = new Set(['llm.error', 'memory.irreducible', 'memory.compaction.failed']);

export function isFailure(type: string): boolean {
  return FAILURES.has(type);
}

export function isDrawn(session: string, rate: number): boolean {
  if (rate <= 0) return false;
  return Number.parseInt(sha256(`sample\0${session}`).slice(0, 8), 16) / 2 ** 32 < rate;
}

/** A folder's name for a session's case: any id gives one, no two the same, none that loading leaves out. */
export function folderOf(session: string): string {
  const plain = encodeURIComponent(session).replace(/\*/g, '%2A');
  const name = /^[._]/.test(plain) ? `%${plain.charCodeAt(0).toString(16)}${plain.slice(1)}` : plain;
  if (name.length <= 100) return name;
  return `${name.slice(0, 80)}-${sha256(session).slice(0, 16)}`;
}

// A call to the pool while it waits or runs: what it carries, what it weighs and whom it answers.
import type { CuratedError } from '../errors.js';
import type { Encoding } from './contract.js';

interface CallBase {
  /** Upper bound of the UTF-8 bytes it needs in an arena; 0 for tasks without texts. */
  bytes: number;
  /** Runs of this call that a worker did not survive. */
  failures: number;
  reject(error: CuratedError): void;
}

export interface CountCall extends CallBase {
  type: 'count';
  texts: readonly (string | Uint8Array)[];
  encoding: Encoding;
  resolve(counts: Uint32Array): void;
}

export interface TaskCall extends CallBase {
  type: 'task';
  kind: string;
  payload: unknown;
  resolve(value: unknown): void;
}

export type Call = CountCall | TaskCall;

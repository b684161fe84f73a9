// Which sessions' appends failed, and who has to hear of it. Batches are numbered; a flush waits for one and hears of failures up to it.
import type { CuratedError } from '../errors.js';

interface Failure {
  error: CuratedError;
  /** Seq after which the first lost record would have stood. */
  expectedSeq: number;
  /** First batch in which the session lost something. */
  first: number;
  /** A flush or an append of the session was refused for it. */
  told: boolean;
  /** Batch from which on the session goes on from what is stored; failures before it are the old ones. */
  restart: number | undefined;
}

export class Failures {
  readonly #byKey = new Map<string, Failure>();
  /** Failures that no flush without a key has told of yet. */
  readonly #untold = new Map<string, CuratedError>();

  get none(): boolean {
    return this.#byKey.size === 0;
  }

  /** Batch `no` lost an append of `k`. */
  note(k: string, no: number, expectedSeq: number, error: CuratedError): void {
    const known = this.#byKey.get(k);
    if (known === undefined || (known.restart !== undefined && no >= known.restart)) {
      this.#byKey.set(k, { error, expectedSeq, first: no, told: false, restart: undefined });
    }
    // Anything else is the same failure going on: what was sent behind the first loss cannot follow it.
    this.#untold.set(k, error);
  }

  /** The reason to refuse an append that continues a lost one; one that goes back to where it failed starts over. */
  refusal(k: string, expectedSeq: number, next: number): CuratedError | undefined {
    const failure = this.#byKey.get(k);
    if (failure === undefined || failure.restart !== undefined) return undefined;
    if (expectedSeq > failure.expectedSeq) {
      failure.told = true;
      return failure.error;
    }
    failure.restart = next;
    return undefined;
  }

  /** The session's stored state was read: whoever was told of the failure may go on from there. */
  looked(k: string, next: number): void {
    const failure = this.#byKey.get(k);
    if (failure?.told) failure.restart ??= next;
  }

  /** The journal was replaced as a whole. */
  replaced(k: string, next: number): void {
    const failure = this.#byKey.get(k);
    if (failure) failure.restart ??= next;
  }

  /** Marks when a flush was made: those made after a restart do not hear of what was before it. */
  birth(k: string | undefined): number {
    return (k !== undefined && this.#byKey.get(k)?.restart) || 0;
  }

  /** What a flush of `k` hears that waited for batch `no`. */
  of(k: string, no: number, born: number): CuratedError | undefined {
    const failure = this.#byKey.get(k);
    if (failure === undefined || failure.first > no) return undefined;
    const { restart } = failure;
    if (restart !== undefined && (no >= restart || born === restart)) return undefined;
    failure.told = true;
    this.#untold.delete(k);
    return failure.error;
  }

  /** What a flush of all sessions hears; each failure is told once. */
  any(): CuratedError | undefined {
    const [error] = this.#untold.values();
    this.#untold.clear();
    return error;
  }

  /** All batches up to `done` are settled: failures that were started over from are history. */
  settled(done: number): void {
    for (const [k, { restart }] of this.#byKey) {
      if (restart !== undefined && restart <= done) this.#byKey.delete(k);
    }
  }
}

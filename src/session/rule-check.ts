// The provider's rules over the pieces of a request, asked before every answer. What was walked stays walked: an edit that
// leaves the sequence as it is (a cleared body) costs the check of its own message, not a walk through the history.

import { Native } from '../json/native.js';
import type { FormatSpec, Reading, RuleWalk, Violation } from '../providers/types.js';

export interface CheckedPiece {
  readonly text: string;
  readonly reading: Reading;
}

/** All that sequence rules look at in a message; a message with cache marks is its whole text, since marks count too. */
function shapeOf({ reading, text }: CheckedPiece): string {
  if (reading.marks.length > 0) return text;
  const parts = reading.parts.map((p) => `${p.kind} ${p.type ?? ''} ${p.callId ?? ''} ${p.atom ?? ''}`);
  return JSON.stringify([reading.role, reading.ownText !== '', parts]);
}

export class RuleCheck {
  #walk: RuleWalk | undefined;
  readonly #texts: string[] = [];
  readonly #shapes: string[] = [];
  readonly #found: Violation[][] = [];
  /** Messages with something found, so that a clean history is not gone through. */
  readonly #broken = new Set<number>();
  #dirty = Number.POSITIVE_INFINITY;

  /** Pieces from `index` on may differ from what was walked. */
  touch(index: number): void {
    this.#dirty = Math.min(this.#dirty, index);
  }

  run(
    pieces: readonly CheckedPiece[],
    spec: FormatSpec,
    walk: () => RuleWalk,
    pending: ReadonlySet<string>,
  ): Violation[] {
    if (this.#walk === undefined || !this.#recheck(pieces, spec)) this.#reset(walk);
    this.#dirty = Number.POSITIVE_INFINITY;
    for (let i = this.#texts.length; i < pieces.length; i += 1) {
      const piece = pieces[i]!;
      const native = new Native(piece.text);
      this.#texts.push(piece.text);
      this.#shapes.push(shapeOf(piece));
      this.#keep(i, [...this.#walk!.push(piece.reading, native, i), ...checked(spec, native, i)]);
    }
    const all = [...this.#broken].sort((a, b) => a - b).flatMap((i) => this.#found[i]!);
    return [...all, ...this.#walk!.finish(pending)];
  }

  /** False when the sequence itself has changed. */
  #recheck(pieces: readonly CheckedPiece[], spec: FormatSpec): boolean {
    if (pieces.length < this.#texts.length) return false;
    for (let i = this.#dirty; i < this.#texts.length; i += 1) {
      const piece = pieces[i]!;
      if (piece.text === this.#texts[i]) continue;
      // What a walk has found in a message is not told apart from the message's own faults: such a one is walked again.
      if (this.#broken.has(i) || shapeOf(piece) !== this.#shapes[i]) return false;
      this.#texts[i] = piece.text;
      this.#keep(i, checked(spec, new Native(piece.text), i));
    }
    return true;
  }

  #keep(i: number, found: Violation[]): void {
    this.#found[i] = found;
    if (found.length > 0) this.#broken.add(i);
    else this.#broken.delete(i);
  }

  #reset(walk: () => RuleWalk): void {
    this.#walk = walk();
    this.#texts.length = 0;
    this.#shapes.length = 0;
    this.#found.length = 0;
    this.#broken.clear();
  }
}

function checked(spec: FormatSpec, native: Native, index: number): Violation[] {
  return spec.check(native).map((v) => ({ ...v, path: `/messages/${index}${v.path}` }));
}

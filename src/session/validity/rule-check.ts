// The provider's rules over the pieces of a request, asked before every answer. What was walked stays walked: an edit that
// leaves the sequence as it is (a cleared body) costs the check of its own message, not a walk through the history.

import type { FormatSpec, Native, Reading, RuleWalk, Violation } from '../../providers/types.js';

export interface CheckedPiece {
  readonly native: Native;
  readonly reading: Reading;
}

/** Do sequence rules see the same in both? Of a message with cache marks they see the whole text, since marks count too. */
function sameShape(a: CheckedPiece, b: CheckedPiece): boolean {
  const { reading: x } = a;
  const { reading: y } = b;
  if (x.marks.length > 0 || y.marks.length > 0) return a.native.text === b.native.text;
  if (x.role !== y.role || (x.ownText === '') !== (y.ownText === '')) return false;
  if (x.parts.length !== y.parts.length) return false;
  return x.parts.every((p, i) => {
    const q = y.parts[i]!;
    return p.kind === q.kind && p.type === q.type && p.callId === q.callId && p.atom === q.atom;
  });
}

export class RuleCheck {
  #walk: RuleWalk | undefined;
  /** What was walked, as it was. */
  readonly #seen: CheckedPiece[] = [];
  /** Messages with something found, and what. */
  readonly #broken = new Map<number, Violation[]>();
  #dirty = Number.POSITIVE_INFINITY;

  /** Pieces from `index` on may differ from what was walked. */
  touch(index: number): void {
    this.#dirty = Math.min(this.#dirty, index);
  }

  /** @param declared names of the tools that the request lists; absent: not known */
  run(
    pieces: readonly CheckedPiece[],
    spec: FormatSpec,
    walk: () => RuleWalk,
    declared?: ReadonlySet<string>,
  ): Violation[] {
    if (this.#walk === undefined || !this.#recheck(pieces, spec)) this.#reset(walk);
    this.#dirty = Number.POSITIVE_INFINITY;
    for (let i = this.#seen.length; i < pieces.length; i += 1) {
      const piece = pieces[i]!;
      this.#seen.push(piece);
      const broken = this.#walk!.push(piece.reading, piece.native, i);
      this.#keep(i, [...broken, ...checked(spec, piece.native, i)]);
    }
    const all = [...this.#broken].sort(([a], [b]) => a - b).flatMap(([, found]) => found);
    return [...all, ...this.#walk!.finish(undefined, declared)];
  }

  /** False when the sequence itself has changed. */
  #recheck(pieces: readonly CheckedPiece[], spec: FormatSpec): boolean {
    if (pieces.length < this.#seen.length) return false;
    for (let i = this.#dirty; i < this.#seen.length; i += 1) {
      const piece = pieces[i]!;
      const before = this.#seen[i]!;
      // The same message is the same object, unless it was rendered anew.
      const same = piece.native === before.native || piece.native.text === before.native.text;
      // What a walk has found in a message is not told apart from the message's own faults: such a one is walked again.
      if (!same && (this.#broken.has(i) || !sameShape(piece, before))) return false;
      this.#seen[i] = piece;
      if (!same) this.#keep(i, checked(spec, piece.native, i));
    }
    return true;
  }

  #keep(i: number, found: Violation[]): void {
    if (found.length > 0) this.#broken.set(i, found);
    else this.#broken.delete(i);
  }

  #reset(walk: () => RuleWalk): void {
    this.#walk = walk();
    this.#seen.length = 0;
    this.#broken.clear();
  }
}

function checked(spec: FormatSpec, native: Native, index: number): Violation[] {
  const found = spec.check(native);
  return found.length === 0 ? found : found.map((v) => ({ ...v, path: `/messages/${index}${v.path}` }));
}

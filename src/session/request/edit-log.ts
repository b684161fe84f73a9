// The operations inside messages that `return: "patch"` tells at every call: every edit that stands, written once and put
// together as edits come. Knows the ledger and the rendering, decides nothing.

import type { LedgerEdit } from '../../curation/decisions.js';
import { pointer } from '../../json/index.js';
import type { SessionState } from '../state/state.js';
import type { Rendering } from './rendering.js';

/** What the text holds of a message. */
interface Told {
  /** Its edits so far, by number and by the last of them; undefined: the message as a whole. */
  edits: number | undefined;
  last: LedgerEdit | undefined;
  length: number;
}

/** Texts are joined up to this length once; more would be copied at every addition, less makes many to join. */
const CHUNK = 65_536;

export class EditLog {
  #told = new Map<number, Told>();
  #chunks: string[] = [];
  #open: string[] = [];
  #openLength = 0;
  #length = 0;
  /** Characters of operations that later ones made superfluous. */
  #dead = 0;
  #revision = 0;
  #generation = 0;

  /** Characters of the text. */
  get length(): number {
    return this.#length;
  }

  /** The operations of all messages, joined with commas. Costs what was edited since the last call, and one copy. */
  text(state: SessionState, rendering: Rendering): string {
    const { ledger, calls } = state;
    const touched =
      calls.generation === this.#generation && this.#dead * 2 <= this.#length
        ? ledger.touchesSince(this.#revision)
        : undefined;
    if (touched === undefined) {
      this.#clear();
      for (const at of ledger.edited()) this.#take(state, rendering, at);
    } else for (const at of new Set(touched)) this.#take(state, rendering, at);
    this.#revision = ledger.revision;
    this.#generation = calls.generation;
    return [...this.#chunks, ...this.#open].join(',');
  }

  #take(state: SessionState, rendering: Rendering, at: number): void {
    const told = this.#told.get(at);
    if (at >= state.messages.length) return;
    const edits = state.ledger.editsOf(at);
    if (edits.length === 0 && told === undefined) return;
    if (edits.some((e) => e.op === 'drop')) {
      // Operations on a message that is taken out later do no harm.
      if (told !== undefined) this.#dead += told.length;
      return;
    }
    const known = told?.edits;
    const grows = known !== undefined && known <= edits.length && edits[known - 1] === told!.last;
    if (isByPath(edits) && (told === undefined || grows)) {
      let length = told?.length ?? 0;
      for (const e of edits.slice(known ?? 0)) if (e.op === 'set') length += this.#add(setOperation(e));
      this.#told.set(at, { edits: edits.length, last: edits.at(-1), length });
      return;
    }
    if (told !== undefined) this.#dead += told.length;
    const { text } = rendering.pieces[rendering.ownIndexOf(at)]!;
    const length = this.#add(`{"op":"replace","path":"/messages/${at}","value":${text}}`);
    this.#told.set(at, { edits: undefined, last: undefined, length });
  }

  #add(operation: string): number {
    this.#open.push(operation);
    this.#openLength += operation.length;
    this.#length += operation.length;
    if (this.#openLength >= CHUNK) {
      this.#chunks.push(this.#open.join(','));
      this.#open = [];
      this.#openLength = 0;
    }
    return operation.length;
  }

  #clear(): void {
    this.#told = new Map();
    this.#chunks = [];
    this.#open = [];
    this.#openLength = 0;
    this.#length = 0;
    this.#dead = 0;
  }
}

type SetEdit = Extract<LedgerEdit, { op: 'set' }>;

/** Values put in place of others can be named by their paths, unless one stands inside another; all else moves items. */
function isByPath(edits: readonly LedgerEdit[]): boolean {
  if (!edits.every((e) => e.op === 'set')) return false;
  if (edits.length < 2) return true;
  const paths = (edits as readonly SetEdit[]).map((e) => `${pointer(e.path)}/`).sort();
  return paths.every((p, i) => i === 0 || p === paths[i - 1] || !p.startsWith(paths[i - 1]!));
}

function setOperation(e: SetEdit): string {
  // "add" on an object's member replaces it; on a list's item it would insert.
  const op = typeof e.path.at(-1) === 'number' ? 'replace' : 'add';
  const path = JSON.stringify(pointer(['messages', e.at, ...e.path]));
  return `{"op":"${op}","path":${path},"value":${e.json}}`;
}

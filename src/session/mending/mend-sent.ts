// What was sent while nothing was mended (off, observe), or for a model with other rules, breaks the rules in force now: it
// would be refused in every request from here on. It is mended once, as a whole, and told as the change of sent bytes
// that it is.

import type { LedgerEdit } from '../../curation/decisions.js';
import { priced } from '../../curation/priced.js';
import { applyEdits, pointer, sliceIn, type TextEdit } from '../../json/index.js';
import { Native } from '../../json/native.js';
import { isOfRepair } from '../../providers/repair/draft.js';
import { repair } from '../../providers/repair.js';
import type { Repair } from '../../providers/types.js';
import type { Draft } from '../commit.js';
import { thinkingBehind } from '../condense/apply.js';
import { knownPrefix } from '../money/prefix.js';
import { tokensOf, tokensWith } from '../request/edit-tokens.js';
import type { Piece } from '../request/rendering.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { type Decision, positionOf } from '../state/ledger.js';
import type { SessionState } from '../state/state.js';
import { violationsOf } from '../validity/validity.js';
import { mended } from './mended.js';

/** Ours that is put in place anew by itself, where it has a place. */
const PLACED_AGAIN: ReadonlySet<string> = new Set(['durable.placed', 'tools.indexed', 'tools.added']);

/**
 * Call when what is new has been mended. Costs what is new where what was sent is valid; else the length of the history,
 * once: what is mended stays so.
 */
export function mendSent(session: Session, draft: Draft, pending: ReadonlySet<string>): void {
  const { state, rendering, profile } = session;
  if (state.sent.messages === 0) return;
  rendering.sync(state);
  const end = rendering.ownIndexOf(state.sent.messages);
  const broken = violationsOf(session).map((v) => messageOf(v.path));
  if (!broken.some((i) => i < end)) return;
  const { pieces } = rendering;
  const placed = placedAgain(state);
  if (broken.every((i) => i >= end || placed.has(pieces[i]?.text ?? ''))) return;
  const { tokens } = rendering;
  // What was put between messages had the old rules in mind.
  const old = putBetween(state);
  if (old.length > 0) {
    const undo = old.map((d) => d.seq);
    draft.push(
      event('session.repaired', {
        what: 'what was put between messages under other rules was taken out',
        rule: 'PV-G',
        _undo: undo,
        _edits: [],
      }),
    );
    rendering.sync(state);
  }
  // With openai-chat the system prompt given at open is a message of the request, and no part of the history.
  const headed = state.format === 'openai-chat' && state.system !== undefined;
  const view = new View(session, headed ? rendering.pieces.slice(1) : rendering.pieces);
  const declared = session.staticFaults.declared(state);
  const repairs = repair(state.spec, view.pieces, 0, { pending, profile, headed, declared });
  const changes = repairs.map((r) => view.placed(r)).filter(({ edits }) => edits.length > 0);
  for (const { repair: r, edits, frozen } of changes)
    draft.push(
      event('session.repaired', {
        what: r.what,
        rule: r.rule,
        ...(r.callId === undefined ? {} : { tool_call_id: r.callId }),
        message: Math.min(...edits.map(positionOf)),
        ...(frozen.length === 0 ? {} : { frozen }),
        _edits: edits,
      }),
    );
  const touched = [...old.flatMap((d) => d.edits), ...changes.flatMap((p) => p.edits)].map(positionOf);
  if (touched.length === 0) return;
  rendering.sync(state);
  const first = Math.min(...touched);
  const prefix = knownPrefix(session, session.deps.clock.now());
  draft.push(
    event('memory.curated', {
      ...mended(session, { part: 'sent', first, tokens, prefix, reason: 'rules' }),
      // What was thought behind it is bound to it as it was (PV-A25).
      ...thinkingBehind(session, first, pending),
    }),
  );
  rendering.sync(state);
}

/** Messages of ours that a repair put in, or that are put in place anew by themselves. */
function putBetween({ ledger }: SessionState): Decision[] {
  return [...ledger.decisions()].filter(
    (d) =>
      d.observed !== true &&
      (PLACED_AGAIN.has(d.type)
        ? d.edits.length > 0
        : d.edits.some((e) => e.op === 'insert' && isOfRepair(e.id))),
  );
}

/** Messages that move by themselves to where they may stand: what is wrong with their place is not for here. */
function placedAgain({ ledger }: SessionState): Set<string> {
  const texts = new Set<string>();
  for (const { type, edits } of ledger.decisions())
    if (PLACED_AGAIN.has(type)) for (const e of edits) if (e.op === 'insert') texts.add(e.json);
  return texts;
}

/** Index of the message that a violation is about; what stands before the messages is not of it. */
function messageOf(path: string): number {
  const found = /^\/messages\/(\d+)/.exec(path);
  return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
}

interface Placed {
  repair: Repair;
  edits: LedgerEdit[];
  frozen: string[];
}

/** Repairs of the request as it goes out, as edits of the stored messages under it. */
class View {
  readonly #session: Session;
  readonly pieces: readonly Piece[];
  /** Edits so far of messages that decisions have edited before, in the places of the request. */
  readonly #edits = new Map<number, TextEdit[]>();

  constructor(session: Session, pieces: readonly Piece[]) {
    this.#session = session;
    this.pieces = pieces.slice();
  }

  placed(r: Repair): Placed {
    const { state } = this.#session;
    const out: LedgerEdit[] = [];
    const frozen = (r.frozen ?? []).flatMap((f) => {
      const { at } = this.pieces[f.at]!;
      return at < 0 ? [] : [`${at}${pointer(f.path)}`];
    });
    for (const e of r.edits) {
      if (e.op === 'insert') {
        out.push({ ...e, ...this.#placeBefore(e.before) });
        continue;
      }
      const { at } = this.pieces[e.at]!;
      // A summary of ours is valid by itself: if it is in the way, the check of the whole says so.
      if (at < 0) continue;
      if (e.op === 'drop' || this.#isAsStored(at)) out.push({ ...e, at });
      else {
        const { edits, whole } = this.#anew(e.at, e);
        out.push(...edits.map((edit) => ({ ...edit, at })));
        if (whole) for (const p of state.messages[at]!.reading.parts) frozen.push(`${at}${pointer(p.path)}`);
      }
    }
    const counting = {
      messages: state.messages,
      tokensChanged: (at: number, edits: readonly TextEdit[]) => tokensWith(this.#session, at, edits),
    };
    const edits = priced(counting, out).map((e) =>
      e.op === 'insert' ? { ...e, delta: tokensOf(this.#session, e.json) } : e,
    );
    return { repair: r, edits, frozen };
  }

  /** Where a message of ours goes that is to stand before a piece: also where that is ours, right behind one of the host's. */
  #placeBefore(index: number): { before: number; ahead?: true } {
    const text = this.pieces[index]?.text;
    const isOurs = this.pieces[index]?.at === -1 && this.pieces[index - 1]?.at !== -1;
    if (isOurs)
      for (const { edits, observed } of this.#session.state.ledger.decisions())
        for (const e of observed === true ? [] : edits)
          if (e.op === 'insert' && e.json === text) return { before: e.before, ahead: true };
    return { before: this.#storedFrom(index) };
  }

  /** The stored position at or behind a piece. */
  #storedFrom(index: number): number {
    for (let i = index; i < this.pieces.length; i += 1)
      if (this.pieces[i]!.at >= 0) return this.pieces[i]!.at;
    return this.#session.state.messages.length;
  }

  #isAsStored(at: number): boolean {
    const { ledger, inBlocks } = this.#session.state;
    return ledger.editsOf(at).length === 0 && !inBlocks.includes(at);
  }

  /** A message that was edited before stands at other places than it is stored: what changes of it is written whole. */
  #anew(index: number, edit: TextEdit): { edits: TextEdit[]; whole: boolean } {
    const all = [...(this.#edits.get(index) ?? []), edit];
    this.#edits.set(index, all);
    const text = applyEdits(this.pieces[index]!.text, all);
    const key = edit.path[0];
    if (key === undefined) return { edits: [], whole: false };
    const json = sliceIn(new Native(text), [key]);
    const edits: TextEdit[] = [
      json === undefined ? { op: 'remove', path: [key] } : { op: 'set', path: [key], json },
    ];
    return { edits, whole: key === 'content' || key === 'tool_calls' || key === 'output' };
  }
}

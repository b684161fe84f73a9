// One request before and after curation: what was stored, what went out, and which decision made each difference.

import { fail } from '../../errors.js';
import type { SessionKey, Store } from '../../journal/index.js';
import { RawJson } from '../../json/index.js';
import { events, foldOne } from '../load.js';
import { Rendering } from '../request/rendering.js';
import { freshState } from '../state/fresh.js';
import { positionOf } from '../state/ledger.js';
import type { SessionState } from '../state/state.js';
import { Chronicle, type Told } from './chronicle.js';

export interface Difference {
  /** Stored position: of the message, or of the one that something of ours stands before. */
  message: number;
  /** Absent: of ours, no message of the host stands behind it. */
  before?: RawJson;
  /** Absent: left out. */
  after?: RawJson;
  tokens_before: number;
  tokens_after: number;
  decisions: Told[];
}

export interface RequestDiff {
  seq: number;
  turn: number;
  hash: string;
  messages: { before: number; after: number; unchanged: number };
  tokens: { before: number; after: number };
  /** Tools that are not listed. */
  hidden_tools: string[];
  changes: Difference[];
}

export interface DiffWanted {
  /** The last main request of this turn. */
  turn?: number | undefined;
  /** The main request at this seq; without either the newest one. */
  seq?: number | undefined;
}

/** Throws SEQ_GAP where there is no such request. */
export async function diffOf(store: Store, key: SessionKey, wanted: DiffWanted): Promise<RequestDiff> {
  const found = await find(store, key, wanted);
  const state = freshState();
  const chronicle = new Chronicle();
  for await (const { event: e } of events(store, key, 1, found.seq)) {
    foldOne(key, state, e);
    chronicle.take(e);
  }
  const rendering = new Rendering();
  rendering.sync(state);
  const changes = differences(state, rendering, chronicle);
  const kept = state.messages.length - changes.filter((c) => c.before !== undefined).length;
  return {
    ...found,
    messages: { before: state.messages.length, after: rendering.pieces.length, unchanged: kept },
    tokens: { before: state.messageTokens, after: rendering.tokens },
    hidden_tools: [...state.toolList.hidden],
    changes,
  };
}

async function find(
  store: Store,
  key: SessionKey,
  { turn, seq }: DiffWanted,
): Promise<{ seq: number; turn: number; hash: string }> {
  let found: { seq: number; turn: number; hash: string } | undefined;
  for await (const { event: e } of events(store, key)) {
    if (e.type !== 'llm.request' || e.payload.passthrough !== undefined) continue;
    if (seq !== undefined ? e.seq === seq : turn === undefined || e.turn === turn)
      found = { seq: e.seq, turn: e.turn, hash: e.payload.hash };
  }
  const which = seq !== undefined ? `at seq ${seq}` : turn !== undefined ? `in turn ${turn}` : 'yet';
  return found ?? fail('SEQ_GAP', `there is no main request ${which}`, { detail: { turn, seq } });
}

function differences(state: SessionState, rendering: Rendering, chronicle: Chronicle): Difference[] {
  const deciders = byPosition(state);
  const decided = (at: number) => {
    const told = [...(deciders.get(at) ?? [])].map((seq) => chronicle.get(seq));
    return told.filter((d) => d !== undefined);
  };
  const out: Difference[] = [];
  for (let at = 0; at <= state.messages.length; at += 1) {
    const own = rendering.ownIndexOf(at);
    for (const piece of rendering.pieces.slice(rendering.indexOf(at), own)) {
      out.push({
        message: at,
        after: new RawJson(piece.text),
        tokens_before: 0,
        tokens_after: piece.tokens,
        decisions: decided(at),
      });
    }
    const stored = state.messages[at];
    if (stored === undefined) continue;
    const piece = rendering.pieces[own]?.at === at ? rendering.pieces[own] : undefined;
    if (piece?.text === stored.native.text) continue;
    out.push({
      message: at,
      before: new RawJson(stored.native.text),
      ...(piece === undefined ? {} : { after: new RawJson(piece.text) }),
      tokens_before: stored.tokens,
      tokens_after: piece?.tokens ?? 0,
      decisions: decided(at),
    });
  }
  return out;
}

function byPosition(state: SessionState): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  for (const d of state.ledger.decisions()) {
    if (d.observed === true) continue;
    for (const edit of d.edits) {
      const at = positionOf(edit);
      found.set(at, (found.get(at) ?? new Set()).add(d.seq));
    }
  }
  return found;
}

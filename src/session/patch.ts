// The curated request as RFC 6902 operations on what the agent holds itself: its own system, tools and messages, all of
// them as it gave them. Pure.

import type { LedgerEdit } from '../curation/decisions.js';
import { pointer, RawJson, writeJson } from '../json/index.js';
import { OUR_MARK, type Rendering } from './rendering.js';
import type { SessionState } from './state.js';
import { toolsText } from './view.js';

export interface Patch {
  /** Hash of the answer that the operations are for; absent: for what the agent holds itself. */
  base?: string;
  base_messages: number;
  ops: RawJson;
}

/** Operations in the order in which they are applied: inside messages first, then messages themselves from the back. */
export function patchOf(state: SessionState, rendering: Rendering): Patch {
  const ops: string[] = [];
  const whole = state.ledger.edited().length > MANY && rendering.pieces.length < state.messages.length;
  if (whole) return wholeOf(state, rendering);
  for (const at of state.ledger.edited()) {
    if (at >= state.messages.length || state.ledger.isDropped(at)) continue;
    const edits = state.ledger.editsOf(at);
    // A value put in place of another can be named by its path; anything that moves items is the message as a whole.
    const simple = edits.every((e) => e.op === 'set');
    if (simple) {
      for (const e of edits) if (e.op === 'set') ops.push(editOp(e));
    } else {
      ops.push(op('replace', ['messages', at], rendering.pieces[rendering.ownIndexOf(at)]!.text));
    }
  }
  // Our cache marks; a block that was replaced above is the request's own by now.
  for (const mark of rendering.placed) {
    ops.push(op('add', ['messages', mark.at, ...mark.path, 'cache_control'], OUR_MARK));
  }
  const moved = [...new Set([...state.ledger.edited(), ...state.ledger.inserted()])]
    .filter((at) => at <= state.messages.length)
    .sort((a, b) => b - a);
  for (const at of moved) {
    if (state.ledger.isDropped(at)) ops.push(writeJson({ op: 'remove', path: pointer(['messages', at]) }));
    for (const insert of [...state.ledger.insertsBefore(at)].reverse()) {
      if (insert.op === 'insert') ops.push(op('add', ['messages', at], insert.json));
    }
  }
  if (state.format === 'openai-chat' && state.system !== undefined) {
    ops.push(writeJson({ op: 'remove', path: '/system' }));
    ops.push(op('add', ['messages', 0], rendering.pieces[0]!.text));
  }
  ops.push(...toolOps(state));
  return { base_messages: state.messages.length, ops: new RawJson(`[${ops.join(',')}]`) };
}

/** The operation of an edit, written once: every later patch holds it again. */
function editOp(e: Extract<LedgerEdit, { op: 'set' }>): string {
  let text = WRITTEN.get(e);
  if (text === undefined) {
    text = op('add', ['messages', e.at, ...e.path], e.json);
    WRITTEN.set(e, text);
  }
  return text;
}

const WRITTEN = new WeakMap<LedgerEdit, string>();

/** The messages in one operation: after a compaction of a long history every dropped message would be one of its own. */
function wholeOf(state: SessionState, rendering: Rendering): Patch {
  const ops = [
    op('replace', ['messages'], `[${rendering.pieces.map((_, i) => rendering.textOf(i)).join(',')}]`),
  ];
  if (state.format === 'openai-chat' && state.system !== undefined)
    ops.push(writeJson({ op: 'remove', path: '/system' }));
  ops.push(...toolOps(state));
  return { base_messages: state.messages.length, ops: new RawJson(`[${ops.join(',')}]`) };
}

function toolOps(state: SessionState): string[] {
  const tools = toolsText(state);
  if (tools === undefined && state.tools !== undefined) return [writeJson({ op: 'remove', path: '/tools' })];
  return tools !== undefined && tools !== state.tools?.native.text ? [op('replace', ['tools'], tools)] : [];
}

/** Above so many operations a history that was mostly dropped is shorter as a whole. */
const MANY = 256;

function op(name: 'add' | 'replace', path: (string | number)[], json: string): string {
  // "add" on an object member replaces it and on an array item inserts: an item of an array is replaced by its own verb.
  const verb = typeof path[path.length - 1] === 'number' && path.length > 2 ? 'replace' : name;
  return writeJson({ op: verb, path: pointer(path), value: new RawJson(json) });
}

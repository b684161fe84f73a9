// The curated request as operations on the answer before it: a turn tells what it added and what was edited since, however
// much was edited before. Pure.

import { changesOf, pointer, RawJson, type TextEdit } from '../../json/index.js';
import type { SessionState } from '../state/state.js';
import type { AnsweredPiece, LastAnswer } from './last-answer.js';
import type { Patch } from './patch.js';
import type { Rendering } from './rendering.js';

/** Above so many messages taken out one by one, all of them are told anew. */
const MANY = 256;

/** Operations that make the request of `answer`. O(what differs, and what stands behind the first difference). */
export function patchFrom(answer: LastAnswer, state: SessionState, rendering: Rendering): Patch {
  const before = answer.replaced();
  const ops = messageOps(answer.intact, before, state, rendering) ?? [wholeOp(rendering)];
  addPartOp(ops, 'system', answer.system, rendering.statics.system(state));
  addPartOp(ops, 'tools', answer.tools, rendering.statics.tools(state));
  return {
    base: answer.hash,
    base_messages: answer.intact + before.length,
    ops: new RawJson(listOf(ops)),
  };
}

/** Both lists hold stored messages in ascending order, with ours between them; undefined where the whole is shorter. */
function messageOps(
  intact: number,
  before: readonly AnsweredPiece[],
  state: SessionState,
  rendering: Rendering,
): string[] | undefined {
  const ops: string[] = [];
  const { pieces } = rendering;
  let removed = 0;
  let index = intact;
  let i = 0;
  const add = () => {
    ops.push(operation('add', messageAt(index), rendering.textOf(index)));
    index += 1;
  };
  const remove = () => {
    ops.push(operation('remove', messageAt(index)));
    removed += 1;
    i += 1;
  };
  while (i < before.length || index < pieces.length) {
    const old = before[i];
    const now = pieces[index];
    if (now === undefined) remove();
    else if (old === undefined) add();
    else if (old.at === now.at) {
      const to = rendering.textOf(index);
      if (old.text !== to) addEditOps(ops, index, old.text, to, lastEdit(state, rendering, now.at));
      index += 1;
      i += 1;
    } else if (old.at < 0) remove();
    else if (now.at < 0 || now.at < old.at) add();
    else remove();
    if (removed > MANY) return undefined;
  }
  return ops;
}

/** Of a stored message; of a message of ours there is none. */
function lastEdit({ ledger }: SessionState, { projected }: Rendering, at: number): TextEdit | undefined {
  const edit = ledger.editsOf(at, projected).at(-1);
  return edit !== undefined && 'path' in edit ? edit : undefined;
}

function addEditOps(
  ops: string[],
  index: number,
  from: string,
  to: string,
  last: TextEdit | undefined,
): void {
  const place = messageAt(index);
  const changes = changesOf(from, to, last);
  if (changes === undefined) ops.push(operation('replace', place, to));
  for (const c of changes ?? []) {
    const path = `${place}${pointer(c.path)}`;
    if (c.op === 'remove') ops.push(operation('remove', path));
    // "add" on an object's member replaces it; on a list's item it would insert.
    else ops.push(operation(typeof c.path.at(-1) === 'number' ? 'replace' : 'add', path, c.json));
  }
}

function addPartOp(
  ops: string[],
  name: 'system' | 'tools',
  before: string | undefined,
  now: string | undefined,
): void {
  if (before === now) return;
  ops.push(now === undefined ? operation('remove', `/${name}`) : operation('add', `/${name}`, now));
}

function wholeOp(rendering: Rendering): string {
  return operation('replace', '/messages', listOf(rendering.pieces.map((_, i) => rendering.textOf(i))));
}

function messageAt(index: number): string {
  return `/messages/${index}`;
}

/** @param path JSON pointer */
function operation(op: 'add' | 'remove' | 'replace', path: string, json?: string): string {
  const value = json === undefined ? '' : `,"value":${json}`;
  return `{"op":"${op}","path":${JSON.stringify(path)}${value}}`;
}

/** As `join` puts them together, but their bytes are copied only once: when the answer is written. */
function listOf(texts: readonly string[]): string {
  let items = '';
  for (const text of texts) items += items === '' ? text : `,${text}`;
  return `[${items}]`;
}

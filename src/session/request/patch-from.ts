// The curated request as operations on the answer before it: a turn tells what it added and what was edited since, however
// much was edited before. Pure.

import { changesOf, type Path, pointer, RawJson } from '../../json/index.js';
import type { SessionState } from '../state/state.js';
import type { AnsweredPiece, LastAnswer } from './last-answer.js';
import type { Patch } from './patch.js';
import type { Rendering } from './rendering.js';

/** Above so many messages taken out one by one, all of them are told anew. */
const MANY = 256;

/** Operations that make the request of `answer`. O(what differs, and what stands behind the first difference). */
export function patchFrom(answer: LastAnswer, state: SessionState, rendering: Rendering): Patch {
  const before = answer.replaced();
  const ops = messageOps(answer.intact, before, rendering) ?? [wholeOp(rendering)];
  ops.push(...partOps('system', answer.system, rendering.statics.system(state)));
  ops.push(...partOps('tools', answer.tools, rendering.statics.tools(state)));
  return {
    base: answer.hash,
    base_messages: answer.intact + before.length,
    ops: new RawJson(`[${ops.join(',')}]`),
  };
}

/** Both lists hold stored messages in ascending order, with ours between them; undefined where the whole is shorter. */
function messageOps(
  intact: number,
  before: readonly AnsweredPiece[],
  rendering: Rendering,
): string[] | undefined {
  const ops: string[] = [];
  const { pieces } = rendering;
  let removed = 0;
  let index = intact;
  let i = 0;
  const add = () => {
    ops.push(operation('add', ['messages', index], rendering.textOf(index)));
    index += 1;
  };
  const remove = () => {
    ops.push(operation('remove', ['messages', index]));
    removed += 1;
    i += 1;
  };
  while (i < before.length || index < pieces.length) {
    const old = before[i];
    const now = pieces[index];
    if (now === undefined) remove();
    else if (old === undefined) add();
    else if (old.at === now.at) {
      ops.push(...editOps(index, old.text, rendering.textOf(index)));
      index += 1;
      i += 1;
    } else if (old.at < 0) remove();
    else if (now.at < 0 || now.at < old.at) add();
    else remove();
    if (removed > MANY) return undefined;
  }
  return ops;
}

function editOps(index: number, from: string, to: string): string[] {
  if (from === to) return [];
  const place = ['messages', index];
  const changes = changesOf(from, to);
  if (changes === undefined) return [operation('replace', place, to)];
  return changes.map((c) => {
    const path = [...place, ...c.path];
    if (c.op === 'remove') return operation('remove', path);
    // "add" on an object's member replaces it; on a list's item it would insert.
    return operation(typeof c.path.at(-1) === 'number' ? 'replace' : 'add', path, c.json);
  });
}

function partOps(name: 'system' | 'tools', before: string | undefined, now: string | undefined): string[] {
  if (before === now) return [];
  return [now === undefined ? operation('remove', [name]) : operation('add', [name], now)];
}

function wholeOp(rendering: Rendering): string {
  const texts = rendering.pieces.map((_, i) => rendering.textOf(i));
  return operation('replace', ['messages'], `[${texts.join(',')}]`);
}

function operation(op: 'add' | 'remove' | 'replace', path: Path, json?: string): string {
  const value = json === undefined ? '' : `,"value":${json}`;
  return `{"op":"${op}","path":${JSON.stringify(pointer(path))}${value}}`;
}

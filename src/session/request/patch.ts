// The curated request as RFC 6902 operations on what the agent holds itself: its own system, tools and messages, all of
// them as it gave them. Pure.

import { pointer, RawJson } from '../../json/index.js';
import { OUR_MARK } from '../marks/placed-mark.js';
import type { SessionState } from '../state/state.js';
import type { EditLog } from './edit-log.js';
import type { Rendering } from './rendering.js';

export interface Patch {
  /** Hash of the answer that the operations are for; absent: for what the agent holds itself. */
  base?: string;
  base_messages: number;
  ops: RawJson;
}

/** Characters of a token, about; and of the operation that takes a message out. */
const TEXT_OF_TOKEN = 4;
const TEXT_OF_REMOVAL = 36;

/** Operations in the order in which they are applied: inside messages first, then messages themselves from the back. */
export function patchOf(state: SessionState, rendering: Rendering, log: EditLog): Patch {
  const edits = log.text(state, rendering);
  const dropped = state.ledger.dropped();
  const asOperations = edits.length + dropped.length * TEXT_OF_REMOVAL;
  // After a compaction of a long history what is left is shorter than what was done to it.
  const ops =
    dropped.length > 0 && asOperations > rendering.tokens * TEXT_OF_TOKEN
      ? [wholeOf(rendering)]
      : [
          ...redactedOps(state),
          edits,
          ...blockOps(state, rendering),
          ...markOps(rendering),
          ...movedOps(state, dropped),
          ...headOps(state, rendering),
        ];
  const all = [...ops, ...systemOps(state, rendering), ...toolOps(state, rendering)]
    .filter((o) => o !== '')
    .join(',');
  return { base_messages: state.messages.length, ops: new RawJson(`[${all}]`) };
}

/** Where the host holds another text than we do, ours goes in its place before anything is done to it. */
function redactedOps({ redacted, messages, ledger }: SessionState): string[] {
  return redacted
    .filter((at) => !ledger.isDropped(at))
    .map((at) => `{"op":"replace","path":"/messages/${at}","value":${messages[at]!.native.text}}`);
}

/** Contents that go out in blocks: as they stand in the request, whatever was done to them. */
function blockOps({ inBlocks, ledger }: SessionState, rendering: Rendering): string[] {
  return inBlocks
    .filter((at) => at >= 0 && !ledger.isDropped(at))
    .map((at) => {
      const { text } = rendering.pieces[rendering.ownIndexOf(at)]!;
      return `{"op":"replace","path":"/messages/${at}","value":${text}}`;
    });
}

/** Our cache marks; a block that an edit put in place is the request's own by now. */
function markOps(rendering: Rendering): string[] {
  return rendering.placed.map((mark) => {
    const path = pointer(['messages', mark.at, ...mark.path, 'cache_control']);
    return `{"op":"add","path":${JSON.stringify(path)},"value":${OUR_MARK}}`;
  });
}

function movedOps({ ledger, messages }: SessionState, dropped: readonly number[]): string[] {
  const gone = new Set(dropped);
  const moved = [...new Set([...dropped, ...ledger.inserted()])]
    .filter((at) => at <= messages.length)
    .sort((a, b) => b - a);
  const ops: string[] = [];
  for (const at of moved) {
    if (gone.has(at)) ops.push(`{"op":"remove","path":"/messages/${at}"}`);
    for (const insert of [...ledger.insertsBefore(at)].reverse()) {
      if (insert.op === 'insert') ops.push(`{"op":"add","path":"/messages/${at}","value":${insert.json}}`);
    }
  }
  return ops;
}

/** With openai-chat the system is the request's first message. */
function headOps(state: SessionState, rendering: Rendering): string[] {
  if (state.format !== 'openai-chat' || state.system === undefined) return [];
  return [`{"op":"add","path":"/messages/0","value":${rendering.pieces[0]!.text}}`];
}

function systemOps(state: SessionState, rendering: Rendering): string[] {
  const { format, system } = state;
  if (system === undefined) return [];
  if (format === 'openai-chat') return ['{"op":"remove","path":"/system"}'];
  const text = rendering.statics.system(state)!;
  if (text === system.native.text && !system.redacted) return [];
  return [`{"op":"replace","path":"/system","value":${text}}`];
}

/** The messages in one operation. */
function wholeOf(rendering: Rendering): string {
  const texts = rendering.pieces.map((_, i) => rendering.textOf(i));
  return `{"op":"replace","path":"/messages","value":[${texts.join(',')}]}`;
}

function toolOps(state: SessionState, rendering: Rendering): string[] {
  const tools = rendering.statics.tools(state);
  if (tools === undefined && state.tools !== undefined) return ['{"op":"remove","path":"/tools"}'];
  if (tools === undefined || (tools === state.tools?.native.text && !state.tools.redacted)) return [];
  return [`{"op":"replace","path":"/tools","value":${tools}}`];
}

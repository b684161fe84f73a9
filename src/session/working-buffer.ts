// The working buffer of a session as lines of text: what stands for the history after compactions and the cap, and what
// a compaction archives (L5-9, H-1, H-2). Derived from the state alone, so that a journal gives the same bytes again. Pure.

import type { ArchiveNote } from '../curation/decisions.js';
import { applyEdits, type TextEdit } from '../json/index.js';
import type { Payloads } from './state/events.js';
import type { SessionState } from './state/state.js';

/** A line before it is written out: the text is the session's own string. */
export interface BufferLine {
  id: string;
  turn: number;
  text: string;
}

/** `archive/NNN-YYYYMMDD-HHMMSS`, UTC, without its ending. */
export function archiveName(note: Pick<ArchiveNote, 'number' | 'at'>): string {
  const time = new Date(note.at).toISOString().replace(/\.\d+Z$/, '');
  const stamp = time.replaceAll('-', '').replaceAll(':', '').replace('T', '-');
  return `archive/${String(note.number).padStart(3, '0')}-${stamp}`;
}

/** Changes when lines other than new ones at the end may differ. */
export function bufferRevision(state: SessionState): string {
  return `${state.summary?.seq ?? 0}/${state.capped?.seq ?? 0}`;
}

/** All lines of the buffer. O(history). */
export function bufferLines(state: SessionState): BufferLine[] {
  const gone = new Set<number>();
  const inserts = new Map<number, BufferLine[]>();
  const edits = new Map<number, TextEdit[]>();
  for (const seq of [state.summary?.seq, state.capped?.seq]) {
    for (const e of state.ledger.get(seq ?? -1)?.edits ?? []) {
      if (e.op === 'drop') gone.add(e.at);
      else if (e.op === 'insert') {
        const turn = state.messages[e.before]?.turn ?? state.turn;
        inserts.set(e.before, [...(inserts.get(e.before) ?? []), { id: e.id, turn, text: e.json }]);
      } else edits.set(e.at, [...(edits.get(e.at) ?? []), e]);
    }
  }
  const lines: BufferLine[] = [];
  for (let at = 0; at <= state.messages.length; at += 1) {
    lines.push(...(inserts.get(at) ?? []));
    const m = state.messages[at];
    if (m === undefined || gone.has(at)) continue;
    const own = edits.get(at);
    const text = own === undefined ? m.native.text : applyEdits(m.native.text, own);
    lines.push({ id: m.id, turn: m.turn, text });
  }
  return lines;
}

/** Lines of the messages from stored position `from` on, what an append adds, or up to (not including) `end`. */
export function newLines(state: SessionState, from: number, end = state.messages.length): BufferLine[] {
  return state.messages.slice(from, end).map((m) => ({ id: m.id, turn: m.turn, text: m.native.text }));
}

/** One line of JSON: `{id, turn, message}`, the message as it came. */
export function written(line: BufferLine): string {
  // A line break outside of a JSON string is white space, and inside of one there is none.
  const { text } = line;
  const message = text.includes('\n') || text.includes('\r') ? text.replace(/[\n\r]+/g, ' ') : text;
  return `{"id":${JSON.stringify(line.id)},"turn":${line.turn},"message":${message}}\n`;
}

/** One archive: three files beside each other. */
export interface Archive {
  /** Name without its ending. */
  name: string;
  lines: BufferLine[];
  meta: string;
  summary: string;
}

/** What a compaction archives. Call with the state right behind its event: the messages are still there. */
export function archiveOf(state: SessionState, p: Payloads['memory.compacted']): Archive | undefined {
  const note = p._archive;
  if (note === undefined) return undefined;
  const lines = note.runs.flatMap(([from, to]) => newLines(state, from, to + 1));
  const meta = {
    archive_number: note.number,
    message_count: lines.length,
    timestamp: new Date(note.at).toISOString(),
    strategy: note.strategy,
    reason: p['reason'],
  };
  return {
    name: archiveName(note),
    lines,
    meta: `${JSON.stringify(meta, null, 2)}\n`,
    summary: `${(p._blocks ?? []).map((b) => b.text).join('\n\n')}\n`,
  };
}

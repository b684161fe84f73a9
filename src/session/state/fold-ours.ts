// What is ours in the request: summaries, the durable block, the index of tools.

import { prefixOf } from '../../curation/handle.js';
import type { Payloads, SessionEvent } from './events.js';
import type { SessionState } from './state.js';

export function summarised(
  state: SessionState,
  e: Extract<SessionEvent, { type: 'memory.compacted' | 'memory.summary_replaced' }>,
): void {
  const { covers, handle, _blocks: blocks } = e.payload;
  state.cycleOpen = false;
  delete (state as Partial<SessionState>).cooldown;
  state.summary = {
    seq: e.seq,
    kind: e.type === 'memory.compacted' ? 'compaction' : 'summary',
    blocks: blocks ?? [],
    covers,
  };
  state.archives.set(handle, covers);
  state.givenBy.add(prefixOf(handle));
  if (e.type === 'memory.compacted' && e.payload.backup_path !== null)
    state.backups.push(e.payload.backup_path);
  state.summarisedAt = state.turn;
}

export function durable(state: SessionState, p: Payloads['durable.changed'], seq: number): void {
  state.durableSeq = seq;
  switch (p.field) {
    case 'plan':
      state.durable.plan = p.value as { title: string; text: string };
      break;
    case 'todos':
      state.durable.todos = p.value as unknown[];
      break;
    case 'manifest':
      state.durable.manifest = p.value as string;
      break;
    case 'decision':
      state.durable.decisions.push(p.value as string);
      break;
  }
}

export function placed(state: SessionState, p: Payloads['durable.placed'], seq: number): void {
  const old = state.durablePlaced;
  if (old !== undefined && state.ledger.get(old.seq) !== undefined) state.durableStale.push(old);
  if (p.block === '') delete (state as Partial<SessionState>).durablePlaced;
  else state.durablePlaced = { seq, block: p.block, message: p.message };
}

export function indexed(state: SessionState, p: Payloads['tools.indexed'], seq: number): void {
  const old = state.indexPlaced;
  if (old !== undefined && state.ledger.get(old.seq) !== undefined) state.indexStale.push(old);
  if (p.index === '') delete (state as Partial<SessionState>).indexPlaced;
  else state.indexPlaced = { seq, block: p.index, message: p.message };
}

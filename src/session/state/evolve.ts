// Folds one event into the state. Deterministic, knows no heuristic, tokenizer, clock or config source: what an event
// does not say does not happen. The state is owned by its actor and is changed in place.

import { shiftDetected, shiftRetracted, vectorTaken } from '../topics/fold.js';
import type { SessionEvent } from './events.js';
import { curated, decided } from './fold-decision.js';
import { diverged, handle, message, remarked, reread, shortened } from './fold-history.js';
import { durable, indexed, placed, summarised } from './fold-ours.js';
import { attached, editedNatively, requested, turnEnded, used } from './fold-request.js';
import { configured, keyed, opened, resumed, systemSet, toolsSet } from './fold-session.js';
import type { SessionState } from './state.js';

export function evolve(state: SessionState, e: SessionEvent): SessionState {
  state.seq = e.seq;
  state.updatedAt = e.ts;
  const repairs = decided(state, e);
  switch (e.type) {
    case 'session.opened':
      opened(state, e.payload);
      break;
    case 'session.resumed':
      resumed(state, e.payload);
      break;
    case 'session.closed':
      state.status = 'closed';
      break;
    case 'session.config':
      configured(state, e.payload);
      break;
    case 'session.attached':
      attached(state, e.payload, e);
      break;
    case 'session.message':
      message(state, e.payload, e);
      break;
    case 'session.usage':
      used(state, e.payload.usage, e.payload.message, e.ts);
      state.fit = e.payload.fit;
      break;
    case 'session.remarked':
      remarked(state, e.payload);
      break;
    case 'session.system':
      systemSet(state, e.payload);
      break;
    case 'session.tools':
      toolsSet(state, e.payload);
      break;
    case 'session.diverged':
      diverged(state, e.payload.index);
      break;
    case 'session.held': {
      const { key } = e.payload;
      state.held = [...state.held.filter((h) => key === undefined || h.key !== key), e.payload];
      break;
    }
    case 'session.repaired':
      for (const f of e.payload.frozen ?? []) state.frozen.add(f);
      if (e.payload.no_tools) for (const list of [state.toolList, state.toolListObserved]) list.dropEmpty();
      break;
    case 'session.key':
      keyed(state, e.payload);
      break;
    case 'llm.request':
      requested(state, e.payload, e);
      break;
    case 'memory.native_edit':
      editedNatively(state, e.payload);
      break;
    case 'io.input':
      if (e.payload._meta?.vetoed !== true) state.inputs.push({ seq: e.seq, message: e.payload.message });
      break;
    case 'agent.turn.end':
      turnEnded(state, e.payload, e);
      break;
    case 'memory.tool_result_cleared':
      shortened(state, e.seq, e.payload);
      break;
    case 'memory.undo.requested':
      state.undo.set(e.payload.seq_of, e.payload);
      for (const pin of e.payload._pins) state.pins.add(pin);
      break;
    case 'memory.summary_undone':
      if (state.summary !== undefined && e.payload._undo?.includes(state.summary.seq))
        delete (state as Partial<SessionState>).summary;
      // What was mended in the range has its place again.
      for (const repair of repairs) state.ledger.add(repair);
      break;
    case 'memory.tool_def_restored':
      for (const wish of state.undo.values())
        if (wish.tool_id === e.payload.tool_id) state.undo.delete(wish.seq_of);
      break;
    case 'memory.thinking_cleared':
      handle(state, e.payload.handle, e.payload.message, e.payload._of);
      break;
    case 'memory.reread':
      reread(state, e.payload);
      break;
    case 'tools.discovered':
      for (const key of e.payload.tools) state.toolFacts.discovered.set(key, state.turn);
      break;
    case 'tool.invoke':
      state.toolFacts.invoked.set(e.payload.name, state.turn);
      break;
    case 'memory.curated':
      curated(state, e);
      break;
    case 'memory.topic_shift_detected':
      shiftDetected(state.topic, e.seq, e.payload);
      break;
    case 'memory.topic_shift_retracted':
      shiftRetracted(state.topic, e.payload);
      break;
    case 'topic.vector':
      vectorTaken(state.topic, e.payload);
      break;
    case 'topic.reset':
      delete state.topic.vectors;
      break;
    case 'memory.compaction.triggered':
      state.cycleOpen = true;
      break;
    case 'memory.compacted':
    case 'memory.summary_replaced':
      summarised(state, e);
      break;
    case 'memory.capped':
      state.capped = { seq: e.seq, covers: e.payload.covers };
      state.archives.set(e.payload.handle, e.payload.covers);
      break;
    case 'memory.compaction.failed':
      state.cycleOpen = false;
      if (e.payload.view_tokens !== undefined) state.cooldown = e.payload.view_tokens;
      break;
    case 'memory.irreducible':
      state.cooldown = e.payload.view_tokens;
      break;
    case 'memory.text_shortened':
      handle(state, e.payload.handle, e.payload.message, e.payload._of);
      break;
    case 'durable.changed':
      durable(state, e.payload, e.seq);
      break;
    case 'durable.placed':
      placed(state, e.payload, e.seq);
      break;
    case 'tools.indexed':
      indexed(state, e.payload, e.seq);
      break;
    case 'tools.added':
      for (const key of e.payload.tools) state.toolsAdded.set(key, e.seq);
      break;
    case 'tools.index_removed':
      state.indexStale = state.indexStale.filter((c) => state.ledger.get(c.seq) !== undefined);
      break;
    case 'durable.removed':
      state.durableStale = state.durableStale.filter((c) => state.ledger.get(c.seq) !== undefined);
      break;
    default:
      break;
  }
  return state;
}

// Folds one event into the state. Deterministic, knows no heuristic, tokenizer, clock or config source: what an event
// does not say does not happen. The state is owned by its actor and is changed in place.

import { CallIndex } from '../../curation/calls.js';
import { messageOf } from '../../curation/claim.js';
import type { DecisionFields, LedgerEdit } from '../../curation/decisions.js';
import { prefixOf } from '../../curation/handle.js';
import { NO_PAUSES, withPause } from '../../economics/cold-odds.js';
import { type Path, pointer, sliceIn } from '../../json/index.js';
import { Native } from '../../json/native.js';
import { specOf } from '../../providers/spec.js';
import { readHinted } from '../intake/hints.js';
import { remembered } from '../intake/readings.js';
import { Thoughts } from '../mending/thoughts.js';
import { shiftDetected, shiftRetracted, topicsDiverged, vectorTaken } from '../topics/fold.js';
import { freshTopics } from '../topics/state.js';
import type { Payloads, SessionEvent } from './events.js';
import { type Decision, Ledger, positionOf } from './ledger.js';
import { project } from './project.js';
import type { SessionState, StaticPart } from './state.js';
import { ToolList } from './tool-list.js';

/** Recorded answers of idempotency keys that are kept a session; the oldest leave first. */
const KEYS_KEPT = 4096;

/** The state before any event. */
export function freshState(): SessionState {
  return {
    status: 'fresh',
    seq: 0,
    hash: '',
    updatedAt: 0,
    format: 'anthropic',
    spec: specOf('anthropic'),
    model: '',
    config: {},
    own: {},
    epoch: 0,
    turn: 0,
    round: 0,
    messages: [],
    redacted: [],
    inBlocks: [],
    messageTokens: 0,
    calls: new CallIndex(),
    thoughts: new Thoughts(),
    ledger: new Ledger(),
    sent: { requests: 0, messages: 0, tokens: 0, at: 0, seq: 0 },
    boundary: false,
    edited: false,
    pending: new Set(),
    repaired: 0,
    frozen: new Set(),
    durable: { todos: [], manifest: '', decisions: [] },
    durableSeq: 0,
    durableStale: [],
    indexStale: [],
    dirtyFrom: Number.POSITIVE_INFINITY,
    dirtyObserved: Number.POSITIVE_INFINITY,
    ends: [],
    cacheSeen: false,
    pauses: NO_PAUSES,
    archives: new Map(),
    backups: [],
    recovering: false,
    overflowed: false,
    cycleOpen: false,
    summarisedAt: 0,
    keys: new Map(),
    undo: new Map(),
    pins: new Set(),
    held: [],
    topic: freshTopics(),
    toolList: new ToolList(),
    toolListObserved: new ToolList(),
    toolsAdded: new Map(),
    toolFacts: { seen: new Map(), invoked: new Map(), discovered: new Map() },
    turnBoundary: false,
    staticChanged: false,
    handles: new Map(),
    givenBy: new Set(),
    orphans: new Map(),
    envelopes: [],
    nativeCleared: 0,
    inputs: [],
    turnMessages: 0,
  };
}

function staticPart(
  text: string | null | undefined,
  tokens: number | undefined,
  features: readonly number[] | undefined,
  redactions: number | undefined,
  each?: readonly number[],
): StaticPart | undefined {
  if (text == null) return undefined;
  return {
    native: new Native(text),
    tokens: tokens ?? 0,
    features: features ?? [],
    ...(redactions === undefined ? {} : { redacted: true as const }),
    ...(each === undefined ? {} : { each }),
  };
}

export function evolve(state: SessionState, e: SessionEvent): SessionState {
  state.seq = e.seq;
  state.updatedAt = e.ts;
  const { _undo: undo, _hide: hide, _show: show, _own: own, _defer: defer } = e.payload as DecisionFields;
  const edits = editsOf(e.payload as DecisionFields);
  const repairs: Decision[] = [];
  for (const seq of undo ?? []) {
    soil(state, state.ledger.get(seq)?.edits, e.observed === true);
    repairs.push(...state.ledger.remove(seq));
    state.undo.delete(seq);
  }
  if (undo !== undefined) state.calls.uncleared(new Set(undo));
  if (!(e.type === 'session.repaired' && e.payload.marks)) soil(state, edits, e.observed === true);
  if (state.capped !== undefined && undo?.includes(state.capped.seq))
    delete (state as Partial<SessionState>).capped;
  if (edits !== undefined) {
    state.ledger.add({
      seq: e.seq,
      type: e.type,
      edits,
      ...(e.observed ? { observed: true } : {}),
      ...(repairs.length === 0 || e.type === 'memory.summary_undone' ? {} : { repairs }),
    });
  }
  for (const list of e.observed ? [state.toolListObserved] : [state.toolList, state.toolListObserved]) {
    if (hide !== undefined) list.hide(hide);
    if (show !== undefined) list.show(show);
    if (own !== undefined) list.add(own);
    if (hide !== undefined && defer === true) list.defer(hide);
    if (e.type === 'memory.tool_def_pruned') list.pruned.set(e.payload.tool_id, state.turn);
  }
  switch (e.type) {
    case 'session.opened':
      opened(state, e.payload);
      break;
    case 'session.resumed':
      state.status = 'open';
      state.epoch = e.payload.epoch;
      if (e.payload.model !== undefined) state.model = e.payload.model;
      break;
    case 'session.closed':
      state.status = 'closed';
      break;
    case 'session.config':
      state.config = e.payload.config;
      if (e.payload.own !== undefined) state.own = e.payload.own;
      state.calls.uncleared(new Set(state.ledger.dropObserved()));
      state.toolListObserved = ToolList.from(state.toolList);
      break;
    case 'session.attached':
      state.sent = { ...state.sent, messages: e.payload.messages, tokens: e.payload.tokens, at: e.ts };
      state.repaired = Math.max(state.repaired, e.payload.messages);
      state.toolList.carried();
      state.toolListObserved.carried();
      break;
    case 'session.message':
      message(state, e.payload, e);
      break;
    case 'session.usage':
      state.usage = { ...e.payload.usage, messages: e.payload.message, ts: e.ts };
      if (state.usage.cached + state.usage.written > 0) state.cacheSeen = true;
      state.fit = e.payload.fit;
      break;
    case 'session.remarked':
      for (const m of e.payload.messages) {
        const stored = state.messages[m.at];
        if (stored === undefined) continue;
        stored.native = new Native(m.text);
        stored.reading = readHinted(state.spec, stored.native, stored.hint?.media);
        state.ledger.touch(m.at);
      }
      break;
    case 'session.system':
      state.staticChanged = state.sent.requests > 0;
      state.system = staticPart(
        e.payload.text,
        e.payload.tokens,
        e.payload.features,
        e.payload.redactions,
      ) as StaticPart;
      if (e.payload.text === null) delete (state as Partial<SessionState>).system;
      break;
    case 'session.tools': {
      const { text, tokens, features, redactions, _each: each, _keep_order: keepOrder } = e.payload;
      setTools(state, staticPart(text, tokens, features, redactions, each), keepOrder === true);
      break;
    }
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
      state.held = state.held.filter((h) => h.key !== e.payload.key);
      state.keys.set(e.payload.key, {
        body: e.payload.body,
        method: e.payload.method,
        result: e.payload.result,
        ...(e.payload.request_seq === undefined ? {} : { requestSeq: e.payload.request_seq }),
      });
      if (state.keys.size > KEYS_KEPT) state.keys.delete(state.keys.keys().next().value!);
      break;
    case 'llm.request': {
      if (e.payload.passthrough !== undefined || e.payload.request === 0) break;
      const marks = e.payload._marks?.at(-1);
      state.sent = {
        requests: e.payload.request,
        messages: e.payload.messages,
        tokens: e.payload.tokens,
        ...(e.payload.features === undefined ? {} : { features: e.payload.features }),
        ...(marks === undefined ? {} : { marked: marks.at + 1 }),
        ...(e.payload.changed === undefined ? {} : { changed: e.payload.changed }),
        at: e.ts,
        seq: e.seq,
      };
      if (e.payload.bound !== undefined) state.boundTo = e.payload.bound;
      if (state.held.length > 0) state.held = carried(state.held, e.payload.messages);
      ended(state, e.payload);
      state.overflowed = false;
      state.dirtyFrom = Number.POSITIVE_INFINITY;
      state.dirtyObserved = Number.POSITIVE_INFINITY;
      if (e.payload._spent !== undefined) state.spent = e.payload._spent;
      state.repaired = Math.max(state.repaired, e.payload.messages);
      state.pending = new Set(e.payload.pending ?? []);
      state.envelopes = [];
      state.recovering = e.payload.task_kind === 'gate_retry';
      state.boundary = false;
      state.turnBoundary = false;
      state.staticChanged = false;
      state.toolList.carried();
      state.toolListObserved.carried();
      state.edited = false;
      if (e.payload.native === undefined) {
        delete (state as Partial<SessionState>).nativeSent;
        state.nativeCleared = 0;
      } else state.nativeSent = e.payload.native as NonNullable<SessionState['nativeSent']>;
      break;
    }
    case 'memory.native_edit':
      // One report may name several edits of one request; the next request's report begins anew.
      if (state.nativeReported !== e.payload.request) state.nativeCleared = 0;
      state.nativeReported = e.payload.request;
      state.nativeCleared += e.payload.cleared_input_tokens ?? 0;
      break;
    case 'io.input':
      if (e.payload._meta?.vetoed !== true) state.inputs.push({ seq: e.seq, message: e.payload.message });
      break;
    case 'agent.turn.end':
      state.recovering = false;
      state.overflowed = e.payload.overflow === true;
      state.round += 1;
      if (e.payload.final) {
        state.turn += 1;
        state.turnMessages = 0;
        state.inputs = [];
        state.turnBoundary = true;
      }
      if (e.payload.usage !== undefined) {
        state.usage = { ...e.payload.usage, messages: state.sent.messages, ts: e.ts };
        if (state.usage.cached + state.usage.written > 0) state.cacheSeen = true;
      }
      if (e.payload.fit !== undefined) state.fit = e.payload.fit;
      if (e.payload._spent !== undefined) state.spent = e.payload._spent;
      if (e.payload._pause !== undefined)
        state.pauses = withPause(state.pauses, e.payload._pause.length, e.payload._pause.cold);
      if (e.payload.boundary) {
        state.boundary = true;
        state.edited = false;
      }
      break;
    case 'memory.tool_result_cleared':
      shortened(state, e.seq, e.payload);
      break;
    case 'memory.undo.requested':
      state.undo.set(e.payload.seq_of, e.payload);
      for (const pin of e.payload._pins) state.pins.add(pin);
      break;
    case 'memory.summary_undone':
      if (state.summary !== undefined && undo?.includes(state.summary.seq))
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
    case 'memory.reread': {
      const { message: at, path } = e.payload;
      const result = state.calls.resultAt(at, path, pointerIn(state, at));
      if (result !== undefined) result.rereads = (result.rereads ?? 0) + 1;
      break;
    }
    case 'tools.discovered':
      for (const key of e.payload.tools) state.toolFacts.discovered.set(key, state.turn);
      break;
    case 'tool.invoke':
      state.toolFacts.invoked.set(e.payload.name, state.turn);
      break;
    case 'memory.curated':
      if (!e.observed) state.envelopes.push(project(e));
      if (e.payload._in_blocks !== undefined && !e.observed) formed(state, e.payload._in_blocks);
      // A class that was hidden again has to be discovered again.
      if (!e.observed) for (const key of hide ?? []) state.toolFacts.discovered.delete(key);
      if (e.payload._blocks !== undefined && state.summary !== undefined && !e.observed)
        state.summary = { ...state.summary, seq: e.seq, blocks: e.payload._blocks };
      if (!e.payload.cache_invalidates) break;
      state.edited = true;
      state.lastEdit = { turn: state.turn, calls: state.calls.calls.length };
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
    case 'tools.indexed': {
      const old = state.indexPlaced;
      if (old !== undefined && state.ledger.get(old.seq) !== undefined) state.indexStale.push(old);
      delete (state as Partial<SessionState>).indexPlaced;
      const { index, message } = e.payload;
      if (index !== '') state.indexPlaced = { seq: e.seq, block: index, message };
      break;
    }
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

/** A request has carried their messages: these stay. A call with a key may still come again, and must not bring them twice. */
function carried(held: SessionState['held'], messages: number): SessionState['held'] {
  return held
    .filter((h) => h.messages > messages || h.key !== undefined)
    .map((h) => (h.messages > messages ? h : { ...h, fixed: true }));
}

/** Edits of a decision, its dropped runs written out. */
function editsOf(p: DecisionFields): LedgerEdit[] | undefined {
  if (p._drops === undefined) return p._edits;
  const edits: LedgerEdit[] = [...(p._edits ?? [])];
  for (const [from, to] of p._drops) for (let at = from; at <= to; at += 1) edits.push({ op: 'drop', at });
  return edits;
}

function summarised(
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

/** Notes how far back sent bytes have changed: what is behind is written anew by the provider in any case. */
function soil(state: SessionState, edits: readonly LedgerEdit[] | undefined, observed: boolean): void {
  for (const edit of edits ?? []) {
    const at = positionOf(edit);
    if (at >= state.sent.messages) continue;
    state.dirtyObserved = Math.min(state.dirtyObserved, at);
    if (!observed) state.dirtyFrom = Math.min(state.dirtyFrom, at);
  }
}

/** Notes where a main request ended, and forgets the ends of those before it that its changes have touched. */
function ended(state: SessionState, p: Payloads['llm.request']): void {
  if (p.changed === 'tools' || p.changed === 'system') state.ends = [];
  while (state.ends.length > 0 && state.ends.at(-1)! > state.dirtyObserved) state.ends.pop();
  if (state.ends.at(-1) !== p.messages) state.ends.push(p.messages);
}

function placed(state: SessionState, p: Payloads['durable.placed'], seq: number): void {
  const old = state.durablePlaced;
  if (old !== undefined && state.ledger.get(old.seq) !== undefined) state.durableStale.push(old);
  if (p.block === '') delete (state as Partial<SessionState>).durablePlaced;
  else state.durablePlaced = { seq, block: p.block, message: p.message };
}

function opened(state: SessionState, p: Payloads['session.opened']): void {
  state.status = 'open';
  state.format = p.format;
  state.spec = specOf(p.format);
  state.model = p.model;
  if (p.context_window !== undefined) state.contextWindow = p.context_window;
  if (p.max_output_tokens !== undefined) state.maxOutputTokens = p.max_output_tokens;
  if (p.project !== undefined) state.project = p.project;
  const system = staticPart(p.system, p.system_tokens, p.system_features, p.system_redactions);
  if (system !== undefined) state.system = system;
  const tools = staticPart(p.tools, p.tools_tokens, p.tools_features, p.tools_redactions, p._tools_each);
  if (tools !== undefined) setTools(state, tools, false);
  state.config = p.config;
  state.own = p.own ?? {};
  state.epoch = 1;
}

function setTools(state: SessionState, tools: StaticPart | undefined, keepOrder: boolean): void {
  if (tools === undefined) delete (state as Partial<SessionState>).tools;
  else state.tools = tools;
  state.staticChanged = state.sent.requests > 0;
  for (const list of [state.toolList, state.toolListObserved]) list.replace(tools, keepOrder);
  const { seen } = state.toolFacts;
  for (const { key } of state.toolList.catalog) if (!seen.has(key)) seen.set(key, state.turn);
}

function message(state: SessionState, p: Payloads['session.message'], e: SessionEvent): void {
  const known = remembered(p);
  const own = known?.native ?? new Native(p.text);
  const reading = known?.reading ?? readHinted(state.spec, own, p.hint?.media);
  const at = state.messages.length;
  if (p.redactions !== undefined) state.redacted.push(at);
  state.messages.push({
    id: p.id,
    seq: e.seq,
    native: own,
    reading,
    tokens: p.tokens,
    features: p.features,
    turn: state.turn,
    round: state.round,
    ...(p.hint === undefined ? {} : { hint: p.hint }),
  });
  state.thoughts.add(at, reading);
  state.messageTokens += p.tokens;
  state.turnMessages += 1;
  let body = 0;
  reading.parts.forEach((part, i) => {
    if (part.kind === 'tool_call') state.calls.addCall(at, i, part, state.turn, state.round);
    else if (part.kind === 'tool_result') {
      state.calls.addResult(at, i, part, p.bodies?.[body++] ?? 0, state.turn, state.round);
    }
  });
}

function diverged(state: SessionState, index: number): void {
  for (const [name, place] of state.handles) {
    if (place.at < index) continue;
    const body = sliceIn(state.messages[place.at]!.native, place.path);
    if (body !== undefined) state.orphans.set(name, body);
    state.handles.delete(name);
  }
  const gone = new Set(state.ledger.dropFrom(index));
  if (state.summary !== undefined && gone.has(state.summary.seq))
    delete (state as Partial<SessionState>).summary;
  if (state.capped !== undefined) {
    const { seq, covers } = state.capped;
    if (gone.has(seq)) delete (state as Partial<SessionState>).capped;
    else state.capped = { seq, covers: [covers[0], Math.min(covers[1], index - 1)] };
  }
  for (const [name, [from, to]] of state.archives) {
    if (to < index) continue;
    state.orphans.set(name, archiveText(state, from, to));
    state.archives.delete(name);
  }
  for (let i = index; i < state.messages.length; i += 1) state.messageTokens -= state.messages[i]!.tokens;
  state.messages.length = index;
  while (state.redacted.length > 0 && state.redacted.at(-1)! >= index) state.redacted.pop();
  state.inBlocks = state.inBlocks.filter((at) => at < index);
  state.held = state.held.filter((h) => h.messages <= index);
  state.ledger.touch(index);
  state.calls.truncate(index);
  state.thoughts.truncate(index);
  state.calls.uncleared(gone);
  state.repaired = Math.min(state.repaired, index);
  state.sent.messages = Math.min(state.sent.messages, index);
  if (state.durablePlaced !== undefined && gone.has(state.durablePlaced.seq)) {
    delete (state as Partial<SessionState>).durablePlaced;
  }
  state.durableStale = state.durableStale.filter((c) => !gone.has(c.seq));
  state.indexStale = state.indexStale.filter((c) => !gone.has(c.seq));
  state.dirtyFrom = Math.min(state.dirtyFrom, index);
  state.dirtyObserved = Math.min(state.dirtyObserved, index);
  // What comes instead is new to the provider, whatever we do.
  if (state.spent !== undefined) {
    const kept = (state.system?.tokens ?? 0) + (state.tools?.tokens ?? 0) + state.messageTokens;
    state.spent = { ...state.spent, raw: Math.min(state.spent.raw, kept) };
  }
  state.inputs = state.inputs.filter((i) => i.message < index);
  for (const seq of gone) state.undo.delete(seq);
  for (const pin of state.pins) if ((messageOf(pin) ?? -1) >= index) state.pins.delete(pin);
  topicsDiverged(state.topic, index);
}

function formed(state: SessionState, positions: readonly number[]): void {
  state.inBlocks = [...state.inBlocks, ...positions];
  for (const at of positions) if (at >= 0) state.ledger.touch(at);
}

/** The messages of a run as one JSON array: what a summary's handle gives back. */
export function archiveText(state: SessionState, from: number, to: number): string {
  return `[${state.messages
    .slice(from, to + 1)
    .map((m) => m.native.text)
    .join(',')}]`;
}

function pointerIn(state: SessionState, at: number): (part: number) => string {
  return (part) => pointer(state.messages[at]?.reading.parts[part]?.path ?? []);
}

function handle(state: SessionState, name: string, at: number, path: Path | undefined): void {
  if (path === undefined) return;
  state.handles.set(name, { at, path });
  state.givenBy.add(prefixOf(name));
}

/** A result or a call's input that something shorter stands for from now on. */
function shortened(state: SessionState, seq: number, p: Payloads['memory.tool_result_cleared']): void {
  const at = p.message;
  const pointers = pointerIn(state, at);
  handle(state, p.handle, at, p._of);
  if (p.reason === 'input' || p.reason === 'failed_input') {
    const call = state.calls.callAt(at, p.path, pointers);
    if (call !== undefined) call.cut = seq;
    state.calls.clearedTokens -= p.tokens_delta;
    return;
  }
  const result = state.calls.resultAt(at, p.path, pointers);
  if (result === undefined) return;
  state.calls.shorten(result, seq, p.tokens_delta, p._partly !== true);
  if (p._partly !== true) result.handle = p.handle;
}

function durable(state: SessionState, p: Payloads['durable.changed'], seq: number): void {
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

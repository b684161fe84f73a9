// The events a session is folded from: their names, their payloads, which of their fields stay inside. Knows no
// heuristic and no wire.

import type { DecisionFields, DecisionPayloads } from '../../curation/decisions.js';
import type { Path } from '../../json/index.js';
import type { Format } from '../../providers/types.js';
import type { PresetName } from '../../settings/types.js';
import type { Spent } from './spent.js';

export interface MediaHint {
  /** JSON pointer inside the message. */
  path: string;
  width: number;
  height: number;
}

/** What the host knows about a message beyond the provider's fields. */
export interface MessageHint {
  usage?: unknown;
  model?: string;
  media?: MediaHint[];
  /** Why a guard of the host refused the input. */
  vetoed?: string;
  /** Context that came with an input and that nobody typed. */
  preload?: true;
}

export interface OwnConfig {
  config?: unknown;
  preset?: PresetName;
}

export interface Payloads extends DecisionPayloads {
  'session.opened': {
    format: Format;
    model: string;
    context_window?: number;
    max_output_tokens?: number;
    system?: string;
    system_tokens?: number;
    system_features?: number[];
    tools?: string;
    tools_tokens?: number;
    tools_features?: number[];
    /** Tokens of each definition, in order. */
    _tools_each?: number[];
    system_redactions?: number;
    tools_redactions?: number;
    config: unknown;
    /** What the session itself asked for: laid over the daemon's file again when that changes. */
    own?: OwnConfig;
    project?: string;
  };
  'session.resumed': { epoch: number; model?: string };
  'session.config': { config: unknown; own?: OwnConfig };
  /** `text` is the exact JSON text of the native message. */
  'session.message': {
    id: string;
    at: number;
    role: string;
    text: string;
    tokens: number;
    /** What the estimator learns from (tokens/features.ts). */
    features: number[];
    /** Tokens of each tool result body in the message, in order. */
    bodies?: number[];
    /** Places that were redacted before the message was stored: what its sender holds is another text. */
    redactions?: number;
    hint?: MessageHint;
  };
  /** A report that the host recorded with a message: for the request that the message answers. */
  'session.usage': {
    message: number;
    usage: { prompt: number; cached: number; written: number; output: number };
    fit: unknown;
  };
  /** Something about the session that the host should know. */
  /** `path`: JSON pointer into the params of the call that it is about; a dotted key in journals of earlier builds. */
  'session.notice': { path: string; text: string };
  /** The host joined in mid-conversation: the provider has seen these messages as they are. */
  'session.attached': { messages: number; tokens: number };
  /** The host moved its cache markers in messages it resent: same content, other bytes. */
  'session.remarked': { messages: { at: number; text: string }[] };
  'session.system': { text: string | null; tokens: number; features: number[]; redactions?: number };
  'session.tools': {
    text: string | null;
    tokens: number;
    features: number[];
    /** Tokens of each definition, in order. */
    _each?: number[];
    /** What was listed keeps its place, whatever the host's new order. */
    _keep_order?: boolean;
    redactions?: number;
  };
  'session.diverged': {
    index: number;
    dropped_messages: number;
    dropped_decisions: number[];
    /** Set where no host's history differed: a call that was held failed or was cut off, and what it had brought goes. */
    reason?: string;
  };
  /**
   * What a call has brought is in the history, and the call is not answered yet: it waits for a summary. `call` names it; a second
   * event of the same `key` takes it over. A request that carries the messages, or a divergence in front of them, ends it.
   */
  'session.held': {
    call: string;
    /** Number of messages before the call, and with what it brought. */
    before: number;
    messages: number;
    /** Messages that the call has been through repair with. */
    repaired?: number;
    key?: string;
    /** Hash of the call's body, with `key`. */
    body?: string;
  };
  'session.repaired': DecisionFields & {
    what: string;
    rule: string;
    tool_call_id?: string;
    message?: number;
    frozen?: string[];
    /** Only cache marks: what the provider hashes stays as it was. */
    marks?: true;
    /** A list that names no tool is not sent, now and later. */
    no_tools?: true;
  };
  'session.key': { key: string; body: string; method: string; result: unknown; request_seq?: number };
  'session.closed': Record<string, never>;
  /** `_meta` as in the envelope of an export (J-1). */
  'io.input': { message: number; tokens: number; _meta?: { vetoed: true; veto_reason?: string } };
  'llm.response': { message: number; stop_reason?: string };
  'tool.invoke': { id: string; name: string; message: number; part: number; parent_call_id?: string };
  'tool.result': { id: string; tool: string; message: number; part: number; size: number; error?: boolean };
  'llm.request': {
    hash: string;
    request: number;
    task_kind: string;
    messages: number;
    tokens: number;
    features?: number[];
    passthrough?: string;
    pending?: string[];
    /** First part that is not as the request before had it. */
    changed?: 'tools' | 'system' | 'messages';
    /** Native edits that the request asks for, and what they should clear. */
    native?: unknown;
    /** Units so far, this request included, and its tokens. */
    _spent?: Spent;
    /** What thinking is bound to beside the messages, where it is another than before (PV-A25). */
    bound?: string;
    /** Cache marks of ours in the request. */
    _marks?: { at: number; path: Path }[];
  };
  'llm.error': { status?: number; message: string; overflow: boolean; delivered?: boolean };
  Compacted: { _schema_version: number; tokens_before: number; tokens_after: number };
  'gate.llm.retry': { _schema_version: number; source: string; reason: string };
  'hitl.requested': { _schema_version: number; request_id: string; preview: string; _truncated?: true };
  'hitl.responded': { _schema_version: number; request_id: string; choice: string };
  'io.status': { state: 'thinking' | 'idle'; message?: string };
  'io.output': { role: 'system'; content: string };
  'agent.turn.end': {
    turn_id: string;
    iteration: number;
    session_id: string;
    final: boolean;
    /** True when history edits may be made before the next main request. */
    boundary: boolean;
    stop_reason?: string;
    /** The answer ended where the window did: the next main request is made smaller. */
    overflow?: true;
    usage?: { prompt: number; cached: number; written: number; output: number };
    fit?: unknown;
    /** The account with what the report adds; whether a pause had left the cache, by the class of its length. */
    _spent?: Spent;
    _pause?: { length: number; cold: boolean };
  };
  /** The index of hidden tools as it stands from here on, and the message it was put into. */
  'tools.indexed': DecisionFields & { index: string; message: number; tokens?: number };
  'tools.index_removed': DecisionFields & { copies: number };
  /** Deferred tools that a message of ours loads from here on; `message`: the stored message it stands before. */
  'tools.added': DecisionFields & { tools: string[]; message: number };
  /** The vector of an input moved the mean of the running topic. */
  'topic.vector': {
    message: number;
    model: string;
    dims: number;
    /** Cosine with the mean before it; 0 where nothing was compared. */
    similarity: number;
    /** The mean begins anew with this vector. */
    reset: boolean;
    /** Start turn of the topic whose mean is closed by it. */
    closes?: number;
    /** Little-endian float32 in base64. */
    _vector: string;
  };
  /** The mean of the running topic is void: the next vector begins it. */
  'topic.reset': { message: number };
  'embeddings.request': { _schema_version: number; model: string; count: number; purpose: string };
  'durable.changed': { field: 'plan' | 'todos' | 'manifest' | 'decision'; value: unknown };
  /** The block as it stands in the request from now on; '' when none does. `message`: the stored message it stands in, or before. */
  'durable.placed': DecisionFields & { block: string; message: number };
  /** Superseded copies that left the request. */
  'durable.removed': DecisionFields & { copies: number };
}

export type EventType = keyof Payloads;

/** An event before the journal numbers and seals it. */
export type NewEvent = {
  [T in EventType]: { type: T; payload: Payloads[T]; observed?: boolean };
}[EventType];

/** A fold input: what a journal record says once its type is known. */
export type SessionEvent = NewEvent & { seq: number; ts: number; turn: number };

export function event<T extends EventType>(type: T, payload: Payloads[T], observed = false): NewEvent {
  return (observed ? { type, payload, observed } : { type, payload }) as NewEvent;
}

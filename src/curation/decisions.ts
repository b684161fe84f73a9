// What a layer may decide: event payloads with the edits that carry them out. Pure types and one constructor.

import type { Path } from '../json/index.js';
import type { DocEdit } from '../providers/types.js';
import type { SummaryBlock } from '../summary/blocks.js';

/** An edit of a decision, with what it changes in tokens, so that no replay needs a tokenizer. */
export type LedgerEdit = DocEdit & {
  /** Change of the view's tokens by this edit, in the encoding the session counts with. */
  delta?: number;
  /** What the edit adds is ours: its tokens are of the session section, though they stand in a message of the host. */
  own?: true;
  /** Of an insert: it stands before what decisions have put at its place already, in place of behind it. */
  ahead?: true;
};

/** Fields that begin with `_` are for the fold alone and never leave the journal's raw form. */
export interface DecisionFields {
  _edits?: LedgerEdit[];
  /** seqs of earlier decisions that this one takes back. */
  _undo?: number[];
  /** Runs of stored messages that leave the view, inclusive. */
  _drops?: [number, number][];
  /** The blocks of a summary, for the next one to build on. */
  _blocks?: SummaryBlock[];
  /** Stored messages, -1 for the system prompt, whose contents go out in blocks from now on, to carry cache marks. */
  _in_blocks?: number[];
  /** Tools that leave or join the list. */
  _hide?: string[];
  _show?: string[];
  /** What is hidden stays declared, as deferred: it comes back by a message, and the list of tools stays as it is. */
  _defer?: boolean;
  /** A tool of ours that joins the list: its exact definition. */
  _own?: { key: string; text: string; tokens: number };
  /** Place in the stored message of the value behind the event's handle. */
  _of?: Path;
  /** Of a result: something of its body is left. */
  _partly?: boolean;
  [key: string]: unknown;
}

/** What a compaction archives, beside the messages themselves (L5-9). */
export interface ArchiveNote {
  number: number;
  /** Epoch ms, as in the archive's name. */
  at: number;
  strategy: string;
  /** Runs of stored messages that left the view by this compaction, inclusive. */
  runs: [number, number][];
}

export interface SectionTouched {
  section_id: string;
  kind: 'volatile' | 'session';
  tokens_delta: number;
}

/** The stability descriptor of one layer pass (S-1). */
export interface CuratedPayload extends DecisionFields {
  layer: string;
  sections_touched: SectionTouched[];
  cache_invalidates: boolean;
  at_turn: number;
  /** Index in request.messages of the first message that changed. */
  first_message?: number;
  recache_tokens?: number;
  saves_per_request?: number;
  break_even_requests?: number;
  forced?: boolean;
  reason?: string;
}

/** What a user asked to have back, with all that carrying it out takes. */
export interface UndoWish {
  /** The decision, and its type. */
  seq_of: number;
  type_of: string;
  /** Who had decided it: the layer of the envelope behind it. */
  layer: string;
  /** Of results, call inputs and texts: where they stand. */
  message?: number;
  path?: string;
  tool_call_id?: string;
  tool?: string;
  handle?: string;
  /** Of a tool's definition. */
  tool_id?: string;
  /** Of a summary: first and last stored message that it stands for. */
  covers?: [number, number];
  /** Decisions that go with it: those made later on the same bytes, and the call of a dropped pair. */
  _with: number[];
  /** What no layer touches from now on. */
  _pins: string[];
}

export interface DecisionPayloads {
  /** Also of call inputs that were shortened (reason `input`) and of results shaped before their first send. */
  'memory.tool_result_cleared': DecisionFields & {
    tool_call_id: string;
    tool: string;
    /** UTF-8 bytes of the body. */
    original_size: number;
    cleared_at_turn: number;
    reason: string;
    handle: string;
    /** Stored message and JSON pointer of the result in it. */
    message: number;
    path: string;
    tokens_delta: number;
    tokens_delta_estimate: number;
  };
  'memory.tool_def_pruned': DecisionFields & {
    tool_id: string;
    last_used_turn: number;
    definition_size: number;
  };
  'memory.tool_def_restored': DecisionFields & {
    tool_id: string;
    last_used_turn: number;
    definition_size: number;
    reason: string;
  };
  'memory.tool_result_restored': DecisionFields & {
    tool_call_id: string;
    tool: string;
    handle: string;
    reason: string;
    message: number;
    path: string;
    tokens_delta: number;
  };
  /** A summary has left the request again; what it stood for is back in place. */
  'memory.summary_undone': DecisionFields & {
    handle: string;
    covers: [number, number];
    reason: string;
    tokens_delta: number;
    undoes: number[];
  };
  /** What was cleared has been fetched again: the same call, the same place, or a name that stood in it alone. */
  'memory.reread': DecisionFields & {
    of: string;
    tool: string;
    tool_call_id: string;
    how: 'same_call' | 'same_path' | 'identifier';
    /** Tokens of the cleared body. */
    tokens: number;
    /** Stored message and JSON pointer of the cleared result. */
    message: number;
    path: string;
  };
  /** A user wants one decision taken back: done at the next turn boundary, and not decided again. */
  'memory.undo.requested': DecisionFields & UndoWish;
  'memory.thinking_cleared': DecisionFields & {
    message: number;
    path: string;
    handle: string;
    cleared_at_turn: number;
    tokens_delta: number;
  };
  'tools.discovered': DecisionFields & {
    class?: string;
    subclass?: string;
    tools: string[];
    reason: string;
  };
  'memory.topic_shift_detected': DecisionFields & {
    from_turn: number;
    to_turn: number;
    similarity: number;
    signal: string;
    /** Decided at the input; the turn's end may take it back. */
    provisional?: boolean;
    /** Start turn of the closed topic that goes on. */
    returned_to?: number;
    /** Stored message of the input. */
    message: number;
    /** Of the cosine, by its embedder. */
    threshold: number;
    embedder: { name: string; version: number };
    /** Probability by the trained rule, and what was asked of it. */
    score?: number;
    score_threshold?: number;
    weights_version?: number;
  };
  'memory.topic_shift_retracted': DecisionFields & { seq_of: number };
  'memory.summary_replaced': DecisionFields & {
    from_turns: [number, number];
    original_tokens: number;
    summary_tokens: number;
    preserved_kinds: string[] | null;
    covers: [number, number];
    handle: string;
  };
  'memory.compact.request': DecisionFields & {
    reason?: string;
    estimated_tokens?: number;
    threshold?: number;
    target?: string;
  };
  'memory.compaction.triggered': DecisionFields & {
    reason: string;
    message_count: number;
    backup_path: string | null;
  };
  'memory.compacted': DecisionFields & {
    /** Ids of the stored messages that stay in the view, in order; journals from before they were told have none. */
    messages?: string[];
    /** Messages of the view after and before. */
    message_count: number;
    prev_count: number;
    tokens_before: number;
    tokens_after: number;
    /** First and last stored message that the summary stands for. */
    covers: [number, number];
    handle: string;
    /** Of the archive among the session's files, relative to their folder; null where none are kept. */
    backup_path: string | null;
    _archive?: ArchiveNote;
  };
  'memory.compaction.failed': DecisionFields & {
    reason: string;
    detail?: unknown;
    /** Tokens of the view's messages at that moment: without more there is no new try. */
    view_tokens?: number;
  };
  /** The view keeps its newest messages; `covers`: first and last stored message that was left out, since the first cap. */
  'memory.capped': DecisionFields & {
    max_messages: number;
    /** Messages that left by this one. */
    message_count: number;
    covers: [number, number];
    handle: string;
  };
  'memory.irreducible': DecisionFields & { floor: number; needed: number; view_tokens: number };
  /** A text of the host's that alone was too long for the window: head and tail stay. */
  'memory.text_shortened': DecisionFields & {
    message: number;
    path: string;
    original_size: number;
    handle: string;
    tokens_delta: number;
  };
  /** What the provider says it has edited by itself in the answer to a request (S-7), beside what was expected. */
  'memory.native_edit': DecisionFields & {
    edit: string;
    cleared_tool_uses?: number;
    cleared_thinking_turns?: number;
    cleared_input_tokens?: number;
    /** Main request that the report is for. */
    request: number;
    predicted?: { cleared_tool_uses: number; cleared_input_tokens: number };
    agrees?: boolean;
  };
  /** The provider's own reason for a cache miss, beside the part of the request that we know to have changed. */
  'memory.cache_miss': DecisionFields & {
    reason: string;
    missed_tokens?: number;
    /** Main request that missed. */
    request: number;
    changed: 'tools' | 'system' | 'messages' | 'nothing';
    agrees: boolean;
  };
  'memory.diagnostic': DecisionFields & { what: string; detail?: unknown };
  'memory.curated': CuratedPayload;
}

export type DecisionType = keyof DecisionPayloads;

/** A decision before the journal numbers it. */
export type Planned = {
  [T in DecisionType]: { type: T; payload: DecisionPayloads[T]; observed?: boolean };
}[DecisionType];

export function planned<T extends DecisionType>(type: T, payload: DecisionPayloads[T]): Planned {
  return { type, payload } as Planned;
}

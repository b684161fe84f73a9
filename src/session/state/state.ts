// What a session is at one point of its journal: a fold of events and nothing else. Knows no clock, no config source, no
// tokenizer.

import type { CallIndex } from '../../curation/calls.js';
import type { UndoWish } from '../../curation/decisions.js';
import type { Pauses } from '../../economics/cold-odds.js';
import type { Path } from '../../json/index.js';
import type { Format, FormatSpec, Native, Reading } from '../../providers/types.js';
import type { SummaryBlock } from '../../summary/blocks.js';
import type { Thoughts } from '../mending/thoughts.js';
import type { TopicState } from '../topics/state.js';
import type { MessageHint, OwnConfig, Payloads } from './events.js';
import type { Ledger } from './ledger.js';
import type { SessionStatus } from './lifecycle.js';
import type { ProjectedEvent } from './project.js';
import type { Spent } from './spent.js';
import type { ToolList } from './tool-list.js';

export interface StoredMessage {
  /** Unique in the session, also over rewinds of its history: `m` + seq of its event. */
  id: string;
  seq: number;
  /** The message exactly as it came. */
  native: Native;
  reading: Reading;
  /** Tokens of the message as it came, overhead of the format included. */
  tokens: number;
  features: readonly number[];
  turn: number;
  round: number;
  hint?: MessageHint;
}

/** A part of the request that is not a message: its exact text and size. */
export interface StaticPart {
  native: Native;
  tokens: number;
  /** Of a tool list: tokens of each definition, in order. */
  each?: readonly number[];
  features: readonly number[];
  /** The host holds another text: this one was redacted on its way in. */
  redacted?: true;
}

/** What the last main request carried: the base of prefix, cache and pre-send rules. */
export interface Sent {
  /** Number of main requests so far. */
  requests: number;
  /** Stored messages that some main request has carried; from here on content may be shaped freely. */
  messages: number;
  /** Tokens of the last main request's view. */
  tokens: number;
  /** Its features, for the report that follows. */
  features?: readonly number[];
  /** Wall time of the last main request, epoch ms. */
  at: number;
  /** Stored messages up to our own last cache mark in it. */
  marked?: number;
  /** First part of it that was not as in the request before. */
  changed?: 'tools' | 'system' | 'messages';
  /** seq of its llm.request. */
  seq: number;
}

export interface ReportedUsage {
  prompt: number;
  cached: number;
  written: number;
  output: number;
  /** Stored messages that the request of this usage carried. */
  messages: number;
  ts: number;
}

export interface DurableState {
  plan?: { title: string; text: string };
  todos: unknown[];
  manifest: string;
  decisions: string[];
}

/** A durable block in the request: `message` is the stored position it stands in, or before. */
export interface DurableCopy {
  seq: number;
  block: string;
  message: number;
}

/** What stands for the older part of the history. */
export interface SummaryState {
  /** seq of the decision that put it there. */
  seq: number;
  kind: 'summary' | 'compaction';
  blocks: readonly SummaryBlock[];
  covers: [number, number];
}

export interface KeyRecord {
  /** Hash of the call's body. */
  body: string;
  method: string;
  result: unknown;
  /** For llm.prepare: seq of the llm.request whose view rebuilds the request. */
  requestSeq?: number;
}

/** Turns by tool: what happened to each, whatever is listed. */
export interface ToolFacts {
  seen: Map<string, number>;
  invoked: Map<string, number>;
  discovered: Map<string, number>;
}

export interface SessionState {
  status: SessionStatus;
  seq: number;
  /** Chain hash of the newest event. */
  hash: string;
  updatedAt: number;
  format: Format;
  spec: FormatSpec;
  model: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  project?: string;
  system?: StaticPart;
  tools?: StaticPart;
  /** Effective configuration as journalled: the shape of the YAML file. The fold itself reads nothing in it. */
  config: unknown;
  own: OwnConfig;
  epoch: number;
  /** What thinking that answers the newest main request is bound to beside its messages; of models that bind it. */
  boundTo?: string;
  /** Final turn ends so far. */
  turn: number;
  /** Rounds (turn ends of any kind) so far. */
  round: number;
  messages: StoredMessage[];
  /** Positions of messages whose senders hold another text, ascending. */
  redacted: number[];
  /** Positions whose contents go out in blocks, so that cache marks find a place; -1: the system prompt. */
  inBlocks: readonly number[];
  /** Sum of `tokens` over messages. */
  messageTokens: number;
  calls: CallIndex;
  /** Which of them hold thinking. */
  thoughts: Thoughts;
  ledger: Ledger;
  sent: Sent;
  usage?: ReportedUsage;
  /** Some report told that the provider caches. */
  cacheSeen: boolean;
  spent?: Spent;
  /** What pauses have done to the provider's cache. */
  pauses: Pauses;
  /** Journalled fit of the token estimator. */
  fit?: unknown;
  /** True from an edit boundary until the next main request has fixed the decisions. */
  boundary: boolean;
  /** True once a history edit was made at the current boundary. */
  edited: boolean;
  /** Calls that the last main request left without a result, as the host said. */
  pending: ReadonlySet<string>;
  /** Messages below this have been through repair. */
  repaired: number;
  /** Places that a repair moved: `at` and JSON pointer. Nothing else may be edited there. */
  frozen: Set<string>;
  durable: DurableState;
  /** seq of the newest change of `durable`. */
  durableSeq: number;
  /** The decision that placed the current durable block. */
  durablePlaced?: DurableCopy;
  /** Superseded copies that still stand in the request. */
  durableStale: DurableCopy[];
  /** The same for the index of hidden tools. */
  indexPlaced?: DurableCopy;
  indexStale: DurableCopy[];
  /** Lowest stored position whose sent bytes a decision has changed since the last main request; Infinity when none. */
  dirtyFrom: number;
  /** The same with decisions that were only observed. */
  dirtyObserved: number;
  /** Ends of main requests that no later change has touched, in stored messages, ascending: there the provider may hold an entry. */
  ends: number[];
  summary?: SummaryState;
  /** The decision that keeps the view to its cap, and what it leaves out. */
  capped?: { seq: number; covers: [number, number] };
  /** Archives of compactions among the session's files, by path, oldest first (L5-9). */
  backups: string[];
  /** Runs of messages by the handle of the summary that stands for them. */
  archives: Map<string, [number, number]>;
  /** The newest main request was made for a provider that had refused the one before. */
  recovering: boolean;
  /** The answer to the newest main request ended where the window did: the next request must get smaller. */
  overflowed: boolean;
  /** A cycle has begun and its end is not journalled. */
  cycleOpen: boolean;
  /** Tokens of the view's messages when a cycle failed or nothing could be done: without more there is no new try. */
  cooldown?: number;
  /** Turn and message count at the newest summary: measures of its strategy start anew there. */
  summarisedAt: number;
  keys: Map<string, KeyRecord>;
  /** Decisions that users want taken back, until that is done; by seq. */
  undo: Map<number, UndoWish>;
  /** What no layer decides about any more, because a user had it taken back. */
  pins: Set<string>;
  /** Calls whose messages are in the history and that have no answer yet. `fixed`: some request has carried them. */
  held: readonly (Payloads['session.held'] & { fixed?: true })[];
  topic: TopicState;
  /** Which tools are listed; and which would be, with what was only observed. */
  toolList: ToolList;
  toolListObserved: ToolList;
  toolFacts: ToolFacts;
  /** Deferred tools by the seq of the decision whose message loads them. */
  toolsAdded: Map<string, number>;
  /** A final turn has ended, and no main request has followed. */
  turnBoundary: boolean;
  /** System prompt or host's tools are others than what the last main request carried. */
  staticChanged: boolean;
  /** Where the value behind each handle stands in the stored history. */
  handles: Map<string, { at: number; path: Path }>;
  /** First letters of the handles given out: more than its own where it was forked or imported. */
  givenBy: Set<string>;
  /** Turn and number of calls at the last edit of what had been sent. */
  lastEdit?: { turn: number; calls: number };
  /** Originals of cleared results whose messages left the history by divergence: their handles stay good. */
  orphans: Map<string, string>;
  /** Envelopes made since the last main request. */
  envelopes: ProjectedEvent[];
  /** What the last main request asked the provider to edit, and what that should clear. */
  nativeSent?: { edits: string[]; predicted?: { cleared_tool_uses: number; cleared_input_tokens: number } };
  /** Tokens that the provider says it took out of the last main request. */
  nativeCleared: number;
  /** Main request of that report. */
  nativeReported?: number;
  /** Inputs of the running turn that no guard refused: what is offered again when it was cut off (J-8). */
  inputs: { seq: number; message: number }[];
  /** Messages appended in the running turn (LIMIT). */
  turnMessages: number;
}

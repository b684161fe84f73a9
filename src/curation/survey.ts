// What a layer may look at: facts of the session at one moment, and the numbers gathered for it. Pure types.

import type { Spending } from '../economics/spending.js';
import type { Tariff } from '../economics/tariff.js';
import type { Path, TextEdit } from '../json/index.js';
import type { FormatSpec, Native, Profile, Reading } from '../providers/types.js';
import type { Settings } from '../settings/types.js';
import type { CallIndex } from './calls.js';
import type { UndoWish } from './decisions.js';
import type { KnownPrefix } from './known-prefix.js';
import type { ToolSurvey } from './tools/tool-survey.js';

export interface SurveyMessage {
  readonly native: Native;
  readonly reading: Reading;
  readonly tokens: number;
  readonly turn: number;
  readonly round: number;
  /** seq of its event: its identity in handles. */
  readonly seq: number;
}

export interface Survey {
  readonly tenant: string;
  readonly session: string;
  readonly spec: FormatSpec;
  readonly profile: Profile;
  readonly settings: Settings;
  /** Final turn ends so far: `now` of REQUIREMENTS. */
  readonly turn: number;
  readonly round: number;
  /** May what was sent be edited at this moment? (turn or round boundary, none made yet) */
  readonly boundary: boolean;
  /** The request would be refused without an edit: the boundary and the price do not count. */
  readonly forced: boolean;
  /** May what was sent be considered now? Otherwise layers offer only what no request has carried yet. */
  readonly looksBack: boolean;
  readonly messages: readonly SurveyMessage[];
  readonly calls: CallIndex;
  /** Messages from here on are the open round: calls not all answered, or answers not yet seen by the model. */
  readonly openFrom: number;
  /** First message that may be edited at all now: bound thinking that has to stay stands right before it (PV-A31). -1: everything. */
  readonly freeFrom: number;
  /** Messages below this were carried by some main request; the rest may be shaped freely. */
  readonly sent: number;
  readonly pending: ReadonlySet<string>;
  isDropped(at: number): boolean;
  /** Does a decision replace or remove what stands at this JSON pointer of a stored message? */
  isEditedAt(at: number, path: string): boolean;
  /** A repair moved or left out what stands at this path: no other edit may name it, ever. */
  isFrozen(at: number, path: Path): boolean;
  /** A user had a decision about it taken back: no layer decides about it again. @param claim as of a candidate */
  isPinned(claim: string): boolean;
  /** What users want back, at the boundary where it is due. */
  readonly undo: readonly UndoWish[];
  /** What taking these decisions back does: tokens that the view gets back, and the first stored message that changes. */
  takingBack(decisions: readonly number[]): { tokens: number; first: number };
  /** Does the text stand in the request's form of a stored message? */
  shows(at: number, text: string): boolean;
  /** Turns and calls since what had been sent was last edited; since the start when it never was. */
  readonly sinceEdit: { turns: number; calls: number };
  /** Does the message belong to the running topic, or to the one it came back to? True where no topic has ended. */
  inTopic(at: number): boolean;
  /** A topic has ended since what had been sent was last edited: a natural place for the next edit (L3-14). */
  readonly topicEnded: boolean;
  /** What more edits of one stored message change in its tokens, as the message itself is counted. Exact. */
  tokensChanged(at: number, edits: readonly TextEdit[]): number;
  /** Index in request.messages of a stored message. */
  indexOf(at: number): number;
  /** Undefined when the host lists no tools. */
  readonly tools: ToolSurvey | undefined;
  /** Tokens of the view behind message `at`, up to message `end`, both exclusive; -1: everything that is sent before it too. */
  tokensBehind(at: number, end: number): number;
  /** Tokens of the whole view: system, tools, messages, fixed overhead. */
  readonly viewTokens: number;
  /** Effective token threshold B (NS-2, L5-1); Infinity when the window is unknown. */
  readonly budget: number;
  readonly window: number | undefined;
  readonly prefix: KnownPrefix;
  /** Stored messages below this will be cached with this request: up to its newest mark, all where marks tell nothing. */
  readonly cachesTo: number;
  /** Stored messages at the end of the newest main request that ended at or before message `at`, and that nothing has changed since; 0 when there is none. */
  entryBefore(at: number): number;
  /** Main requests so far. */
  readonly requests: number;
  readonly model: string;
  /** Its prices and cache rules. */
  readonly tariff: Tariff;
  /** Units of all main requests so far. */
  readonly spent: Spending;
  /** Epoch ms, handed in. */
  readonly at: number;
  /** Tokens of a short text of ours. Deterministic; the outcome is journalled. */
  count(text: string): number;
}

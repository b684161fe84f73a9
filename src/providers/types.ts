// The neutral reading of a provider's messages, and what each format must offer. Pure: no I/O, no clock, no session.
import type { Path, TextEdit } from '../json/index.js';

export type { Path, TextEdit };

export type Format = 'anthropic' | 'openai-chat' | 'openai-responses';

/** A native message: its exact JSON text, and that text parsed once. For openai-responses an item of `input`. */
export interface Native {
  readonly text: string;
  readonly value: unknown;
  /** Places that were redacted on the way in; unset: none. */
  readonly redactions?: number;
}

export type PartKind = 'text' | 'thinking' | 'tool_call' | 'tool_result' | 'image' | 'document' | 'opaque';

export interface Media {
  kind: 'image' | 'document';
  path: Path;
  mediaType?: string;
  /** Pixels, from the host's hint or from the header of the file. */
  width?: number;
  height?: number;
  pages?: number;
  /** Decoded size; 0 where only a URL or a file id is given. */
  bytes: number;
  url?: boolean;
}

export interface Part {
  kind: PartKind;
  /** Of the block in its message; `[]` = the whole message, `['content']` = a string content. */
  path: Path;
  /** The provider's block type as written. */
  type?: string;
  /** Text or thinking; of a tool_result all text of the body, joined with '\n'; of opaque its exact JSON text. */
  text?: string;
  /** Of tool_call and tool_result. The tool of a result is unknown here; the session joins it. */
  callId?: string;
  tool?: string;
  /** tool_call: the parsed arguments, their exact text (the JSON of the object) and where they stand. */
  args?: unknown;
  argsText?: string;
  argsPath?: Path;
  /** tool_result: path of the content value that a clearing replaces. */
  bodyPath?: Path;
  /** tool_result: UTF-8 bytes of the body's text (string) or of its JSON (block list). */
  bodyBytes?: number;
  isError?: boolean;
  /** Images and documents in this part, or the part itself if it is one. */
  media?: Media[];
  /** Identifiers of its text, or of a call's arguments, where somebody has looked for them already (curation/identifiers.ts). */
  names?: ReadonlyMap<string, { count: number; place: number }>;
  /** Parts with the same atom id stay or go together (server tool pairs, reasoning and its follower's id). */
  atom?: string;
}

export interface Reading {
  role: 'system' | 'user' | 'assistant' | 'tool';
  parts: Part[];
  /** Text typed in this message; '' when it only carries results. */
  ownText: string;
  /** Places of cache marks (`cache_control`, `prompt_cache_breakpoint`): the path of the marked block. */
  marks: Path[];
}

export interface Violation {
  /** PV-A1 … */
  rule: string;
  /** JSON pointer into {system, tools, messages} (`input` counts as messages). */
  path: string;
  message: string;
}

/** Sequence rules over readings in order. `push` costs O(message); `index` only names the message in violations. */
export interface RuleWalk {
  push(r: Reading, m: Native, index: number): Violation[];
  /**
   * What is missing at the end; calls in `pending` may be unanswered.
   * @param declared names in the list of tools; absent: not known
   */
  finish(pending?: ReadonlySet<string>, declared?: ReadonlySet<string>): Violation[];
}

/** AF/AB Anthropic without/with prefix check, CC Chat Completions, RS/RC Responses full/chained, SH strict self-hosted. */
export type ModelClass = 'AF' | 'AB' | 'CC' | 'RS' | 'RC' | 'SH';

/** How a model turns pixels into tokens: square patches, or OpenAI's 512 px tiles. */
export interface ImageRule {
  kind: 'patches' | 'tiles';
  /** Edge of a patch in pixels. */
  patch: number;
  /** Tokens per patch, or per tile. */
  perPatch: number;
  /** Tokens of every image, whatever its size. */
  base: number;
  /** Pixels of the long edge after the provider's scaling; Infinity = not scaled. */
  maxEdge: number;
  /** Most tokens one image gives; Infinity = no bound. */
  maxTokens: number;
}

/** Provider-native edits by the names under which the APIs know them. */
export type NativeEdit =
  | 'clear_tool_uses_20250919'
  | 'clear_thinking_20251015'
  | 'compact_20260112'
  | 'tool_changes'
  | 'truncation'
  | 'compaction';

/** What a model's provider refuses or prices differently; see profile.ts for the data and its dates. */
export interface Profile {
  format: Format;
  model: string;
  modelClass: ModelClass;
  /** PV-S1, PV-S2. Absent = none. */
  alternation?: 'none' | 'strict' | 'template';
  /** PV-C7, PV-S3: at most one system message, at the head. */
  singleSystem?: boolean;
  /** PV-A43, PV-C10: smallest prefix that is cached, in tokens. */
  minCacheTokens: number;
  maxMarks: 4;
  /** PV-A15: may the last message be the assistant's? */
  prefill: boolean;
  /** PV-A11: may `role: system` stand inside messages? */
  midSystem: boolean;
  /** PV-A51, PV-C12. */
  image: ImageRule;
  /** PV-A33: does the provider keep earlier turns' thinking by itself? */
  thinkingKept: 'all' | 'last';
  /** PV-C3, PV-S6: what call ids may look like. Absent = anything. */
  ids?: { maxLength: number; pattern?: RegExp };
  /** PV-S5: content must be a plain string. */
  plainContent?: boolean;
  /** PV-S7: at most so many calls in one message. */
  maxCalls?: number;
  /** PV-R6: false = reasoning needs its encrypted content and nothing may be referred to by id. Absent = not told. */
  store?: boolean;
  /** PV-S4, PV-C: a genuine user message must be there. */
  needsUser?: boolean;
  /** PV-A16: may `tool_choice` force a tool? */
  forcedTool: boolean;
  /** PV-N1 to N4: native edits that the model's API offers. */
  native: readonly NativeEdit[];
  /** Fields above that rest on a single or a disputed source; the stricter reading is in force. */
  unconfirmed: readonly string[];
}

/** An edit of the stored history: `at` and `before` are positions of STORED messages. */
export type DocEdit =
  | ({ at: number } & TextEdit)
  | { op: 'drop'; at: number }
  | { op: 'insert'; before: number; id: string; json: string };

export interface Repair {
  /** What was wrong and what was done, for people. */
  what: string;
  rule: string;
  callId?: string;
  edits: DocEdit[];
  /** Parts that no longer stand where the stored history has them: later edits of them would be void. */
  frozen?: { at: number; path: Path }[];
}

export interface HistoryMessage {
  native: Native;
  reading: Reading;
}

export interface FormatSpec {
  format: Format;
  /** Total: any JSON value gives a reading; what is not known is 'opaque'. Never throws. */
  read(message: Native): Reading;
  /** Message-level rules: shape, emptiness, Unicode, arguments. Paths start at `/messages/<index>`, or at the message. */
  check(message: Native, index?: number): Violation[];
  walk(profile: Profile): RuleWalk;
  /** Puts `body` in place of a tool result's content, its images included; every other field stays. */
  marker(part: Part, body: string): TextEdit;
  /** JSON text of a new message of ours. */
  textMessage(role: 'user' | 'assistant' | 'system', text: string): string;
  /** Synthetic tool result for repairs: a block (anthropic), a message or an item. */
  toolError(callId: string, text: string): string;
  /** JSON texts of new messages that answer calls, in order; one message for all where the format wants them together. */
  toolResults(results: readonly NewResult[]): string[];
}

/** A tool result that is told in plain words. */
export interface NewResult {
  callId: string;
  text: string;
  isError: boolean;
}

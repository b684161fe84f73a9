// What a session needs from the other rooms, handed in by the daemon. Types only.

import type { Clock } from '../clock.js';
import type { SessionKey, Store } from '../journal/index.js';
import type { Encoding } from '../pool/contract.js';
import type { Pool } from '../pool/pool.js';
import type { Format, Native } from '../providers/types.js';
import type { ConfigLayer, JournalSettings, Settings } from '../settings/index.js';
import type { Extract } from '../summary/extractive.js';
import type { Summariser } from '../summary/summariser.js';
import type { DecidedPayload, ExtractPayload } from '../summary/task.js';
import type { Backstage } from './backstage.js';
import type { Committed } from './commit.js';
import type { Emission } from './emission.js';
import type { Holder } from './holder.js';
import type { Taken } from './intake/taken.js';
import type { ReportedUsage, SessionState } from './state/state.js';

export interface SessionLimits {
  messagesAnAppend: number;
  messagesATurn: number;
  commandsASession: number;
  /** New events that are worth a snapshot; Infinity: none is taken. */
  snapshotEvents: number;
}

/** Who keeps a session's working buffer as files, told of every sealed command; inside the mailbox, at once. */
export interface FileKeeper {
  note(key: SessionKey, state: SessionState, settings: Settings, committed: readonly Committed[]): void;
}

/** Whose summary it is: what the choice of a summariser rests on. */
export interface SummariserWanted {
  key: SessionKey;
  settings: Settings;
  encoding: Encoding;
  format: Format;
  /** The session model's window, where known. */
  window: number | undefined;
  /** Who may be asked. */
  holder: Holder | undefined;
  /** No call waits for it, until this fires. */
  background: AbortSignal;
}

export interface SessionDeps {
  store: Store;
  /** What is made of decisions for others; without it all that a daemon promises. */
  emission?: Emission;
  pool: Pick<Pool, 'countTokens'>;
  /** Messages that another session of the same model has taken in: where several are played on the same history. */
  taken?: Pick<WeakMap<Native, Taken>, 'get' | 'set'>;
  clock: Clock;
  limits: SessionLimits;
  /** Tokens of a short text of ours, at once. */
  countShort(text: string, encoding: Encoding): number;
  /** How this session's summaries are made; without it the built-in way. */
  summariser?(wanted: SummariserWanted): Summariser;
  /**
   * The built-in summariser's work, in the pool.
   * @param o.background no call waits for it, until this fires
   */
  extract?(payload: ExtractPayload, o?: { background?: AbortSignal }): Promise<Extract>;
  /** Lines of the first turn's decisions, found in the pool; without it where they are wanted. */
  decided?(payload: DecidedPayload, o?: { background?: AbortSignal }): Promise<string[]>;
  /** When work that no call waits for may have the main thread; without it at once. */
  backstage?: Backstage;
  /** Absent where nothing is kept on disk beside the journal. */
  files?: FileKeeper;
  /** What a host should know about how this model's tokens are counted; undefined: nothing. */
  counted?(model: string): string | undefined;
  /** A new session's id. */
  newId(): string;
  /** The daemon's own configuration, below each session's. */
  configLayers(): readonly ConfigLayer[];
  /** Grows when the daemon's configuration changes. */
  configVersion(): number;
  /** When answers wait for the disk (REQUIREMENTS 11). */
  fsync(): JournalSettings['fsync'];
  /** Counts what a provider has reported; a call does not notice if it fails. */
  used?(usage: Readonly<Omit<ReportedUsage, 'messages' | 'ts'>>): void;
  /** Something the operator should see; never content. */
  notice(what: string, detail?: Record<string, unknown>): void;
}

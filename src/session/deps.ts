// What a session needs from the other rooms, handed in by the daemon. Types only.

import type { Clock } from '../clock.js';
import type { Store } from '../journal/index.js';
import type { Encoding } from '../pool/contract.js';
import type { Pool } from '../pool/pool.js';
import type { ConfigLayer, JournalSettings } from '../settings/index.js';

export interface SessionLimits {
  messagesAnAppend: number;
  messagesATurn: number;
  commandsASession: number;
}

export interface SessionDeps {
  store: Store;
  pool: Pick<Pool, 'countTokens'>;
  clock: Clock;
  limits: SessionLimits;
  /** Tokens of a short text of ours, at once. */
  countShort(text: string, encoding: Encoding): number;
  /** A new session's id. */
  newId(): string;
  /** The daemon's own configuration, below each session's. */
  configLayers(): readonly ConfigLayer[];
  /** Grows when the daemon's configuration changes. */
  configVersion(): number;
  /** When answers wait for the disk (REQUIREMENTS 11). */
  fsync(): JournalSettings['fsync'];
  /** Something the operator should see; never content. */
  notice(what: string, detail?: Record<string, unknown>): void;
}

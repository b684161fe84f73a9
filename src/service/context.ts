// What a handler may use: who calls, and the rooms behind. Types only.

import type { Clock } from '../clock.js';
import type { Pantry } from '../context/pantry.js';
import type { Span } from '../curation/trace.js';
import type { CuratedError } from '../errors.js';
import type { Store } from '../journal/index.js';
import type { Encoding } from '../pool/contract.js';
import type { Pool } from '../pool/pool.js';
import type {
  MethodName,
  Params,
  Result,
  ServerParams,
  ServerRequestName,
  ServerResult,
} from '../protocol/index.js';
import type { Redactor } from '../redaction/redactor.js';
import type { Holder } from '../session/holder.js';
import type { SessionRegistry } from '../session/registry.js';
import type { ProjectedEvent, Signal } from '../session/state/project.js';
import type { ConfigLayer } from '../settings/index.js';
import type { Encoder } from '../topics/encoder.js';
import type { RecallFeed } from './recall-feed.js';
import type { WorkingFiles } from './working-files.js';

/** One connection, as the handlers see it. */
export interface Caller extends Holder {
  readonly tenant: string;
  readonly scopes: readonly string[];
  notify(session: string, event: ProjectedEvent | Signal): void;
  /** Asks the client, if it declared the capability. */
  ask<M extends ServerRequestName>(
    method: M,
    params: ServerParams<M>,
    deadlineMs: number,
  ): Promise<ServerResult<M>>;
  can(capability: 'llm' | 'embeddings'): boolean;
  /** What the client said of its model, if it answers llm.complete. */
  readonly llm?: Readonly<Record<string, unknown>> | undefined;
  /** What the client said of its embedder, if it declared one. */
  readonly embeddings: { model: string; dimensions: number } | undefined;
  /** Subscriptions of this connection, by session. */
  readonly subscriptions: Map<string, () => void>;
}

export interface Meter {
  /** Spans of a call that curated. */
  traced(spans: readonly Span[]): void;
  /** An answered `llm.prepare`: its time, and tokens before and after curation. */
  prepared(seconds: number, raw: number, curated: number): void;
}

export interface Rooms {
  registry: SessionRegistry;
  store: Store;
  pool: Pool;
  clock: Clock;
  version: string;
  /** Tenant of whoever owns the daemon and its files. */
  owner?: string | undefined;
  truncate(text: string, maxTokens: number, encoding: Encoding): string;
  /** The encoder of `embedder: {kind: local}`; absent: the one of this process. */
  encoder?: Encoder | undefined;
  /** @param tenant who asks: nobody is told of another tenant's sessions */
  status(tenant: string): Promise<Result<'daemon.status'>>;
  /** Begins the drain; answers at once. */
  stop(): void;
  layers(): readonly ConfigLayer[];
  /** The operator's redaction; undefined where there are no rules. */
  redactor?: (() => Redactor | undefined) | undefined;
  /** Project context; absent where there is no folder for it. */
  pantry?: Pantry | undefined;
  /** Search over what was said; absent where nothing is indexed. */
  recall?: RecallFeed | undefined;
  /** Working buffers and archives as files; absent where nothing is kept on disk. */
  files?: WorkingFiles | undefined;
  /** Counts what calls did; a call does not notice if it fails. */
  meter?: Meter | undefined;
  /** Hears of a fault of ours that did not end its call. */
  fault?: ((error: CuratedError, method: MethodName) => void) | undefined;
  /** Moves a test clock; undefined in a usual daemon. */
  advance?: ((ms: number) => number) | undefined;
}

export type Handler<M extends MethodName> = (
  caller: Caller,
  params: Params<M>,
  rooms: Rooms,
) => Promise<Result<M>> | Result<M>;

export type Handlers = { [M in MethodName]?: Handler<M> };

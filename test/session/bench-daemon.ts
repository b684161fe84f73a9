// A daemon without sockets for tests: the real handlers, sessions and codec over a journal in memory and a clock that is
// moved by hand. What a test calls goes through the same decoding as a frame.

import type { z } from 'zod';
import { ManualClock } from '../../src/clock.js';
import { CuratedError } from '../../src/errors.js';
import { MemoryStore, type Store } from '../../src/journal/index.js';
import { writeJson } from '../../src/json/index.js';
import { codecFor, EVENTS, type EventName, METHODS, type MethodName } from '../../src/protocol/index.js';
import type { Caller, Handler, Rooms } from '../../src/service/context.js';
import { HANDLERS } from '../../src/service/handlers.js';
import { WorkingFiles } from '../../src/service/working-files.js';
import type { SessionDeps } from '../../src/session/deps.js';
import type { Emission } from '../../src/session/emission.js';
import { SessionRegistry } from '../../src/session/registry.js';
import type { ProjectedEvent, Signal } from '../../src/session/state/project.js';
import type { ConfigLayer } from '../../src/settings/index.js';
import type { Summariser } from '../../src/summary/summariser.js';

// biome-ignore lint/suspicious/noExplicitAny: a result as the wire carries it
export type Json = any;

/** A counter that needs no tables: four bytes a token, at least one. Deterministic, which is all that sessions need. */
export function roughTokens(text: string | Uint8Array): number {
  return text.length === 0 ? 0 : Math.max(1, Math.ceil(text.length / 4));
}

/** The OpenRPC document is made of these schemas: whoever checks by it what the daemon says must find that it holds. */
function asPublished(what: string, schema: z.ZodType, value: unknown): void {
  const { error } = schema.safeParse(value);
  if (error !== undefined) throw new Error(`${what} is not what rpc.discover says: ${error.message}`);
}

export class BenchCaller implements Caller {
  readonly tenant: string;
  readonly scopes = ['agent', 'admin'];
  readonly subscriptions = new Map<string, () => void>();
  readonly heard: { session: string; event: ProjectedEvent }[] = [];
  /** What is no entry of a journal. */
  readonly signals: { session: string; signal: Signal }[] = [];
  readonly supersededSessions: string[] = [];
  readonly endings = new Set<() => void>();

  constructor(tenant = 'default') {
    this.tenant = tenant;
  }

  notify(session: string, event: ProjectedEvent | Signal): void {
    const published = event.type in EVENTS ? EVENTS[event.type as EventName].payload : undefined;
    if (published !== undefined) asPublished(event.type, published, event);
    if (event.seq === undefined) this.signals.push({ session, signal: event as Signal });
    else this.heard.push({ session, event });
  }

  superseded(session: string): void {
    this.supersededSessions.push(session);
  }

  ask(method: string, params: unknown): Promise<never> {
    if (method === 'embeddings.create' && this.embed !== undefined) {
      const { input } = params as { input: string[] };
      return this.embed(input[0]!) as Promise<never>;
    }
    return Promise.reject(new CuratedError('UNSUPPORTED', 'this caller answers nothing'));
  }

  /** Set by tests of vectors: the client's embedder, and how it answers. */
  embeddings: { model: string; dimensions: number } | undefined;
  embed: ((text: string) => Promise<unknown>) | undefined = undefined;

  can(capability: 'llm' | 'embeddings'): boolean {
    return capability === 'embeddings' && this.embeddings !== undefined;
  }

  onEnd(fn: () => void): () => void {
    this.endings.add(fn);
    return () => void this.endings.delete(fn);
  }

  end(): void {
    for (const fn of [...this.endings]) fn();
    this.endings.clear();
  }
}

export interface BenchOptions {
  /** In place of the built-in summariser. */
  summariser?: Summariser;
  store?: Store;
  emission?: Emission;
  layers?: readonly ConfigLayer[];
  clock?: ManualClock;
  /** Folder for working files. */
  files?: string;
  /** New events that are worth a snapshot. */
  snapshotEvents?: number;
  /** What is said of a model's tokens. */
  counted?: (model: string) => string | undefined;
  encoder?: Rooms['encoder'];
  /** In place of the pool's work for summaries. */
  decided?: SessionDeps['decided'];
}

export class BenchDaemon {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly registry: SessionRegistry;
  readonly rooms: Rooms;
  readonly files: WorkingFiles | undefined;
  readonly notices: string[] = [];
  /** What the files' health has been. */
  readonly faults: unknown[] = [];
  /** Texts that were counted: shows what a call cost. */
  counted = 0;
  layers: readonly ConfigLayer[];
  /** Raise it after changing `layers`, as a reload does. */
  configVersion = 1;
  readonly caller = new BenchCaller();
  #id = 0;
  readonly #tells: boolean;

  constructor(o: BenchOptions = {}) {
    this.#tells = o.emission === undefined;
    this.clock = o.clock ?? new ManualClock();
    this.store = o.store ?? new MemoryStore();
    this.layers = o.layers ?? [];
    const countTokens = async (texts: readonly (string | Uint8Array)[]) => {
      this.counted += texts.length;
      return Uint32Array.from(texts, roughTokens);
    };
    const { summariser } = o;
    this.files =
      o.files === undefined
        ? undefined
        : new WorkingFiles({
            store: this.store,
            root: o.files,
            health: { green: () => {}, red: (_name, error) => this.faults.push(error) },
            skipped: (key, file, lines) =>
              void this.registry.diagnose(key, 'working_file_lines_skipped', { file, lines }),
          });
    this.registry = new SessionRegistry({
      ...(summariser === undefined ? {} : { summariser: () => summariser }),
      store: this.store,
      ...(o.emission === undefined ? {} : { emission: o.emission }),
      ...(this.files === undefined ? {} : { files: this.files }),
      ...(o.counted === undefined ? {} : { counted: o.counted }),
      ...(o.decided === undefined ? {} : { decided: o.decided }),
      pool: { countTokens },
      clock: this.clock,
      limits: {
        messagesAnAppend: 100,
        messagesATurn: 10_000,
        commandsASession: 256,
        snapshotEvents: o.snapshotEvents ?? 256,
      },
      countShort: roughTokens,
      newId: () => `id-${++this.#id}`,
      configLayers: () => this.layers,
      configVersion: () => this.configVersion,
      fsync: () => 'turn-boundary',
      notice: (what) => this.notices.push(what),
    });
    this.rooms = {
      registry: this.registry,
      store: this.store,
      pool: { countTokens } as unknown as Rooms['pool'],
      clock: this.clock,
      version: '0.0.0-test',
      encoder: o.encoder,
      truncate: (text, max) => text.slice(0, max * 4),
      status: () => Promise.reject(new CuratedError('UNSUPPORTED', 'no daemon')),
      stop: () => {},
      layers: () => this.layers,
      files: this.files,
    };
  }

  /** One call, decoded from a frame and answered as JSON. Throws the typed error of a refused one. */
  async call(method: MethodName, params: unknown, caller: BenchCaller = this.caller): Promise<Json> {
    const text = await this.callText(method, params, caller);
    return JSON.parse(text);
  }

  /** `session.state` as the journal alone gives it: without the spans of the newest call. */
  async journalled(): Promise<Json> {
    const { trace: _spans, ...state } = await this.call('session.state', { session: 's' });
    return state;
  }

  /** As `call`, with the exact text of the result. */
  async callText(method: MethodName, params: unknown, caller: BenchCaller = this.caller): Promise<string> {
    const frame = writeJson({ jsonrpc: '2.0', id: ++this.#id, method, params });
    const incoming = codecFor('curated.v1.json').decode(frame);
    if (incoming.kind === 'invalid') throw incoming.error;
    if (incoming.kind !== 'request') throw new Error(`not a call: ${incoming.kind}`);
    const handler = HANDLERS[method] as Handler<typeof method>;
    const result = await handler(caller, incoming.params as never, this.rooms);
    // Without hashes and answers there is nothing to publish.
    if (this.#tells) asPublished(`the result of ${method}`, METHODS[method].result, result);
    return writeJson(result);
  }
}

/** An Anthropic conversation piece: a call of a tool and its result. */
export function toolRound(id: string, name: string, input: unknown, output: string, error = false): Json[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content: output, ...(error ? { is_error: true } : {}) },
      ],
    },
  ];
}

export function assistant(text: string): Json {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

export function user(text: string): Json {
  return { role: 'user', content: text };
}

/** A session that only layer 1 curates, with these settings. */
export function clearing(
  settings: Record<string, unknown> = {},
  curated: Record<string, unknown> = {},
): Json {
  return {
    plugins: { active: ['nexus.memory.tool_result_clear'], 'nexus.memory.tool_result_clear': settings },
    curated,
  };
}

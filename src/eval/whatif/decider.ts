// A logged session in the product's own hands, without a daemon: the handlers of the wire over a session in memory, on a
// clock of the log's times. What `llm.prepare` and `turn.end` decide here is what they would have decided beside the agent.
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../clock.js';
import { CuratedError } from '../../errors.js';
import { type JournalRecord, ListStore, readAll } from '../../journal/index.js';
import type { Native } from '../../json/native.js';
import type { Params } from '../../protocol/index.js';
import type { Caller, Rooms } from '../../service/context.js';
import { SESSION_CALLS } from '../../service/session-calls.js';
import { TURN_CALLS } from '../../service/turn-calls.js';
import type { SessionActor } from '../../session/actor.js';
import { UNSEALED } from '../../session/emission.js';
import { SessionRegistry } from '../../session/registry.js';
import { requestTokens, type SectionTokens, sectionTokens } from '../../session/request/sections.js';
import type { Session } from '../../session/session.js';
import type { ConfigLayer, PresetName } from '../../settings/index.js';
import { RereadCount } from '../rereads.js';
import type { CountText } from '../tally.js';
import type { LoggedSession } from './logged.js';
import type { MeasuredSession } from './measured.js';
import type { Reference } from './references.js';

const TENANT = 'whatif';
/** One list, so that it is not taken for a configuration that was read anew. */
const NO_LAYERS: readonly ConfigLayer[] = [];
/** More than the built-in summary takes. */
const TICKS_OF_A_SUMMARY = 8;
const UNLIMITED = Number.MAX_SAFE_INTEGER;

export interface DeciderOptions {
  model: string;
  /** Absent: the configuration's own. */
  preset?: PresetName;
  /** Value of the YAML configuration. */
  config?: Record<string, unknown>;
  count: CountText;
  /** Messages that are read and measured already. */
  taken: MeasuredSession['taken'];
  /** Epoch ms of the session's start. */
  at: number;
  /** Tokens; undefined: the model's own. */
  window: number | undefined;
}

export class Decider {
  readonly #rooms: Rooms;
  readonly #caller: Caller;
  readonly #clock: ManualClock;
  readonly #id: string;
  readonly #actor: SessionActor;
  readonly #session: Session;
  /** Decisions by event type; what was only observed is not one. */
  readonly decisions: Map<string, number>;
  readonly rereads: RereadCount;

  private constructor(world: World, id: string, actor: SessionActor) {
    this.#rooms = world.rooms;
    this.#caller = world.caller;
    this.#clock = world.clock;
    this.decisions = world.decisions;
    this.rereads = world.rereads;
    this.#id = id;
    this.#actor = actor;
    this.#session = actor.session;
  }

  static async open(logged: LoggedSession, o: DeciderOptions): Promise<Decider> {
    const world = worldOf(o);
    const id = logged.id === '' ? 'session' : logged.id;
    await SESSION_CALLS['session.open']!(
      world.caller,
      {
        session: id,
        format: logged.format,
        model: o.model,
        ...(o.preset === undefined ? {} : { preset: o.preset }),
        ...(o.config === undefined ? {} : { config: o.config }),
        ...(o.window === undefined ? {} : { context_window: o.window }),
        ...(logged.system === undefined ? {} : { system: logged.system }),
        ...(logged.tools === undefined ? {} : { tools: logged.tools }),
      } as Params<'session.open'>,
      world.rooms,
    );
    return new Decider(world, id, await world.rooms.registry.known(TENANT, id));
  }

  /** Moves the clock, never back. */
  moveTo(at: number | undefined): void {
    if (at !== undefined && at > this.#clock.now()) this.#clock.advance(at - this.#clock.now());
  }

  async append(messages: readonly Native[], sent = false): Promise<void> {
    if (messages.length === 0) return;
    const params = { session: this.#id, messages: [...messages], ...(sent ? { sent } : {}) };
    await SESSION_CALLS['session.append']!(this.#caller, params, this.#rooms);
  }

  async endTurn(final: boolean, usage: Record<string, unknown> | undefined): Promise<void> {
    await TURN_CALLS['turn.end']!(this.#caller, { session: this.#id, final, usage }, this.#rooms);
    await this.#atRest();
  }

  /** A summary in the background is there before the agent asks again; one that people would look at first is not. */
  async #atRest(): Promise<void> {
    const { compactor } = this.#actor;
    for (let i = 0; i < TICKS_OF_A_SUMMARY && compactor.cycle !== undefined && !compactor.waits; i++)
      await setImmediate();
  }

  /**
   * The request as it would leave now, with these messages new.
   * @returns tokens of the request up to where it differs from the one before; undefined: it only grew
   * @throws CuratedError where the daemon would have refused; the messages are in the history all the same
   */
  async prepare(news: readonly Native[]): Promise<number | undefined> {
    try {
      const { cache } = await TURN_CALLS['llm.prepare']!(
        this.#caller,
        {
          session: this.#id,
          return: 'patch',
          ...(news.length === 0 ? {} : { append: [...news] }),
        },
        this.#rooms,
      );
      await this.#atRest();
      return cache.first_changed === undefined ? undefined : this.#tokensUpTo(cache.first_changed);
    } catch (e) {
      await this.append(news);
      throw e;
    }
  }

  /** Exact texts of the request as it would leave now; '' where a part is absent. */
  get request(): { system: string; tools: string; messages: string[] } {
    const { state, rendering } = this.#session;
    return {
      system: rendering.statics.system(state) ?? '',
      tools: rendering.statics.tools(state) ?? '',
      messages: rendering.pieces.map((_, i) => rendering.textOf(i)),
    };
  }

  get tokens(): number {
    return requestTokens(this.#session.state, this.#session.rendering, 0);
  }

  get sections(): SectionTokens {
    return sectionTokens(this.#session.state, this.#session.rendering);
  }

  /** Does the name still stand in the messages of the request? */
  shows({ name, places }: Reference): boolean {
    const { rendering } = this.#session;
    const { pieces } = rendering;
    for (let i = places.length - 1; i >= 0; i--) {
      if (pieces[rendering.ownIndexOf(places[i]!)]?.text.includes(name) === true) return true;
    }
    // Inside a longer name, in a summary: only a name that was cleared has the whole request searched.
    return this.holds(name);
  }

  /** Does any message of the request hold the text? */
  holds(text: string): boolean {
    return this.#session.rendering.pieces.some((piece) => piece.text.includes(text));
  }

  /** All that was journalled, oldest first. */
  async journal(): Promise<JournalRecord[]> {
    const records: JournalRecord[] = [];
    for await (const r of readAll(this.#rooms.store, this.#session.key)) records.push(r);
    return records;
  }

  /** Tokens of the edited request before the stored message `at`, static part included. */
  tokensBefore(at: number): number {
    return this.tokens - this.#session.rendering.tokensBetween(at - 1, Number.POSITIVE_INFINITY);
  }

  /** By index in the request; a change before the messages counts as all of it. */
  #tokensUpTo(index: number): number {
    const { pieces } = this.#session.rendering;
    if (index === 0) return 0;
    for (let i = index; i < pieces.length; i++)
      if (pieces[i]!.at >= 0) return this.tokensBefore(pieces[i]!.at);
    return this.tokens;
  }
}

interface World {
  rooms: Rooms;
  caller: Caller;
  clock: ManualClock;
  decisions: Map<string, number>;
  rereads: RereadCount;
}

/** What the handlers need of a daemon. Nobody answers requests for models or vectors: the built-in ways are taken. */
function worldOf({ count, taken, at }: Pick<DeciderOptions, 'count' | 'taken' | 'at'>): World {
  const clock = new ManualClock(at);
  const decisions = new Map<string, number>();
  const rereads = new RereadCount();
  const store = new ListStore((_key, records) => {
    for (const r of records) {
      if (!r.type.startsWith('memory.') || r.observed === true) continue;
      decisions.set(r.type, (decisions.get(r.type) ?? 0) + 1);
      rereads.take({ ...r.payload, type: r.type });
    }
  });
  const pool = {
    countTokens: async (texts: readonly (string | Uint8Array)[]) =>
      Uint32Array.from(texts, (t) => count(typeof t === 'string' ? t : Buffer.from(t).toString('utf8'))),
  };
  let ids = 0;
  const registry = new SessionRegistry({
    store,
    emission: UNSEALED,
    taken,
    pool,
    clock,
    limits: {
      messagesAnAppend: UNLIMITED,
      messagesATurn: UNLIMITED,
      commandsASession: UNLIMITED,
      snapshotEvents: UNLIMITED,
    },
    countShort: (text) => count(text),
    newId: () => `id-${++ids}`,
    configLayers: () => NO_LAYERS,
    configVersion: () => 1,
    fsync: () => 'none',
    notice: () => {},
  });
  const none = (): Promise<never> => Promise.reject(new CuratedError('UNSUPPORTED', 'there is no daemon'));
  const rooms: Rooms = {
    registry,
    store,
    pool: pool as unknown as Rooms['pool'],
    clock,
    version: '',
    truncate: (text, max) => text.slice(0, max * 4),
    status: none,
    stop: () => {},
    layers: () => NO_LAYERS,
  };
  const caller: Caller = {
    tenant: TENANT,
    scopes: [],
    notify: () => {},
    superseded: () => {},
    ask: none,
    can: () => false,
    embeddings: undefined,
    onEnd: () => () => {},
    subscriptions: new Map(),
  };
  return { rooms, caller, clock, decisions, rereads };
}

// All sessions of the daemon: found, loaded when first asked for, parked when idle. Knows tenants, no sockets.

import { handlePrefix, prefixOf } from '../curation/handle.js';
import { fail } from '../errors.js';
import type { SessionHead, SessionKey } from '../journal/index.js';
import { SessionActor } from './actor.js';
import type { Subscriber } from './audience.js';
import type { SessionDeps } from './deps.js';
import { listing } from './listing.js';
import { loadState } from './load.js';
import { event } from './state/events.js';
import type { ProjectedEvent, Signal } from './state/project.js';
import type { SessionState } from './state/state.js';

export interface SessionSummary {
  session: string;
  model: string;
  turn: number;
  seq: number;
  tokens: number;
  connected: boolean;
  updated_at: number;
}

export class SessionRegistry {
  readonly #deps: SessionDeps;
  readonly #tenants = new Map<string, Map<string, SessionActor>>();
  readonly #global = new Map<string, Set<Subscriber>>();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Sessions in memory: in use, and not to be swept. */
  keys(): SessionKey[] {
    return [...this.#tenants.values()].flatMap((sessions) => [...sessions.values()].map((a) => a.key));
  }

  /** Is it one of `keys`? */
  holds({ tenant, session }: SessionKey): boolean {
    return this.#tenants.get(tenant)?.has(session) === true;
  }

  get loaded(): number {
    let n = 0;
    for (const tenant of this.#tenants.keys()) n += this.loadedOf(tenant);
    return n;
  }

  /** Sessions of one tenant in memory; what failed to open is none. */
  loadedOf(tenant: string): number {
    let n = 0;
    for (const actor of this.#tenants.get(tenant)?.values() ?? [])
      if (!actor.parked && actor.session.state.status !== 'fresh') n += 1;
    return n;
  }

  /** The actor of a session; reads its journal when it is not in memory. An unknown session gives a fresh one. */
  async get(tenant: string, session: string): Promise<SessionActor> {
    const sessions = this.#of(tenant);
    let actor = sessions.get(session);
    if (actor !== undefined) {
      const woken = actor.wake();
      if (woken !== undefined) await woken;
      return actor;
    }
    actor = new SessionActor(
      { tenant, session },
      this.#deps,
      (id, e) => this.#tell(tenant, id, e),
      () => {
        return (this.#global.get(tenant)?.size ?? 0) > 0;
      },
    );
    sessions.set(session, actor);
    await actor.load();
    return actor;
  }

  /** As `get`, for calls that don't make sessions: an unknown one leaves nothing behind. */
  async known(tenant: string, session: string): Promise<SessionActor> {
    const actor = await this.get(tenant, session);
    // A session that is being opened or read is not fresh for long; any other need not be waited for.
    if (actor.unused) {
      await actor.idle();
      await actor.wake();
    }
    if (actor.unused) {
      this.discard(tenant, session);
      fail('UNKNOWN_SESSION', `there is no session ${JSON.stringify(session)} for this token`);
    }
    return actor;
  }

  /**
   * Lets go of an actor that has no session. Not at once: who got it in this very moment is about to open one, and a second actor
   * beside it would not know of that.
   */
  discard(tenant: string, session: string): void {
    const sessions = this.#of(tenant);
    const actor = sessions.get(session);
    setImmediate(() => {
      if (actor?.unused === true && actor.quiet && sessions.get(session) === actor) sessions.delete(session);
    });
  }

  /** A diagnostic of the daemon's own in a session's journal; a session that is gone is left alone. */
  async diagnose({ tenant, session }: SessionKey, what: string, detail: unknown): Promise<void> {
    const actor = this.#of(tenant).get(session);
    await actor
      ?.own((draft) => void draft.push(event('memory.diagnostic', { what, detail })))
      .catch(() => {});
  }

  /** A snapshot was not what the events give: a state in memory that came of it is not either. */
  async refold({ tenant, session }: SessionKey): Promise<boolean> {
    return (await this.#of(tenant).get(session)?.refold()) ?? false;
  }

  /** The journal is another one, or gone: what was read from it is let go. */
  drop(tenant: string, session: string): void {
    const sessions = this.#of(tenant);
    const actor = sessions.get(session);
    sessions.delete(session);
    actor?.forsake();
    if (actor?.parked === false && actor.parkable) actor.park();
  }

  /**
   * Sessions that may have given out a handle: its first letters say which, or which ones they were taken from. Those in memory
   * first: only who asks on has all that are stored looked through.
   */
  async *byHandle(tenant: string, handle: string): AsyncGenerator<SessionActor> {
    const asked = new Set<string>();
    const prefix = prefixOf(handle);
    const isOf = (name: string) => prefix === handlePrefix(tenant, name);
    for (const [name, actor] of [...this.#of(tenant)]) {
      if (actor.unused || (!isOf(name) && !actor.session.state.givenBy.has(prefix))) continue;
      asked.add(name);
      yield await this.get(tenant, name);
    }
    for (const { key, meta } of await this.#deps.store.heads(tenant)) {
      const taken = meta['handles'];
      const isOne = isOf(key.session) || (Array.isArray(taken) && taken.includes(prefix));
      if (isOne && !asked.has(key.session)) yield await this.get(tenant, key.session);
    }
  }

  async list(tenant: string): Promise<SessionSummary[]> {
    const heads = await this.#deps.store.heads(tenant);
    const out: SessionSummary[] = [];
    for (const head of heads) {
      const actor = this.#of(tenant).get(head.key.session);
      const loaded = actor?.parked === true ? undefined : actor?.session.state;
      const state = loaded ?? (await this.#unlisted(head));
      out.push({
        session: head.key.session,
        model: state?.model || String(head.meta['model'] ?? ''),
        turn: state?.turn ?? Number(head.meta['turn'] ?? 0),
        seq: state?.seq || head.seq,
        tokens: state?.messageTokens ?? Number(head.meta['tokens'] ?? 0),
        connected: actor?.connected ?? false,
        updated_at: state?.updatedAt || head.updatedAt,
      });
    }
    return out.sort((a, b) => b.updated_at - a.updated_at || (a.session < b.session ? -1 : 1));
  }

  /** The daemon died in the first turn, before anything was listed: the journal tells, and it is listed from now on. */
  async #unlisted({ key, meta }: SessionHead): Promise<SessionState | undefined> {
    if (meta['model'] !== undefined) return undefined;
    try {
      const state = await loadState(this.#deps.store, key);
      this.#deps.store.setMeta(key, listing({ key, state }));
      return state;
    } catch {
      // What cannot be read is told by who opens it.
      return undefined;
    }
  }

  subscribeAll(tenant: string, subscriber: Subscriber): void {
    let set = this.#global.get(tenant);
    if (set === undefined) {
      set = new Set();
      this.#global.set(tenant, set);
    }
    set.add(subscriber);
  }

  unsubscribeAll(tenant: string, subscriber: Subscriber): void {
    this.#global.get(tenant)?.delete(subscriber);
  }

  /**
   * Puts sessions out of memory that nobody has used for `idleMs`; their journal brings them back. Of one that a connection
   * holds or listens to, that stays. One after another, so that what is written down of them is in memory once.
   * @param budgetMs after so long the rest is left as it is @returns the number of states that left memory
   */
  async park(idleMs: number, budgetMs = Number.POSITIVE_INFINITY): Promise<number> {
    const { clock } = this.#deps;
    const end = clock.mono() + budgetMs;
    let parked = 0;
    for (const sessions of this.#tenants.values()) {
      for (const [name, actor] of sessions) {
        if (!actor.parked) {
          const now = clock.mono();
          if (now > end) return parked;
          if (now - actor.touchedAt < idleMs || !actor.parkable) continue;
          await actor.hibernate();
          parked += 1;
        }
        if (actor.parked && !actor.wanted && actor.parkable && sessions.get(name) === actor)
          sessions.delete(name);
      }
    }
    return parked;
  }

  /** Waits until every mailbox is empty. */
  async settle(): Promise<void> {
    for (const sessions of this.#tenants.values()) {
      await Promise.all([...sessions.values()].map((a) => a.idle()));
    }
  }

  #of(tenant: string): Map<string, SessionActor> {
    let sessions = this.#tenants.get(tenant);
    if (sessions === undefined) {
      sessions = new Map();
      this.#tenants.set(tenant, sessions);
    }
    return sessions;
  }

  #tell(tenant: string, session: string, e: ProjectedEvent | Signal): void {
    for (const s of this.#global.get(tenant) ?? []) s(session, e);
  }
}
